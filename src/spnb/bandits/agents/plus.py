"""Elimination made for rounds: every arm still in question is pulled in every round."""

from dataclasses import dataclass

import numpy as np

from spnb.bandits.agents.base import Agent, AgentState
from spnb.bandits.policies.base import Policy
from spnb.base import params
from spnb.engine.arrays import IntArray, first_from
from spnb.engine.setting import Setting


@dataclass(frozen=True)
class Plus(Agent[AgentState]):
    """Written X+: every arm that policy X still has in question, each round."""

    def __post_init__(self) -> None:
        params.kind(self, "policy", Policy, "a policy that keeps a set of active arms")

    def __str__(self) -> str:
        return f"{self.policy.name()}+{self.policy.arguments()}"

    def init(self, batch: int, setting: Setting, rng: np.random.Generator) -> AgentState:
        return AgentState(self.policy.init(batch, setting))

    def next_wanted(self, state: AgentState, rows: IntArray, start: IntArray) -> IntArray:
        return first_from(self.policy.active(state.policy, rows), start)
