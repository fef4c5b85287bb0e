"""Who writes, and when it becomes durable.

A commit waits for the disk, and a server for every statement. So one thread takes whatever has
queued up and does it in one transaction. What would hold the others up (a campaign that somebody
else is changing, a long log to learn from) is done by itself, in a thread of its own.
"""

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, TypeVar

from spnb.base.errors import StoreError

J = TypeVar("J")
LATER: Any = object()
"""The outcome of a job that is to be done by itself."""

Outcome = Any  # what came of a job: its answer, the exception it ended with, or LATER
_MOST = 256  # changes in one commit
_THREADS = 8  # for what is done by itself


class Writer(Generic[J]):
    """Has jobs done and answers when they are durable.

    ``together`` does many jobs in one transaction and says what came of each; if that fails because
    of one of them, nothing has happened, and each is done ``alone`` instead.
    """

    def __init__(
        self, together: Callable[[Sequence[J]], list[Outcome]], alone: Callable[[J], Any]
    ) -> None:
        self._together, self._alone = together, alone
        self._open = True
        self._waiting: queue.SimpleQueue[_Task[J] | None] = queue.SimpleQueue()
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="spnb-writer-alone")
        self._thread = threading.Thread(target=self._write, name="spnb-writer")
        self._thread.start()

    def submit(self, job: J) -> "asyncio.Future[Any]":
        """Do this; the result comes when it cannot be lost any more."""
        if not self._open:
            raise StoreError("the service is stopping: try again")
        promise = asyncio.get_running_loop().create_future()
        self._waiting.put((job, promise))
        return promise

    def close(self) -> None:
        """Finish what was begun, and take nothing more."""
        self._open = False
        self._waiting.put(None)
        self._thread.join()
        self._pool.shutdown()

    def _write(self) -> None:
        while (first := self._waiting.get()) is not None:
            tasks = [first]
            while len(tasks) < _MOST and not self._waiting.empty():
                task = self._waiting.get()
                if task is None:
                    self._waiting.put(None)  # the last word, once these are done
                    break
                tasks.append(task)
            self._commit(tasks)

    def _commit(self, tasks: "list[_Task[J]]") -> None:
        try:
            outcomes = self._together([job for job, _ in tasks])
        except StoreError as error:  # nothing of all this has happened, nor would it one by one
            outcomes = [error] * len(tasks)
        except BaseException as error:  # of one of them, but which?
            outcomes = [LATER if len(tasks) > 1 else error] * len(tasks)
        settled = []
        for task, outcome in zip(tasks, outcomes, strict=True):
            if outcome is LATER:
                self._pool.submit(self._do_alone, task)
            else:
                settled.append((task[1], outcome))
        _tell(settled)

    def _do_alone(self, task: "_Task[J]") -> None:
        job, promise = task
        try:
            outcome = self._alone(job)
        except BaseException as error:  # it belongs to whoever asked for this
            outcome = error
        _tell([(promise, outcome)])


_Task = tuple[J, "asyncio.Future[Any]"]


def _tell(settled: "list[tuple[asyncio.Future[Any], Outcome]]") -> None:
    """Tell those who wait, all at once: a loop is woken only once."""
    if settled:
        settled[0][0].get_loop().call_soon_threadsafe(partial(_settle, settled))


def _settle(settled: "list[tuple[asyncio.Future[Any], Outcome]]") -> None:
    for promise, outcome in settled:
        if promise.cancelled():  # nobody waits for it any more
            continue
        if isinstance(outcome, BaseException):
            promise.set_exception(outcome)
        else:
            promise.set_result(outcome)
