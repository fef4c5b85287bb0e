"""Policies that keep a Beta posterior for every arm."""

from dataclasses import dataclass

import numpy as np

from spnb import params
from spnb.arrays import BoolArray, FloatArray, IntArray, grid, take
from spnb.policies.base import IndexPolicy, Stats, empty_stats, unpulled_first
from spnb.policies.implicit import ImplicitIndex
from spnb.setting import Setting


@dataclass(slots=True)
class SampleStats(Stats):
    sample: FloatArray  # [B, K] the latest draw from each posterior


@dataclass(frozen=True)
class TS(IndexPolicy[SampleStats]):
    """Thompson sampling: a draw from Beta(1+S, 1+N-S); rewards inside (0,1) by a trial."""

    def init(self, batch: int, setting: Setting) -> SampleStats:
        return SampleStats(*empty_stats(batch, setting.arms), sample=grid(batch, setting.arms))

    def refresh(self, state: SampleStats, rows: IntArray, rng: np.random.Generator) -> None:
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        draw = rng.beta(1 + sums, 1 + (pulls - sums))
        if len(rows) == len(state.sample):
            state.sample = draw
        else:
            state.sample[rows] = draw

    def index(self, state: SampleStats, rows: IntArray, clock: FloatArray) -> FloatArray:
        return unpulled_first(take(state.sample, rows), take(state.pulls, rows))

    def update(
        self,
        state: SampleStats,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        partial = (reward > 0) & (reward < 1)
        if partial.any():
            reward = reward.copy()
            reward[partial] = rng.random(partial.sum()) < reward[partial]
        state.add(rows, arm, reward)


@dataclass(slots=True)
class TailStats(Stats):
    slowdown: FloatArray  # [B] (ln horizon)^c


@dataclass(frozen=True)
class bUCB(ImplicitIndex[TailStats]):  # noqa: N801 - the paper's name
    """Bayes-UCB: the quantile of Beta(1+S, 1+N-S) at level 1 - 1/(t (ln horizon)^c)."""

    c: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        params.non_negative(self, "c")

    def init(self, batch: int, setting: Setting) -> TailStats:
        slowdown = np.log(setting.need_horizon(self)) ** self.c if self.c else 1.0
        return TailStats(*empty_stats(batch, setting.arms), slowdown=np.full(batch, slowdown))

    def bound(
        self,
        state: TailStats,
        pulls: FloatArray,
        sums: FloatArray,
        rows: IntArray,
        clock: FloatArray,
    ) -> FloatArray:
        from scipy.special import betaincinv

        # Through the mirrored Beta, so that a tail of 1e-9 is not lost beside 1.
        return 1 - betaincinv(1 + (pulls - sums), 1 + sums, self._tail(state, rows, clock))

    def passes(
        self,
        state: TailStats,
        pulls: FloatArray,
        sums: FloatArray,
        rows: IntArray,
        clock: FloatArray,
        level: FloatArray,
    ) -> BoolArray:
        from scipy.special import betainc

        survival = betainc(1 + (pulls - sums), 1 + sums, 1 - level)
        return survival >= self._tail(state, rows, clock)

    def _tail(self, state: TailStats, rows: IntArray, clock: FloatArray) -> FloatArray:
        return np.minimum(1 / (clock * state.slowdown[rows]), 1.0)
