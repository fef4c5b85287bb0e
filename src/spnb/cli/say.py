"""Words on the screen: wrapped between words for people, one line each for programs."""

import codecs
import io
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING, TextIO

import typer

from spnb.base.words import with_signs_of

if TYPE_CHECKING:
    from rich.console import Console


class Interrupted(Exception):  # noqa: N818 - no error: somebody wanted it
    """Ctrl-C where something stays behind: what, in words."""


def show_anything() -> None:
    """Let no sign that the terminal lacks stop an answer: it is escaped.

    As JSON would, so that JSON stays what it was.
    """
    codecs.register_error("spnb", _escaped)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="spnb")


def _escaped(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = (units[at : at + 2].hex() for at in range(0, len(units), 2))
    return "".join(f"\\u{pair}" for pair in pairs), error.end


def tell(console: "Console", line: str) -> None:
    """Print a line of an answer below its table: as it is, but in signs that can be shown."""
    console.print(with_signs_of(console.encoding, line), highlight=False, markup=False)


def say(text: str, *, err: bool = False, indent: int = 2) -> None:
    """Print a line; on a terminal it goes on below, indented, where it is too long."""
    stream: TextIO = sys.stderr if err else sys.stdout
    if stream is not None and stream.isatty():
        text = wrapped(text, shutil.get_terminal_size().columns, indent)
    typer.echo(text, err=err)


def wrapped(text: str, width: int, indent: int = 2) -> str:
    """The text in lines of this width, none of them broken inside a word."""
    return textwrap.fill(
        text, max(width, 20), subsequent_indent=" " * indent, break_long_words=False,
        break_on_hyphens=False, replace_whitespace=False, drop_whitespace=True,
    )  # fmt: skip
