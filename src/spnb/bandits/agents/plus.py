"""Elimination made for rounds: every arm still in question is pulled in every round."""

from typing import ClassVar

from spnb.bandits.agents.base import Agent, AgentState


class Plus(Agent):
    """Written X+: every arm that policy X still has in question, each round."""

    heeds_pulls: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"{self.policy.name()}+{self.policy.arguments()}"

    def wanted(self, s: AgentState, start: int) -> int:
        arm = start
        while arm < len(s.policy.pulls) and not self.policy.active(s.policy, arm):
            arm += 1
        return arm
