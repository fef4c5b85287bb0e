"""Words on the screen: wrapped between words for people, one line each for programs."""

import shutil
import sys
import textwrap
from typing import TextIO

import typer


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
