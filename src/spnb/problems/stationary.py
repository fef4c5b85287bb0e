"""Problems whose arms pay independently, by the same law in every round."""

from dataclasses import dataclass, field

import numpy as np

from spnb import theory
from spnb.base import params
from spnb.base.errors import DataError
from spnb.engine.arrays import FloatArray, IntArray
from spnb.problems.base import HashWorld, Problem, World, checked_means, reward_keys


class KnownMeans(Problem):
    """A problem that knows the mean of each arm, and so all that theory says of it.

    The lower bounds use the Bernoulli divergence: exact for Bernoulli rewards.
    """

    means: tuple[float, ...]

    @property
    def arms(self) -> int:
        return len(self.means)

    @property
    def best(self) -> int:
        """a*, the first arm of the largest mean."""
        return int(np.argmax(self.means))

    @property
    def gaps(self) -> FloatArray:
        return theory.gaps(self.means)

    @property
    def h1(self) -> float:
        """Sum over suboptimal arms of 1/gap^2."""
        return float(theory.h1(self.means))

    @property
    def h2(self) -> float:
        return float(theory.h2(self.means))

    @property
    def lower_bound_constant(self) -> float:
        return float(theory.lower_bound_constant(self.means))

    @property
    def one_pull_constant(self) -> float:
        return float(theory.one_pull_constant(self.means))

    def spread(self, runs: IntArray) -> FloatArray:
        """The same means for every run."""
        return np.broadcast_to(np.asarray(self.means), (len(runs), self.arms))


class BernoulliWorld(HashWorld):
    """Rewards 0 and 1; every run may have means of its own."""

    def reward(self, rows: IntArray, round_: IntArray, arm: IntArray) -> FloatArray:
        luck = self.luck(rows, round_, arm)
        return (luck < self.means[rows, arm]).astype(float)


@dataclass(frozen=True)
class Bernoulli(KnownMeans):
    """Each pull pays 1 with the arm's mean as probability, else 0."""

    means: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means))

    def world(self, seed: int, runs: IntArray) -> World:
        return BernoulliWorld(self.spread(runs), reward_keys(seed, runs))


@dataclass(frozen=True)
class BetaRewards(KnownMeans):
    """Each pull pays a Beta variable of the arm's mean; ``concentration`` is its a + b."""

    means: tuple[float, ...]
    concentration: float = 4.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means))
        params.positive(self, "concentration")

    def world(self, seed: int, runs: IntArray) -> World:
        return BetaWorld(self.spread(runs), reward_keys(seed, runs), self.concentration)


@dataclass(frozen=True)
class BetaWorld(HashWorld):
    concentration: float

    def reward(self, rows: IntArray, round_: IntArray, arm: IntArray) -> FloatArray:
        from scipy.special import betaincinv

        mean, luck = self.means[rows, arm], self.luck(rows, round_, arm)
        proper = (mean > 0) & (mean < 1)
        inner = np.where(proper, mean, 0.5)
        value = betaincinv(self.concentration * inner, self.concentration * (1 - inner), luck)
        return np.where(proper, value, mean)


@dataclass(frozen=True)
class GaussianRewards(KnownMeans):
    """Each pull pays a normal variable clipped into [0, 1]; ``means`` are those after clipping."""

    centres: tuple[float, ...]
    sd: float = 0.2
    means: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        params.positive(self, "sd")
        centres = np.asarray(self.centres, dtype=float)
        if centres.ndim != 1 or centres.size == 0 or not np.isfinite(centres).all():
            raise DataError(f"centres must be at least 1 finite number, got {self.centres!r}")
        object.__setattr__(self, "centres", tuple(centres.tolist()))
        object.__setattr__(self, "means", tuple(_clipped_mean(centres, self.sd).tolist()))

    def world(self, seed: int, runs: IntArray) -> World:
        centres = np.asarray(self.centres)
        return GaussianWorld(self.spread(runs), reward_keys(seed, runs), centres, self.sd)


@dataclass(frozen=True)
class GaussianWorld(HashWorld):
    centres: FloatArray  # [K]
    sd: float

    def reward(self, rows: IntArray, round_: IntArray, arm: IntArray) -> FloatArray:
        from scipy.special import ndtri

        value = self.centres[arm] + self.sd * ndtri(self.luck(rows, round_, arm))
        return np.clip(value, 0.0, 1.0)


def _clipped_mean(centre: FloatArray, sd: float) -> FloatArray:
    """E[min(1, max(0, X))] of X normal."""
    from scipy.special import ndtr

    low, high = -centre / sd, (1 - centre) / sd
    density_drop = (np.exp(-(low**2) / 2) - np.exp(-(high**2) / 2)) / np.sqrt(2 * np.pi)
    inside = centre * (ndtr(high) - ndtr(low)) + sd * density_drop
    mean: FloatArray = inside + ndtr(-high)
    return np.clip(mean, 0.0, 1.0)
