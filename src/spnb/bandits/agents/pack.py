"""Pack: spend a budget of pulls evenly over a budget of rounds."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from spnb.bandits.agents.base import Agent, AgentState
from spnb.bandits.policies.base import IndexPolicy
from spnb.bandits.policies.ucbe import UCBE
from spnb.base import params
from spnb.engine.arrays import BoolArray, FloatArray, IntArray, first_from, take
from spnb.engine.setting import Setting


@dataclass(slots=True)
class Budgets(AgentState):
    rounds_left: FloatArray  # [B] this round included
    pulls_left: FloatArray  # [B]
    quota: FloatArray  # [B] pulls still to make in this round


@dataclass(frozen=True)
class Pack(Agent[Budgets]):
    """Spend the pulls evenly over the rounds, on the best indices ahead.

    Each round gets ceil(pulls left / rounds left) of them. Left out, ``pulls`` is the horizon and
    ``rounds`` half of it.
    """

    policy: IndexPolicy[Any] = UCBE()
    rounds: int | None = None
    pulls: int | None = None

    def __post_init__(self) -> None:
        params.kind(self, "policy", IndexPolicy, "a policy with an index")
        for name in ("rounds", "pulls"):
            if getattr(self, name) is not None:
                params.whole(self, name, least=1)

    def init(self, batch: int, setting: Setting, rng: np.random.Generator) -> Budgets:
        pulls = self.pulls or setting.need_horizon(self)
        rounds = self.rounds or (setting.need_horizon(self) + 1) // 2
        state = Budgets(
            self.policy.init(batch, setting),
            rounds_left=np.full(batch, float(rounds)),
            pulls_left=np.full(batch, float(pulls)),
            quota=np.zeros(batch),
        )
        self._deal(state, np.arange(batch))
        return state

    def next_wanted(self, state: Budgets, rows: IntArray, start: IntArray) -> IntArray:
        policy, quota = state.policy, take(state.quota, rows)
        arms = policy.pulls.shape[1]
        index = self.policy.index(policy, rows, take(policy.total, rows) + 1)
        ahead = np.arange(arms) >= start[:, None]
        # The first arm wanted is the first of the `quota` best still ahead: all of those lie at
        # or behind it, and nothing before it can rank among them.
        ranked = np.sort(np.where(ahead, index, -np.inf), axis=1)
        place = np.clip(arms - quota, 0, arms - 1).astype(np.intp)
        bar = ranked[np.arange(len(rows)), place]
        return first_from((index >= bar[:, None]) & (quota > 0)[:, None], start)

    def pulled(self, state: Budgets, rows: IntArray, arm: IntArray) -> None:
        state.pulls_left[rows] -= 1
        state.quota[rows] -= 1

    def next_round(self, state: Budgets, rows: IntArray, rng: np.random.Generator) -> None:
        state.rounds_left[rows] -= 1
        self._deal(state, rows)
        self.policy.refresh(state.policy, rows, rng)

    def stopped(self, state: Budgets, rows: IntArray) -> BoolArray:
        return (take(state.pulls_left, rows) <= 0) | (take(state.rounds_left, rows) <= 0)

    def _deal(self, state: Budgets, rows: IntArray) -> None:
        rounds, pulls = state.rounds_left[rows], state.pulls_left[rows]
        state.quota[rows] = np.where(rounds > 0, np.ceil(pulls / np.maximum(rounds, 1)), 0.0)
