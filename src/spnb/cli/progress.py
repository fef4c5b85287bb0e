"""A progress bar for whatever takes longer than a blink."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from spnb.engine.blocks import Progress as Report

_ENGINE = logging.getLogger("spnb")


@contextmanager
def progress_bar(title: str) -> Iterator[Report]:
    """A callback that moves a bar on the error stream, which vanishes when the work is done.

    While code is compiled the bar says so; what the engine warns of stands above it for good.
    """
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    console = Console(stderr=True)
    # Where nobody watches there is no bar, so that a log holds messages and nothing else.
    hidden = not console.is_terminal
    bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True, disable=hidden)
    with bar:
        task = bar.add_task(title, total=None)

        def show(record: logging.LogRecord) -> None:
            if record.levelno >= logging.WARNING:
                console.print(record.getMessage(), markup=False, highlight=False)
            else:
                bar.update(task, description=record.getMessage())

        def report(done: float, total: float) -> None:
            bar.update(task, completed=done, total=total, description=title)

        with _heard(show):
            yield report


class _Shown(logging.Handler):
    """Hands what is logged to a function."""

    def __init__(self, show: Callable[[logging.LogRecord], None]) -> None:
        super().__init__()
        self.show = show

    def emit(self, record: logging.LogRecord) -> None:
        self.show(record)


@contextmanager
def _heard(show: Callable[[logging.LogRecord], None]) -> Iterator[None]:
    """Let ``show`` have what the engine logs meanwhile."""
    handler, level = _Shown(show), _ENGINE.level
    _ENGINE.addHandler(handler)
    _ENGINE.setLevel(logging.INFO)
    try:
        yield
    finally:
        _ENGINE.removeHandler(handler)
        _ENGINE.setLevel(level)
