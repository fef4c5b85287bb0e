"""UCB-E: exploration for identification, with a known or an estimated hardness."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from spnb.bandits.policies.base import (
    IndexPolicy,
    Kernel,
    Stats,
    empty_stats,
    fresh_arm,
    learn_reward,
    unpulled_first,
)
from spnb.bandits.policies.elimination import sr_phase_end
from spnb.bandits.policies.ucb import optimism
from spnb.base import params
from spnb.engine.arrays import FloatArray, IntArray, grid, largest, take
from spnb.engine.compiled import part
from spnb.engine.setting import Setting


@dataclass(slots=True)
class Scores(Stats):
    score: FloatArray  # [B, K] the index, which changes only for the arm that was pulled
    rate: FloatArray  # [B] a
    budget: FloatArray  # [B]
    phase: IntArray  # [B] phase ends of SR behind us (adaptive only)
    due: FloatArray  # [B] pulls at which H is estimated next (adaptive only)


class UCBEMind(NamedTuple):
    pulls: FloatArray
    sums: FloatArray
    total: FloatArray
    score: FloatArray
    rate: FloatArray
    random_ties: bool


@dataclass(frozen=True)
class UCBE(IndexPolicy[Scores]):
    """mean + sqrt(a/N), a = c budget/H1; H1 is an oracle's, or estimated.

    H1 is oracle knowledge that only a simulation has; ``adaptive`` estimates it from the rewards
    at the phase ends of Successive Rejects, and so works live.
    """

    c: float = field(default=2.0, metadata={"shown": True})
    adaptive: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        params.positive(self, "c")
        params.flag(self, "adaptive")

    def init(self, batch: int, setting: Setting) -> Scores:
        budget = np.full(batch, float(setting.need_horizon(self)))
        arms = setting.arms
        hardness = np.full(batch, float(arms)) if self.adaptive else setting.need_hardness(self)
        state = Scores(
            *empty_stats(batch, arms),
            score=grid(batch, arms) + np.inf,
            rate=self._rate(budget, hardness),
            budget=budget,
            phase=np.zeros(batch, dtype=np.intp),
            due=np.full(batch, np.inf),
        )
        if self.adaptive and arms > 1:
            first = sr_phase_end(budget, arms, np.ones(batch, dtype=np.intp))
            state.due[:] = arms * first
        return state

    def index(self, state: Scores, rows: IntArray, clock: FloatArray) -> FloatArray:
        return take(state.score, rows)

    def update(
        self,
        state: Scores,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        state.add(rows, arm, reward)
        pulls, sums = state.pulls[rows, arm], state.sums[rows, arm]
        state.score[rows, arm] = optimism(pulls, sums, take(state.rate, rows))
        if self.adaptive:
            self._estimate(state, rows[state.total[rows] >= state.due[rows]])

    def kernel(self) -> Kernel | None:
        return None if self.adaptive else Kernel(self._mind, learn_ucbe, choose=choose_ucbe)

    def _mind(self, state: Scores) -> UCBEMind:
        return UCBEMind(
            state.pulls, state.sums, state.total, state.score, state.rate, self.ties == "random"
        )

    def _estimate(self, state: Scores, rows: IntArray) -> None:
        """Estimate H at the phase ends of Successive Rejects (Audibert & Bubeck 2010)."""
        while rows.size:
            arms = state.pulls.shape[1]
            state.phase[rows] += 1
            phase = state.phase[rows]
            hardness = estimated_hardness(state.means(rows), phase)
            state.rate[rows] = self._rate(state.budget[rows], hardness)
            pulls = state.pulls[rows]
            rate = state.rate[rows][:, None]
            score = optimism(np.maximum(pulls, 1), state.sums[rows], rate)
            state.score[rows] = unpulled_first(score, pulls)
            now = sr_phase_end(state.budget[rows], arms, phase)
            later = sr_phase_end(state.budget[rows], arms, phase + 1)
            more = state.due[rows] + (arms - phase) * (later - now)
            state.due[rows] = np.where(phase < arms - 1, more, np.inf)
            rows = rows[state.total[rows] >= state.due[rows]]

    def _rate(self, budget: FloatArray, hardness: FloatArray) -> FloatArray:
        # No suboptimal arm (H1 = 0) or a tie (H1 = inf): nothing to explore.
        known = (hardness > 0) & np.isfinite(hardness)
        return np.where(known, self.c * budget / np.where(known, hardness, 1.0), 0.0)


@part
def choose_ucbe(mind: UCBEMind, run: int, rng: np.random.Generator) -> int:
    fresh = fresh_arm(mind, run)
    if fresh < mind.score.shape[1]:
        return fresh
    return largest(mind.score[run], mind.random_ties, rng)


@part
def learn_ucbe(mind: UCBEMind, run: int, arm: int, reward: float) -> None:
    learn_reward(mind, run, arm, reward)
    mind.score[run, arm] = optimism(mind.pulls[run, arm], mind.sums[run, arm], mind.rate[run])


def estimated_hardness(means: FloatArray, phase: IntArray) -> FloatArray:
    """max over i = K-k+1..K of i / gap_(i)^2, gaps in increasing order; infinite on a tie."""
    arms = means.shape[1]
    gaps = np.sort(means.max(axis=1)[:, None] - means, axis=1)
    rank = np.arange(1, arms + 1)
    with np.errstate(divide="ignore"):
        terms = rank / gaps**2
    return np.where(rank >= (arms - phase + 1)[:, None], terms, 0.0).max(axis=1)
