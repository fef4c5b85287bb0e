"""What is measured, as pure functions of what was pulled; each quantity is defined once."""

from dataclasses import dataclass

import numpy as np

from spnb.engine.arrays import BoolArray, FloatArray, IntArray


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


def top_arms(means: FloatArray, best: int = 1) -> BoolArray:
    """[B, K]: the ``best`` arms of largest mean; equal means go to the lower position."""
    order = np.argsort(-means, axis=1, kind="stable")
    top = np.zeros(means.shape, dtype=bool)
    np.put_along_axis(top, order[:, :best], True, axis=1)
    return top


def pull_worth(means: FloatArray, best: int = 1) -> FloatArray:
    """[B, K]: what one pull saves in regret: mu_i for a top arm, mu_i - mu_L (<= 0) otherwise."""
    top = top_arms(means, best)
    bar = np.where(top, means, np.inf).min(axis=1)
    return np.where(top, means, means - bar[:, None])


def full_worth(means: FloatArray, best: int = 1) -> FloatArray:
    """[B]: what a round is worth in which exactly the top arms are pulled."""
    return np.where(top_arms(means, best), means, 0.0).sum(axis=1)


def regret_after(full: FloatArray, rounds: FloatArray, gain: FloatArray) -> FloatArray:
    """Regret from the worth of full rounds and that of the pulls made.

    The gap of every pull of another arm, plus the mean of every top arm for each round that
    missed it: never negative, so what rounding leaves below zero is cut.
    """
    return np.maximum(full * rounds - gain, 0.0)


def regret(means: FloatArray, pulls: IntArray, rounds: int, best: int = 1) -> FloatArray:
    """[B]: regret of runs that pulled each arm so often in so many rounds."""
    gain = (pull_worth(means, best) * pulls).sum(axis=1)
    return regret_after(full_worth(means, best), np.asarray(float(rounds)), gain)


def pulls_per_round(pulls: IntArray, rounds: int) -> FloatArray:
    """NPR over the whole run, [B]."""
    return pulls.sum(axis=1) / rounds


def optimal_share(means: FloatArray, pulls: IntArray, best: int = 1) -> FloatArray:
    """Opt*: share of all pulls that went to a top arm, [B]; 0 where nothing was pulled."""
    hits = np.where(top_arms(means, best), pulls, 0).sum(axis=1)
    return hits / np.maximum(pulls.sum(axis=1), 1)


def optimal_rounds(means: FloatArray, pulls: IntArray, rounds: int, best: int = 1) -> FloatArray:
    """Opti*: share of rounds in which a top arm was pulled (averaged over them), [B]."""
    top = top_arms(means, best)
    return np.where(top, pulls, 0).sum(axis=1) / (rounds * top.sum(axis=1))


def wrong(means: FloatArray, answer: IntArray) -> FloatArray:
    """[B]: 1 where the recommended arm is not of the largest mean."""
    each = np.arange(len(answer))
    return (means[each, answer] < means.max(axis=1)).astype(float)


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


def share_interval(hits: float, count: int) -> Estimate:
    """A share with its 95 % Wilson interval."""
    z = 1.959963984540054
    share, scale = hits / count, 1 + z**2 / count
    centre = (share + z**2 / (2 * count)) / scale
    half = z / scale * np.sqrt(share * (1 - share) / count + z**2 / (4 * count**2))
    return Estimate(share, max(0.0, float(centre - half)), min(1.0, float(centre + half)))
