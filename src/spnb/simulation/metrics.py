"""What is measured, as pure functions of what was pulled; each quantity is defined once."""

from dataclasses import dataclass

import numpy as np

from spnb import theory
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.play import Played, Worth


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval; the ends are nan where one run gives none."""

    mean: float
    low: float
    high: float

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
    best: int

    @classmethod
    def of(cls, means: FloatArray, best: int = 1, tolerance: float = 0.0) -> "Goal":
        bar = np.sort(means, axis=1)[:, [-best]]
        above, tied = means > bar, (means <= bar) & theory.as_good(means, bar, tolerance)
        pull = np.where(above, means, np.where(tied, bar, means - bar))
        places = best - above.sum(axis=1)
        full = np.where(above, means, 0.0).sum(axis=1) + places * bar[:, 0]
        return cls(Worth(pull, tied, places), above | tied, full, best)

    def regret(self, rounds: float | FloatArray, gained: FloatArray) -> FloatArray:
        """What was missed: the gap of every pull too many, the mean of every place left empty.

        Never negative, so what rounding leaves below zero is cut.
        """
        full = self.full if gained.ndim == 1 else self.full[:, None]
        return np.maximum(full * rounds - gained, 0.0)

    def optimal_share(self, played: Played) -> FloatArray:
        """Opt*: share of all pulls that went to a best arm, [B]; 0 where nothing was pulled."""
        hits = np.where(self.top, played.pulls, 0).sum(axis=1)
        return hits / np.maximum(played.pulls.sum(axis=1), 1)

    def optimal_rounds(self, played: Played, rounds: int) -> FloatArray:
        """Opti*: share of rounds in which a best arm was pulled (averaged over the places), [B]."""
        alone = np.where(self.top & ~self.worth.tied, played.pulls, 0).sum(axis=1)
        return (alone + played.shared) / (rounds * self.best)

    def wrong(self, answer: IntArray) -> FloatArray:
        """[B]: 1 where the recommended arm is not a best one."""
        return (~self.top[np.arange(len(answer)), answer]).astype(float)


def pulls_per_round(pulls: IntArray, rounds: int) -> FloatArray:
    """NPR over the whole run, [B]."""
    return pulls.sum(axis=1) / rounds


def mean_interval(values: FloatArray) -> Estimate:
    """Mean of independent runs with its 95 % Student interval."""
    return interval_of_moments(len(values), float(values.sum()), float((values**2).sum()))


def interval_of_moments(count: int, total: float, squares: float) -> Estimate:
    mean, low, high = curve_interval(count, np.array([total]), np.array([squares]))
    return Estimate(float(mean[0]), float(low[0]), float(high[0]))


def curve_interval(
    count: int, total: FloatArray, squares: FloatArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean, low and high of many quantities at once, from their sums and sums of squares."""
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
