"""What is measured, as pure functions of what was pulled; each quantity is defined once."""

from dataclasses import dataclass

import numpy as np

from spnb import theory
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.play import Played, Worth
from spnb.problems import Worlds
from spnb.simulation.intervals import Sample


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval; the ends are nan where one run gives none."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        if np.isnan(self.low):
            return f"{self.mean:.4g}"
        return f"{self.mean:.4g} ({self.low:.4g} to {self.high:.4g})"

    def to_dict(self) -> dict[str, float | None]:
        return {"mean": self.mean, "low": _or_none(self.low), "high": _or_none(self.high)}

    def excludes_zero(self) -> bool:
        return self.low > 0 or self.high < 0


def _or_none(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class Goal:
    """The ``best`` best arms of every round, and what pulling them or others is worth.

    Arms that share the last of these places (or come within ``tolerance`` of it) are as good as
    each other: a round wants so many of them, no matter which.
    """

    worth: Worth
    top: BoolArray  # [B, K] the arms worth pulling
    full: FloatArray  # [B] the worth of a round that pulls exactly what it should
    best: int | IntArray  # how many arms that is

    @classmethod
    def of(cls, means: FloatArray, best: int = 1, tolerance: float = 0.0) -> "Goal":
        bar = np.sort(means, axis=1)[:, [-best]]
        above, tied = means > bar, (means <= bar) & theory.as_good(means, bar, tolerance)
        pull = np.where(above, means, np.where(tied, bar, means - bar))
        places = best - above.sum(axis=1)
        full = np.where(above, means, 0.0).sum(axis=1) + places * bar[:, 0]
        return cls(Worth(pull, tied, places), above | tied, full, best)

    @classmethod
    def above(cls, means: FloatArray, cost: float) -> "Goal":
        """Pulling exactly the arms whose mean is above the cost of a pull."""
        profit, top = means - cost, means > cost
        none = np.zeros(len(means), dtype=np.intp)
        full = np.where(top, profit, 0.0).sum(axis=1)
        return cls(Worth(profit, profit > np.inf, none), top, full, top.sum(axis=1))

    def regret(self, rounds: float | FloatArray, gained: FloatArray) -> FloatArray:
        """What was missed: the gap of every pull too many, the mean of every place left empty.

        Never negative, so what rounding leaves below zero is cut.
        """
        full = self.full if gained.ndim == 1 else self.full[:, None]
        missed = np.asarray(full * rounds)
        missed -= gained  # in place: curves of many runs are large
        return np.maximum(missed, 0.0, out=missed)

    def optimal_share(self, played: Played) -> FloatArray:
        """Opt*: share of all pulls that went to a best arm, [B]; 0 where nothing was pulled."""
        hits = np.where(self.top, played.pulls, 0).sum(axis=1)
        return hits / np.maximum(played.pulls.sum(axis=1), 1)

    def optimal_rounds(self, played: Played, rounds: int) -> FloatArray:
        """Opti*: share of rounds in which a best arm was pulled (averaged over the places), [B].

        1 where no arm is worth a pull: nothing was missed.
        """
        alone = np.where(self.top & ~self.worth.tied, played.pulls, 0).sum(axis=1)
        share: FloatArray = (alone + played.shared) / np.maximum(rounds * self.best, 1)
        return np.where(self.best == 0, 1.0, share)

    def wrong(self, answer: IntArray) -> FloatArray:
        """[B]: 1 where the recommended arm is not a best one."""
        return (~self.top[np.arange(len(answer)), answer]).astype(float)


@dataclass(frozen=True, slots=True)
class Moving:
    """The best arm of every round, where means change: regret is dynamic."""

    worth: Worth
    full: FloatArray  # [B, P] the best means of all rounds up to each check point

    @classmethod
    def of(cls, worlds: Worlds, at: IntArray) -> "Moving":
        runs = range(len(worlds.means))
        full = np.array([worlds.law.best_so_far(worlds.of_run(run), at) for run in runs])
        nothing = np.zeros_like(worlds.means)
        return cls(Worth(nothing, nothing > 0, np.ones(len(nothing), dtype=np.intp)), full)

    def regret(self, rounds: float | FloatArray, gained: FloatArray) -> FloatArray:
        """What was missed against pulling, in every round, the arm that is best in it."""
        full = self.full[:, -1] if gained.ndim == 1 else self.full
        return np.maximum(full - gained, 0.0)

    def optimal_share(self, played: Played) -> FloatArray:
        """Opt*: share of all pulls that went to an arm best in its round, [B]."""
        return played.optimal / np.maximum(played.pulls.sum(axis=1), 1)

    def optimal_rounds(self, played: Played, rounds: int) -> FloatArray:
        """Opti*: share of rounds in which an arm best in the round was pulled, [B]."""
        return played.shared / rounds


def goal_of(
    worlds: Worlds,
    at: IntArray,
    best: int = 1,
    tolerance: float = 0.0,
    cost: float | None = None,
) -> Goal | Moving:
    """What regret is counted against in these worlds, up to each of these rounds."""
    if worlds.law.changing:
        return Moving.of(worlds, at)
    if cost is not None:
        return Goal.above(worlds.means, cost)
    return Goal.of(worlds.means, best, tolerance)


def pulls_per_round(pulls: IntArray, rounds: int) -> FloatArray:
    """NPR over the whole run, [B]."""
    return pulls.sum(axis=1) / rounds


def mean_interval(values: FloatArray) -> Estimate:
    """Mean of independent runs with its 95 % interval, fit for skewed values and few of them."""
    sample = Sample.of(values)
    return Estimate(sample.mean, *sample.interval())


def within_unit(share: Estimate) -> Estimate:
    """The interval of a share, which lies in [0, 1]; nan stays nan."""
    low, high = np.clip([share.low, share.high], 0.0, 1.0).tolist()
    return Estimate(share.mean, low, high)


def interval_of_moments(count: int, total: float, squares: float) -> Estimate:
    mean, low, high = curve_interval(count, np.array([total]), np.array([squares]))
    return Estimate(float(mean[0]), float(low[0]), float(high[0]))


def curve_interval(
    count: int, total: FloatArray, squares: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean and Student's interval of many quantities at once, from sums and sums of squares."""
    mean = total / count
    if count < 2:
        return mean, np.full_like(mean, np.nan), np.full_like(mean, np.nan)
    from scipy.special import stdtrit

    variance = np.maximum(squares - count * mean**2, 0.0) / (count - 1)
    half = stdtrit(count - 1, 0.975) * np.sqrt(variance / count)
    return mean, mean - half, mean + half


def share_interval(hits: float, count: float) -> Estimate:
    """A share with its 95 % Wilson interval."""
    z = 1.959963984540054
    share, scale = hits / count, 1 + z**2 / count
    centre = (share + z**2 / (2 * count)) / scale
    half = z / scale * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return Estimate(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)))
