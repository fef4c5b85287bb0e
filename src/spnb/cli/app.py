"""The ``spnb`` command: its sub-commands, and one place where errors become exit codes."""

import sys
from typing import Annotated, NoReturn

import typer

from spnb import __version__
from spnb.cli import agents, compare, plan, problem, reproduce
from spnb.errors import SpnbError

INTERRUPTED = 130  # what Typer makes of Ctrl-C

app = typer.Typer(
    help="Sequential Pull/No-pull Bandits: options come one after the other, pull or pass.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
app.command("simulate")(compare.simulate)
app.command("identify")(compare.identify)
app.command("plan")(plan.plan)
app.add_typer(problem.app, name="problem")
app.command("reproduce")(reproduce.reproduce)
app.command("agents")(agents.agents)


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
