"""Policies that keep a Beta posterior for every arm: its upper quantile, or a draw from it."""

from dataclasses import dataclass

import numpy as np

from spnb import params
from spnb.arrays import BoolArray, FloatArray, IntArray, grid, take, true_cells
from spnb.policies.base import IndexPolicy, Stats, empty_stats
from spnb.policies.likelihood import Evidence, LikelihoodIndex
from spnb.setting import Setting


@dataclass(slots=True)
class SlowEvidence(Evidence):
    slowdown: FloatArray  # [B] ln of (ln horizon)^c


@dataclass(frozen=True)
class bUCB(LikelihoodIndex[SlowEvidence]):  # noqa: N801 - the paper's name
    """Bayes-UCB: Beta(1+S, 1+N-S) at level 1 - 1/(t (ln horizon)^c).

    The tail beyond the index has probability exp(-nats). Chernoff's bound on a Beta tail is the
    likelihood test of the family, so the exact tail is computed only where that is passed.
    """

    prior = 1.0

    c: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        params.non_negative(self, "c")

    def init(self, batch: int, setting: Setting) -> SlowEvidence:
        slow = 0.0
        if self.c:
            slow = self.c * np.log(max(np.log(setting.need_horizon(self)), 1.0))
        return SlowEvidence(*self.evidence(batch, setting), slowdown=np.full(batch, slow))

    def nats(self, state: SlowEvidence, rows: IntArray, clock: FloatArray) -> FloatArray:
        return (np.log(clock) + take(state.slowdown, rows))[:, None]

    def invert(self, wins: FloatArray, losses: FloatArray, nats: FloatArray) -> FloatArray:
        from scipy.special import betaincinv

        # Through the mirrored Beta, so that a tail of 1e-9 is not lost beside 1.
        return 1 - betaincinv(1 + losses, 1 + wins, np.exp(-nats))

    def confirm(
        self,
        passed: BoolArray,
        state: SlowEvidence,
        rows: IntArray,
        nats: FloatArray,
        level: FloatArray,
    ) -> BoolArray:
        from scipy.special import betainc

        line, arm = true_cells(passed)
        pulls, sums = state.pulls[rows[line], arm], state.sums[rows[line], arm]
        tail = np.exp(-np.broadcast_to(nats, passed.shape)[line, arm])
        passed[line, arm] = betainc(1 + (pulls - sums), 1 + sums, 1 - level[line]) >= tail
        return passed


@dataclass(slots=True)
class SampleStats(Stats):
    sample: FloatArray  # [B, K] the latest draw from each posterior


@dataclass(frozen=True)
class TS(IndexPolicy[SampleStats]):
    """Thompson sampling: a draw from Beta(1+S, 1+N-S).

    A reward inside (0, 1) becomes 0 or 1 by a trial.
    """

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
