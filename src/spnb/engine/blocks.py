"""Runs cut into blocks: the unit of work that goes to a worker, the same whoever does it."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager
from signal import SIG_DFL, SIGINT, signal
from time import monotonic
from typing import Any, TypeVar

import cloudpickle
import numpy as np

from spnb.base.errors import SpecError
from spnb.engine.arrays import IntArray

MOST_RUNS, LEAST_RUNS = 1000, 125
CELLS = 1_000_000  # runs x arms of a block: bounds its memory

Progress = Callable[[float, float], None]
"""Hears the work done so far and all of it, in runs x rounds."""

Workers = int | Executor
T = TypeVar("T")


def split(runs: int, arms: int) -> list[IntArray]:
    """Runs 0, 1, ... in even blocks; how they are cut depends on these two numbers alone."""
    size = min(max(CELLS // arms, LEAST_RUNS), MOST_RUNS)
    return np.array_split(np.arange(runs), -(-runs // size))


def checked_workers(workers: Workers) -> Workers:
    if isinstance(workers, Executor):
        return workers
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise SpecError(f"workers must be a whole number >= 1 or an executor, got {workers!r}")
    return min(workers, 4 * (os.cpu_count() or 1))


def run_all(
    jobs: Sequence[Callable[..., T]],
    weights: list[float],
    workers: Workers,
    progress: Progress | None,
) -> list[T]:
    """The result of every job, in the order of the jobs, whatever order they finish in."""
    total = sum(weights)
    report = progress or (lambda done, all_of_it: None)
    report(0.0, total)
    if workers == 1:
        return _run_here(jobs, weights, report, total)
    with _pool(workers) as pool:
        futures: dict[Future[T], int] = {}
        for i, job in enumerate(jobs):
            # By value where it must be: a class of a script or a notebook has no module to import.
            futures[pool.submit(_run_pickled, cloudpickle.dumps(job))] = i
        results: dict[int, T] = {}
        try:
            for future in as_completed(futures):
                results[futures[future]] = future.result()
                report(sum(weights[i] for i in results), total)
        except BaseException:
            for future in futures:
                future.cancel()
            if pool is not workers:
                _terminate(pool)
            raise
    return [results[i] for i in range(len(jobs))]


def _run_pickled(job: bytes) -> Any:
    return cloudpickle.loads(job)()


def _run_here(
    jobs: Sequence[Callable[..., T]], weights: list[float], report: Progress, total: float
) -> list[T]:
    results, before, said = [], 0.0, monotonic()
    for job, weight in zip(jobs, weights, strict=True):
        inside = 0

        def tick(rounds: int, base: float = before) -> None:
            nonlocal inside, said
            inside += rounds
            if monotonic() - said > 0.1:  # the engine ticks far more often than anyone looks
                said = monotonic()
                report(base + inside, total)

        results.append(job(tick=tick))
        before += weight
        report(before, total)
    return results


@contextmanager
def _pool(workers: Workers) -> Iterator[Executor]:
    if isinstance(workers, Executor):
        yield workers
    else:
        from concurrent.futures import ProcessPoolExecutor  # dear to load, and often not needed

        # Ctrl-C reaches every process of a terminal: workers just end, the parent says why.
        with ProcessPoolExecutor(workers, initializer=signal, initargs=(SIGINT, SIG_DFL)) as pool:
            yield pool


def _terminate(pool: Executor) -> None:
    """End a pool of our own without waiting for the blocks under way."""
    processes: dict[int, Any] = getattr(pool, "_processes", None) or {}
    for process in list(processes.values()):
        process.terminate()
