"""Bernoulli arms whose means are known only from so many trials."""

from dataclasses import dataclass

import numpy as np

from spnb.base.errors import DataError
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import stream_keys, uniform
from spnb.problems.base import Worlds, checked_means
from spnb.problems.stationary import KnownMeans, bernoulli_worlds


@dataclass(frozen=True)
class Estimated(KnownMeans):
    """Every run has means of its own, drawn from what the trials leave possible.

    After ``trials`` events of mean ``means`` the true one has a Beta(1 + hits, 1 + misses) law.
    """

    means: tuple[float, ...]
    trials: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "means", checked_means(self.means))
        object.__setattr__(self, "trials", tuple(self.trials))
        if len(self.trials) != self.arms or min(self.trials) < 1:
            raise DataError(f"each of {self.arms} means needs trials >= 1, got {self.trials}")

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        return bernoulli_worlds(self.draw_means(seed, runs), seed, runs)

    def draw_means(self, seed: int, runs: IntArray) -> FloatArray:
        """[B, K]: means as they might be."""
        from scipy.special import betaincinv

        luck = uniform(stream_keys(seed, "means", runs)[:, None], np.arange(self.arms))
        hits = np.asarray(self.means) * self.trials
        return betaincinv(1 + hits, 1 + (np.asarray(self.trials) - hits), luck)
