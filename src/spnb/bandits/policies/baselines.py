"""Policies to be beaten."""

from dataclasses import dataclass, field

import numpy as np

from spnb.bandits.policies.base import IndexPolicy, Policy, Stats, empty_stats, unpulled_first
from spnb.base import params
from spnb.engine.arrays import FloatArray, IntArray, argmax, take
from spnb.engine.setting import Setting


@dataclass(frozen=True)
class Greedy(IndexPolicy[Stats]):
    """Always the best empirical mean."""

    def init(self, batch: int, setting: Setting) -> Stats:
        return Stats(*empty_stats(batch, setting.arms))

    def index(self, state: Stats, rows: IntArray, clock: FloatArray) -> FloatArray:
        return unpulled_first(state.means(rows), take(state.pulls, rows))


@dataclass(frozen=True)
class EpsGreedy(Policy[Stats]):
    """The best empirical mean, but any arm with probability eps."""

    eps: float = field(default=0.1, metadata={"shown": True})

    def __post_init__(self) -> None:
        super().__post_init__()
        params.share(self, "eps")

    def init(self, batch: int, setting: Setting) -> Stats:
        return Stats(*empty_stats(batch, setting.arms))

    def choose(self, state: Stats, rows: IntArray, rng: np.random.Generator) -> IntArray:
        pulls = take(state.pulls, rows)
        arm = argmax(unpulled_first(state.means(rows), pulls), self.ties, rng)
        explore = (rng.random(len(rows)) < self.eps) & (pulls > 0).all(axis=1)
        arm[explore] = rng.integers(pulls.shape[1], size=explore.sum())
        return arm


@dataclass(frozen=True)
class Uniform(Policy[Stats]):
    """Any arm, each as likely as the others."""

    def init(self, batch: int, setting: Setting) -> Stats:
        return Stats(*empty_stats(batch, setting.arms))

    def choose(self, state: Stats, rows: IntArray, rng: np.random.Generator) -> IntArray:
        fresh = take(state.pulls, rows) == 0
        arm: IntArray = fresh.argmax(axis=1)
        seen = np.flatnonzero(~fresh.any(axis=1))
        if seen.size:
            arm[seen] = rng.integers(fresh.shape[1], size=seen.size)
        return arm
