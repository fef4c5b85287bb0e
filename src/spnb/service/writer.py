"""Who writes, and when it becomes durable.

A commit waits for the disk. SQLite has one writer at a time, so here one thread takes whatever has
queued up and commits it at once; PostgreSQL shares its commits by itself, so there several threads
write, each in its own transaction.
"""

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from spnb.base.errors import StoreError
from spnb.live.store import Store

T = TypeVar("T")
_MOST = 256  # changes in one commit
_THREADS = 8


class Writer:
    """Runs changes of campaigns and answers when they are durable."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open = True
        if store.alone:
            self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
            self._thread = threading.Thread(target=self._write, name="spnb-writer")
            self._thread.start()
        else:
            self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="spnb-writer")

    def submit(
        self,
        job: Callable[[], T],
        campaigns: Iterable[int] = (),
        decisions: Sequence[tuple[int, int]] = (),
    ) -> "Future[T]":
        """Do this; the result comes when it cannot be lost any more.

        A server is told in advance which campaigns are changed, and which decisions it is about.
        """
        if not self._open:
            raise StoreError("the service is stopping: try again")
        if not self._store.alone:
            return self._pool.submit(self._alone, job, list(campaigns), decisions)
        promise: Future[T] = Future()
        self._jobs.put((job, promise))
        return promise

    def close(self) -> None:
        """Finish what was begun, and take nothing more."""
        self._open = False
        if self._store.alone:
            self._jobs.put(None)
            self._thread.join()
        else:
            self._pool.shutdown()

    def _alone(
        self, job: Callable[[], T], campaigns: list[int], decisions: Sequence[tuple[int, int]]
    ) -> T:
        with self._store.together(campaigns, decisions):
            return job()

    def _write(self) -> None:
        while (first := self._jobs.get()) is not None:
            jobs = [first]
            while len(jobs) < _MOST and not self._jobs.empty():
                job = self._jobs.get()
                if job is None:
                    self._jobs.put(None)  # the last word, once these are done
                    break
                jobs.append(job)
            self._commit(jobs)

    def _commit(self, jobs: "list[_Job]") -> None:
        outcomes: list[tuple[Future[Any], Any, BaseException | None]] = []
        try:
            with self._store.together():
                for job, promise in jobs:
                    try:
                        outcomes.append((promise, job(), None))
                    except Exception as error:  # it belongs to whoever asked for this
                        outcomes.append((promise, None, error))
        except BaseException as error:  # nothing of all this has happened
            outcomes = [(promise, None, error) for _, promise in jobs]
        for promise, result, failed in outcomes:
            if failed is None:
                promise.set_result(result)
            else:
                promise.set_exception(failed)


_Job = tuple[Callable[[], Any], "Future[Any]"]
