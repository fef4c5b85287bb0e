"""The ``spnb`` command: its sub-commands, and one place where errors become exit codes."""

import sys
from importlib import import_module
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from spnb import __version__
from spnb.base.errors import SpnbError

INTERRUPTED = 130  # what Typer makes of Ctrl-C

# Each command and where it lives. A module is loaded when its command is called, so that
# ``spnb ask`` in a cron job does not wait for what it does not use.
COMMANDS = {
    "simulate": "spnb.cli.compare:simulate",
    "identify": "spnb.cli.compare:identify",
    "problem": "spnb.cli.problem:app",
    "plan": "spnb.cli.plan:plan",
    "reproduce": "spnb.cli.reproduce:reproduce",
    "agents": "spnb.cli.agents:agents",
    "campaign": "spnb.cli.campaign:app",
    "ask": "spnb.cli.live:ask",
    "tell": "spnb.cli.live:tell",
    "correct": "spnb.cli.live:correct",
    "lost": "spnb.cli.live:lost",
    "status": "spnb.cli.status:status",
    "log": "spnb.cli.status:log",
}


class _LazyGroup(TyperGroup):
    """The sub-commands of the table above, loaded when they are wanted."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        module, _, name = COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(module), name)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
            alone.command(cmd_name)(found)
            found = alone
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command


app = typer.Typer(
    cls=_LazyGroup,
    help="Sequential Pull/No-pull Bandits: options come one after the other, pull or pass.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spnb {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Say which.")
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command; what the user can mend is one line and exit code 2, Ctrl-C is 130."""
    try:
        app()
    except SpnbError as error:
        typer.echo(f"spnb: {error}", err=True)
        sys.exit(2)
    except SystemExit as leaving:
        if leaving.code == INTERRUPTED:
            typer.echo("spnb: interrupted; nothing was written", err=True)
        raise
    sys.exit(0)
