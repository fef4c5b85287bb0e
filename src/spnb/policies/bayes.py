"""Policies that keep a Beta posterior for every arm."""

from dataclasses import dataclass

import numpy as np

from spnb import params
from spnb.arrays import BoolArray, FloatArray, IntArray, grid, take
from spnb.divergence import kl_short
from spnb.policies.base import IndexPolicy, Stats, empty_stats
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
        draw = rng.beta(1 + sums.T, 1 + (pulls - sums).T).T  # column order, as in `grid`
        if len(rows) == len(state.sample):
            state.sample = draw
        else:
            state.sample[rows] = draw

    def index(self, state: SampleStats, rows: IntArray, clock: FloatArray) -> FloatArray:
        return np.where(take(state.pulls, rows) == 0, np.inf, take(state.sample, rows))

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

    def nats(
        self, state: TailStats, pulls: FloatArray, rows: IntArray, clock: FloatArray
    ) -> FloatArray:
        return np.maximum(np.log(clock * state.slowdown[rows]), 0.0)

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
        tail = np.exp(-self.nats(state, pulls, rows, clock))
        return 1 - betaincinv(1 + (pulls - sums), 1 + sums, tail)

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

        nats = self.nats(state, pulls, rows, clock)
        # Chernoff's bound on a Beta tail, exp(-(N+2) kl(posterior mean, level)), is cheap and
        # rules most arms out; only the rest need the exact tail.
        size = pulls + 2
        passed = size * kl_short((sums + 1) / size, level) <= nats
        close = np.nonzero(passed)
        n, s, q, tail = (
            np.broadcast_to(x, passed.shape)[close] for x in (pulls, sums, level, np.exp(-nats))
        )
        passed[close] = betainc(1 + (n - s), 1 + s, 1 - q) >= tail
        return passed
