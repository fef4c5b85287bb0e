"""Problems whose arms pay independently, by the same law in every round."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spnb import theory
from spnb.base import params
from spnb.base.errors import DataError
from spnb.base.words import shown
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import Dice, unit
from spnb.engine.maths import normal_quantile
from spnb.engine.state import Arms
from spnb.problems.base import Faced, Problem, World, Worlds, as_numbers, checked_means, reward_keys

MOST_TRIALS = 1_000_000  # of a pull


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


class BernoulliWorld(World):
    """Rewards 0 and 1; every run may have means of its own."""

    def reward(self, w: Faced, round_: int, arm: int) -> float:
        return 1.0 if self.luck(w, round_, arm) < w.means[arm] else 0.0


@dataclass(frozen=True)
class Bernoulli(KnownMeans):
    """Each pull pays 1 with the arm's mean as probability, else 0."""

    means: tuple[float, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means))

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        return bernoulli_worlds(self.spread(runs), seed, runs)


def bernoulli_worlds(means: FloatArray, seed: int, runs: IntArray) -> Worlds:
    """Bernoulli arms of these means [B, K]."""
    return Worlds.of(BernoulliWorld(), means, key=reward_keys(seed, runs))


class Counted(Faced):
    shows: Arms  # trials of a pull


class CountsWorld(World):
    """A pull is so many trials at once, each paid by chance as in a Bernoulli world."""

    State = Counted

    def trials(self, w: Counted, round_: int, arm: int) -> float:
        return w.shows[arm]

    def reward(self, w: Counted, round_: int, arm: int) -> float:
        wins, first = 0.0, (round_ * len(w.means) + arm) << 20
        for trial in range(int(w.shows[arm])):
            if unit(w.key, first + trial) < w.means[arm]:
                wins += 1.0
        return wins


@dataclass(frozen=True)
class CountRewards(KnownMeans):
    """Each pull brings ``trials`` chances (impressions), each a success with the arm's mean."""

    means: tuple[float, ...]
    trials: int | tuple[int, ...] = 100

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means))
        trials: Any = self.trials
        if isinstance(trials, np.ndarray):
            trials = trials.tolist()
        given = trials if isinstance(trials, Sequence) else [trials] * self.arms
        if len(given) != self.arms or not all(_is_count(each) for each in given):
            raise DataError(
                f"trials must be a whole number from 1 to {MOST_TRIALS}, or one for each of "
                f"{self.arms} arms, got {self.trials!r}"
            )
        object.__setattr__(self, "trials", tuple(given))

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        shows = np.broadcast_to(np.asarray(self.trials, dtype=float), (len(runs), self.arms))
        means, keys = self.spread(runs), reward_keys(seed, runs)
        return Worlds.of(CountsWorld(), means, key=keys, shows=shows)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_TRIALS


class Shaken(Faced):
    dice: Dice


class BetaWorld(World):
    """Beta rewards; ``concentration`` is a + b."""

    concentration: float

    State = Shaken

    def reward(self, w: Shaken, round_: int, arm: int) -> float:
        mean = w.means[arm]
        if mean <= 0.0 or mean >= 1.0:
            return mean
        # Dice of this round and arm alone: 256 numbers, far more than a draw needs.
        w.dice.key, w.dice.drawn = w.key, (round_ * len(w.means) + arm) << 8
        return w.dice.beta(self.concentration * mean, self.concentration * (1.0 - mean))


@dataclass(frozen=True)
class BetaRewards(KnownMeans):
    """Each pull pays a Beta variable of the arm's mean; ``concentration`` is its a + b."""

    means: tuple[float, ...]
    concentration: float = 4.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means))
        params.positive(self, "concentration")

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        law = BetaWorld(float(self.concentration))
        return Worlds.of(law, self.spread(runs), key=reward_keys(seed, runs))


class Centred(Faced):
    centres: Arms  # before clipping


class GaussianWorld(World):
    """Normal rewards clipped into [0, 1]."""

    sd: float

    State = Centred

    def reward(self, w: Centred, round_: int, arm: int) -> float:
        value = w.centres[arm] + self.sd * normal_quantile(self.luck(w, round_, arm))
        return min(max(value, 0.0), 1.0)


@dataclass(frozen=True)
class GaussianRewards(KnownMeans):
    """Each pull pays a normal variable clipped into [0, 1]; ``means`` are those after clipping."""

    centres: tuple[float, ...]
    sd: float = 0.2
    means: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        params.positive(self, "sd")
        centres = as_numbers("centres", self.centres)
        if centres.ndim != 1 or centres.size == 0 or not np.isfinite(centres).all():
            raise DataError(f"centres must be at least 1 finite number, got {shown(self.centres)}")
        object.__setattr__(self, "centres", tuple(centres.tolist()))
        object.__setattr__(self, "means", tuple(_clipped_mean(centres, self.sd).tolist()))

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        centres = np.broadcast_to(np.asarray(self.centres), (len(runs), self.arms))
        law, keys = GaussianWorld(float(self.sd)), reward_keys(seed, runs)
        return Worlds.of(law, self.spread(runs), key=keys, centres=centres)


def _clipped_mean(centre: FloatArray, sd: float) -> FloatArray:
    """E[min(1, max(0, X))] of X normal."""
    from scipy.special import ndtr

    low, high = -centre / sd, (1 - centre) / sd
    density_drop = (np.exp(-(low**2) / 2) - np.exp(-(high**2) / 2)) / np.sqrt(2 * np.pi)
    inside = centre * (ndtr(high) - ndtr(low)) + sd * density_drop
    mean: FloatArray = inside + ndtr(-high)
    return np.clip(mean, 0.0, 1.0)
