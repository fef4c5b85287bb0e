"""What a problem is: arms in an order, and what each pays in every run and round."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from spnb.base.errors import DataError
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.randomness import Keys, stream_keys, uniform


@dataclass(frozen=True)
class World(ABC):
    """A problem with its dice thrown: what (run, round, arm) pays is fixed, pulled or not."""

    means: FloatArray  # [B, K]

    @abstractmethod
    def reward(self, rows: IntArray, round_: IntArray, arm: IntArray) -> FloatArray:
        """The reward of ``arm`` in ``round_`` of these runs."""

    def has_gaps(self) -> bool:
        """Whether some arm is missing from some round."""
        return False

    def offered(self, rows: IntArray, round_: IntArray, arm: IntArray) -> BoolArray:
        """Whether ``arm`` is offered at all in ``round_`` of these runs."""
        return np.ones(len(arm), dtype=bool)


@dataclass(frozen=True)
class HashWorld(World):
    """A world whose dice are a hash of (seed, run, round, arm): no table, any length."""

    keys: Keys  # [B]

    def luck(self, rows: IntArray, round_: IntArray, arm: IntArray) -> FloatArray:
        return uniform(self.keys[rows], round_ * self.means.shape[1] + arm)


class Problem(ABC):
    """Arms in the order in which a round offers them."""

    @property
    @abstractmethod
    def arms(self) -> int: ...

    @abstractmethod
    def world(self, seed: int, runs: IntArray) -> World:
        """What these runs face under this seed."""


def reward_keys(seed: int, runs: IntArray) -> Keys:
    return stream_keys(seed, "reward", runs)


def checked_means(means: object) -> tuple[float, ...]:
    """Means of at least one arm, each in [0, 1]."""
    try:
        array = np.asarray(means, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"means must be numbers in [0, 1], got {means!r}") from None
    if array.ndim != 1 or array.size == 0:
        raise DataError(f"means must be a list of at least 1 number, got {means!r}")
    for arm, mean in enumerate(array):
        if not 0 <= mean <= 1:  # also refuses nan
            raise DataError(f"mean of arm {arm} must lie in [0, 1], got {mean}")
    return tuple(array.tolist())
