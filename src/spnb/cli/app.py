"""The ``spnb`` command: its sub-commands, and one place where errors become exit codes."""

import os
import re
import sys
from contextlib import suppress
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any, NoReturn

import typer

from spnb import __version__
from spnb.base.errors import SpnbError
from spnb.base.extras import has, need
from spnb.base.words import printable
from spnb.cli.group import Group, group
from spnb.cli.say import Interrupted, say, show_anything

INTERRUPTED = 130  # what Typer makes of Ctrl-C
MISTAKEN = 2
_FIELD = re.compile(r"^(?:Config|Window)\.(\w+)")
_ARGUMENT = re.compile(r"\((ahead|at|hardness)\)")

# Each command and where it lives. A module is loaded when its command is called, so that
# ``spnb ask`` in a cron job does not wait for what it does not use.
COMMANDS = {
    "simulate": "spnb.cli.compare:simulate",
    "identify": "spnb.cli.compare:identify",
    "problem": "spnb.cli.problem:app",
    "plan": "spnb.cli.plan:plan",
    "choose": "spnb.cli.choose:choose",
    "reproduce": "spnb.cli.reproduce:reproduce",
    "agents": "spnb.cli.agents:agents",
    "campaign": "spnb.cli.campaign:app",
    "store": "spnb.cli.store:app",
    "serve": "spnb.cli.serve:serve",
    "token": "spnb.cli.serve:tokens",
    "ask": "spnb.cli.live:ask",
    "tell": "spnb.cli.live:tell",
    "correct": "spnb.cli.live:correct",
    "lost": "spnb.cli.live:lost",
    "status": "spnb.cli.status:status",
    "log": "spnb.cli.status:log",
}

# What a command needs to be installed beside the core.
EXTRAS = dict.fromkeys(
    ("campaign", "store", "token", "ask", "tell", "correct", "lost", "status", "log"), "live"
) | {"serve": "service"}


class _LazyGroup(Group):
    """The sub-commands of the table above, loaded when they are wanted."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*COMMANDS, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        extra = EXTRAS.get(cmd_name)
        if extra is not None and not has(extra):
            return _absent(cmd_name, extra)
        module, _, name = COMMANDS[cmd_name].partition(":")
        found = getattr(import_module(module), name)
        if not isinstance(found, typer.Typer):
            alone = typer.Typer(add_completion=False, rich_markup_mode=None)
            alone.command(cmd_name)(found)
            found = alone
        command = typer.main.get_command(found)
        command.name = cmd_name
        return command


def _absent(name: str, extra: str) -> Any:
    """A command that can only say how to get it."""

    def refuse() -> None:
        need(extra)

    refuse.__doc__ = f"Not installed here: pip install 'spnb[{extra}]'"
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    anything = {"ignore_unknown_options": True, "allow_extra_args": True}
    alone.command(name, context_settings=anything)(refuse)
    command = typer.main.get_command(alone)
    command.name = name
    return command


app = group(
    "Sequential Pull/No-pull Bandits: options come one after the other, pull or pass.", _LazyGroup
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"spnb {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command: exit codes 0 and 1 are its own, 130 is Ctrl-C, anything else amiss is 2."""
    sys.exit(_outcome())


def _outcome() -> int:
    if sys.stdout is None:  # closed by whoever called; the next file opened would take its place
        return _amiss("the standard output is closed: there is nowhere to print the answer")
    show_anything()
    try:
        code = int(app(standalone_mode=False) or 0)
        sys.stdout.flush()
    except SystemExit as leaving:  # Typer leaves so, with 1, where a pipe was closed
        _drop_output()
        return _amiss("the answer could not be printed: nobody reads it any more", leaving)
    except Interrupted as interrupted:
        return _stopped(str(interrupted))
    except Exception as error:
        return _told(error)
    return _stopped("nothing was written") if code == INTERRUPTED else code


def _stopped(what: str) -> int:
    say(f"spnb: interrupted; {what}", err=True)
    return INTERRUPTED


def _told(error: Exception) -> int:
    """One line for whatever went wrong, foreseen or not."""
    if isinstance(error, SpnbError):
        return _amiss(_with_options(str(error)), error)
    if type(error).__name__ == "NoArgsIsHelpError":  # it holds the help
        # Known by its name alone: Typer brings a Click of its own, or not, by its version.
        typer.echo(error.format_message(), err=True)  # type: ignore[attr-defined]
        return MISTAKEN
    if hasattr(error, "format_message"):  # a mistake on the command line, in Typer's own words
        return _amiss(_misused(error), error)
    if isinstance(error, OSError):
        _drop_output()
        place = f" ({error.filename})" if error.filename else ""
        return _amiss(f"the system refuses{place}: {error.strerror or error}", error)
    said = f"{type(error).__name__}: {error}".splitlines()[0]
    return _amiss(
        f"something unforeseen, please report it ({said}); SPNB_DEBUG=1 shows more", error
    )


def _with_options(said: str) -> str:
    """A message that names a field or, in brackets, an argument: here people know its option."""
    named = _FIELD.sub(lambda found: f"--{found[1].replace('_', '-')}", said)
    return _ARGUMENT.sub(r"(--\1)", named)


def _misused(error: Any) -> str:
    """What Typer says of a mistake on the command line, and where to look."""
    said = error.format_message().rstrip(".")
    for option, value in pairwise(sys.argv):
        if option in getattr(getattr(error, "param", None), "opts", ()):
            said += f", got {value!r}"
    place = error.ctx.command_path if error.ctx else "spnb"
    return f"{said} ('{place} --help' lists what there is)"


def _amiss(line: str, error: BaseException | None = None) -> int:
    if error is not None and os.environ.get("SPNB_DEBUG") == "1":
        from traceback import print_exception

        print_exception(error)
    with suppress(OSError):
        say(f"spnb: {printable(line)}", err=True)
    return MISTAKEN


def _drop_output() -> None:
    """Let nobody try once more, at the very end, to print what could not be printed."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
