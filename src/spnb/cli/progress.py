"""A progress bar for whatever takes longer than a blink."""

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from spnb.engine.blocks import Progress as Report


@contextmanager
def progress_bar(title: str) -> Iterator[Report]:
    """A callback that moves a bar on the error stream, which vanishes when the work is done."""
    columns = (TextColumn(title), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    # Where nobody watches there is no bar, so that a log holds messages and nothing else.
    hidden = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
