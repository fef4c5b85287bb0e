"""The paper's random problems: uniform means with a gap of exactly 0.1 below the best."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from spnb.base import params
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import stream_keys, uniform
from spnb.problems.stationary import DrawnMeans

GAP = 0.1


@dataclass(frozen=True)
class Synthetic(DrawnMeans):
    """A new Bernoulli problem for every run.

    All means but the best are uniform on [0, 0.9] and the best is their maximum + 0.1, the law of
    uniform means given a smallest gap of 0.1. ``order="authors"`` offers the best arm first, as
    the authors' scripts do; by default it may stand anywhere.
    """

    arms: int = 25
    order: Literal["random", "authors"] = "random"

    def __post_init__(self) -> None:
        params.whole(self, "arms", least=2)
        params.one_of(self, "order", ("random", "authors"))

    def draw_means(self, seed: int, runs: IntArray) -> FloatArray:
        keys = stream_keys(seed, "means", runs)
        luck = uniform(keys[:, None], np.arange(self.arms))
        rest = (1 - GAP) * luck[:, 1:]
        means = np.column_stack([rest.max(axis=1) + GAP, rest])
        if self.order == "random":
            each, place = np.arange(len(runs)), (luck[:, 0] * self.arms).astype(np.intp)
            means[each, 0], means[each, place] = means[each, place], means[each, 0]
        return means
