"""Bernoulli arms whose means are known only from so many trials."""

from dataclasses import dataclass

import numpy as np

from spnb.base.errors import DataError
from spnb.base.words import shown
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import stream_keys, uniform
from spnb.problems.base import Worlds, as_numbers, checked_means
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
        trials = as_numbers("trials", self.trials)
        if trials.shape != (self.arms,) or not (trials >= 1).all():  # also refuses nan
            raise DataError(
                f"each of {self.arms} means needs trials >= 1, got {shown(self.trials)}"
            )
        object.__setattr__(self, "trials", tuple(self.trials))

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        return bernoulli_worlds(self.draw_means(seed, runs), seed, runs)

    def draw_means(self, seed: int, runs: IntArray) -> FloatArray:
        """[B, K]: means as they might be."""
        from scipy.special import betaincinv

        luck = uniform(stream_keys(seed, "means", runs)[:, None], np.arange(self.arms))
        hits = np.asarray(self.means) * self.trials
        return betaincinv(1 + hits, 1 + (np.asarray(self.trials) - hits), luck)
