"""What the data say of a problem, and how sure they are of it."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spnb import theory
from spnb.engine.arrays import FloatArray
from spnb.engine.blocks import Progress
from spnb.engine.dice import checked_seed, stream_keys
from spnb.problems import Estimated
from spnb.problems.readers.data import ProblemData
from spnb.problems.recorded import drawn_days, table_means, times_drawn
from spnb.simulation import metrics
from spnb.simulation.metrics import Estimate

SAMPLES = 4000
FEWEST = 200
DRAWS = 30_000_000  # days drawn in all: a very long record is sure of itself with fewer samples
CELLS = 4_000_000  # samples x days at a time: bounds the memory


@dataclass(frozen=True, slots=True)
class Facts:
    """Means with 95 % intervals, the gaps, how hard the problem is, and how sure its best arm."""

    data: ProblemData
    means: tuple[Estimate, ...]
    gaps: FloatArray
    best: int
    h1: float
    h1_with_best: float
    h2: float
    chances: FloatArray | None  # of each arm to be the best; none where the data cannot tell
    seed: int

    def __repr__(self) -> str:
        best = self.data.arms[self.best]
        return f"<Facts on {self.data.name!r}: best {best!r}, mean {self.means[self.best]}>"

    def _repr_html_(self) -> str:
        from spnb.report.profile import facts_lines, facts_table

        return facts_table(self).html(*facts_lines(self))

    def to_dict(self) -> dict[str, Any]:
        chances = [None] * len(self.means) if self.chances is None else self.chances.tolist()
        arms = [
            {"arm": arm, "mean": mean.to_dict(), "gap": float(gap), "chance_best": chance}
            for arm, mean, gap, chance in zip(
                self.data.arms, self.means, self.gaps, chances, strict=True
            )
        ]
        hardness = {"h1": self.h1, "h1_with_best": self.h1_with_best, "h2": self.h2}
        finite = {name: v if np.isfinite(v) else None for name, v in hardness.items()}
        return {"best": self.data.arms[self.best], **finite, "arms": arms, "seed": self.seed}


def facts(data: ProblemData, seed: int | None = None, progress: Progress | None = None) -> Facts:
    """Look at a problem: nothing is simulated, only counted and resampled."""
    seed = checked_seed(seed)
    problem = data.problem("bernoulli")
    return Facts(
        data,
        arm_means(data),
        problem.gaps,
        problem.best,
        problem.h1,
        float(theory.h1_with_best(problem.means)),
        problem.h2,
        _chances(data, seed, progress),
        seed,
    )


def arm_means(data: ProblemData) -> tuple[Estimate, ...]:
    """The mean of every arm with its 95 % interval."""
    return tuple(_mean(data, arm) for arm in range(len(data.arms)))


def _mean(data: ProblemData, arm: int) -> Estimate:
    if data.table is None:
        trials = (data.trials or (0,) * len(data.means))[arm]
        mean = data.means[arm]
        unknown = Estimate(mean, np.nan, np.nan)
        return metrics.share_interval(mean * trials, trials) if trials else unknown
    values = data.table[:, arm]
    offered = ~np.isnan(values)
    values = values[offered]
    if data.shows is not None:
        return _counted(values, data.shows[offered, arm])
    if np.isin(values, (0.0, 1.0)).all():
        return metrics.share_interval(float(values.sum()), len(values))
    return metrics.within_unit(metrics.mean_interval(values))


def _counted(rates: FloatArray, shows: FloatArray) -> Estimate:
    """The share of wins in all trials; days differ, and the wider of two intervals says so.

    One takes every trial for independent, the other whole rounds (a ratio of two sums).
    """
    trials = float(shows.sum())
    alone = metrics.share_interval(float((rates * shows).sum()), trials)
    if len(rates) < 2:
        return alone
    rounds = metrics.mean_interval(alone.mean + (rates - alone.mean) * shows / shows.mean())
    low, high = min(alone.low, rounds.low), max(alone.high, rounds.high)
    return Estimate(alone.mean, max(low, 0.0), min(high, 1.0))


def _chances(data: ProblemData, seed: int, progress: Progress | None) -> FloatArray | None:
    """How often each arm is the best when the record (or the count) is drawn anew."""
    if data.table is None:
        if data.trials is None:
            return None
        return _wins(Estimated(data.means, data.trials).draw_means(seed, np.arange(SAMPLES)))
    days = len(data.table)
    if days < 2:
        return None
    samples = min(SAMPLES, max(FEWEST, DRAWS // days))
    size = max(1, CELLS // days)
    won = np.zeros(len(data.arms))
    for start in range(0, samples, size):
        runs = np.arange(start, min(start + size, samples))
        drawn = drawn_days(stream_keys(seed, "bootstrap", runs), days, data.block)
        won += _wins(table_means(data.table, times_drawn(drawn), data.shows)) * len(runs)
        if progress is not None:
            progress(float(runs[-1] + 1), float(samples))
    return won / samples


def _wins(means: FloatArray) -> FloatArray:
    """[K]: the share of rows in which each arm is the best; equals share a row."""
    best = means == means.max(axis=1, keepdims=True)
    return (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
