"""Timing on a machine that others use too.

What is to be compared is measured in turns, several times over, and the least value of each
counts: a disturbance then hits one turn of everybody rather than all turns of one. Times are CPU
times of this process, so a neighbour's load does not count and a second thread would.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import TypeVar

import numpy as np

Key = TypeVar("Key")
Measure = Callable[[], float]
"""Does the work once and tells microseconds per pull."""


@dataclass(frozen=True)
class Effort:
    """How much time the benchmarks may take."""

    repeats: int
    rounds: int
    patience: float  # seconds of repeats for one measure; two are made in any case
    rival_seconds: float  # for one rival on one problem, in all repeats together
    job_seconds: float  # the job given to one and to two workers
    long_rounds: int  # the long run whose memory is looked at
    look_seconds: float  # how long a run with very many arms is looked at
    starts: int  # how often everything is started anew


FULL = Effort(
    repeats=5, rounds=1000, patience=10.0, rival_seconds=0.5, job_seconds=10.0,
    long_rounds=1_000_000, look_seconds=15.0, starts=3,
)  # fmt: skip
QUICK = Effort(
    repeats=2, rounds=200, patience=2.0, rival_seconds=0.1, job_seconds=2.0,
    long_rounds=20_000, look_seconds=3.0, starts=1,
)  # fmt: skip


def in_turns(measures: Mapping[Key, Measure], repeats: int, patience: float) -> dict[Key, float]:
    """The least value of each measure over ``repeats`` turns.

    A measure that has used up its patience sits out after its second turn.
    """
    least = {key: float("inf") for key in measures}
    spent = dict.fromkeys(measures, 0.0)
    for turn in range(repeats):
        for key, measure in measures.items():
            if turn >= 2 and spent[key] > patience:
                continue
            start = perf_counter()  # a measure may be taken in another process
            least[key] = min(least[key], measure())
            spent[key] += perf_counter() - start
    return least


def means_of(arms: int) -> tuple[float, ...]:
    """One problem for everybody: even means, a gap of 0.1 below the best, in a mixed order."""
    means = np.append(np.linspace(0.05, 0.8, arms - 1), 0.9)
    mixed: list[float] = np.random.default_rng(arms).permutation(means).tolist()
    return tuple(mixed)
