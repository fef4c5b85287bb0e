"""Work on runs that stand side by side in batches: compiled where there are many, else plain."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from spnb.engine.compiler import CannotCompileError, arguments, compiled
from spnb.engine.state import Batch

log = logging.getLogger("spnb.engine")

SMALL = 256  # runs: so few are through in plain Python before the compiler has begun

Code = Callable[..., Any]


class Rows:
    """Who works (an agent or a world), and two batches that have a row for each run.

    If the first is ``fixed``, it is only read.
    """

    def __init__(self, worker: Any, first: Batch, second: Batch, *, fixed: bool = False) -> None:
        self.worker, self.first, self.second, self.fixed = worker, first, second, fixed
        self._states: tuple[Any, Any] = (first.layout.fresh(), second.layout.fresh())
        self._compiles = first.batch >= SMALL
        self._args: list[Any] = []  # these three, as compiled code takes them

    def code(self, loop: Callable[..., Any], *more: Batch) -> Code | None:
        """Machine code of a loop over all rows; None where plain Python serves."""
        if not self._compiles:
            return None
        try:
            self._args = self._args or arguments(self.worker, self.first, self.second)
            args = [*self._args, *arguments(*more)]
            code = compiled(loop, str(self.worker), args)
        except CannotCompileError as error:
            log.warning("%s; it is run in plain Python, some hundred times slower", error)
            self._compiles = False
            return None
        return partial(code, *args)

    def plainly(self, what: Callable[..., None], number: int, *told: Any) -> None:
        """Read a row of both, let something happen to it, and write it back."""
        one, two = self._states
        self.first.read(number, one)
        self.second.read(number, two)
        what(self.worker, one, two, *told)
        if not self.fixed:
            self.first.write(number, one)
        self.second.write(number, two)
