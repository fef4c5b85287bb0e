"""Agents that pull the arm a policy chose: once a round, or as often as it comes by."""

from typing import ClassVar

from spnb.bandits.agents.base import Agent, AgentState
from spnb.engine import Count, Flag, Setting


class Following(AgentState):
    target: Count  # the arm the policy chose
    waiting: Flag  # the target was pulled and its reward is still to come
    spent: Flag  # this round's one pull is made (Once)


class Seq(Agent):
    """The paper's way: pull the target as soon as it is offered, go on.

    Given the same rewards pull by pull, it pulls exactly the sequence its policy pulls.
    """

    State = Following
    one_pull: ClassVar[bool] = False

    def start(self, s: Following, setting: Setting) -> None:
        self.policy.start(s.policy, setting)
        s.target = self.policy.choose(s.policy)

    def wanted(self, s: Following, start: int) -> int:
        if s.waiting or s.spent or s.target < start:
            return len(s.policy.pulls)
        return s.target

    def pulled(self, s: Following, arm: int) -> None:
        s.waiting, s.spent = True, self.one_pull

    def observe(self, s: Following, arm: int, reward: float, trials: float) -> None:
        s.waiting = False
        self.found(s, arm, reward, trials)

    def lost(self, s: Following, arm: int) -> None:
        # Nothing was learnt, so the choice stands: the target is pulled again when it comes by.
        s.waiting = False

    def found(self, s: Following, arm: int, reward: float, trials: float) -> None:
        self.policy.learn(s.policy, arm, reward, trials)
        # Whoever waits for another reward goes on waiting; the others choose with what is new.
        if not s.waiting:
            s.target = self.policy.choose(s.policy)

    def next_round(self, s: Following) -> None:
        s.spent = False

    def join(self, s: Following, start: int, arm: int) -> None:
        # An arm that was not offered yet need not be waited for if one ahead is known just alike.
        pulls, sums, target = s.policy.pulls, s.policy.sums, s.target
        while target < start and s.target == target and arm < len(pulls):
            if pulls[arm] == pulls[target] and sums[arm] == sums[target]:
                s.target = arm
            arm += 1

    def awaited(self, s: Following) -> int:
        return s.target if s.waiting else -1


class Once(Seq):
    """The policy as it is: one pull a round (a bare policy means this)."""

    one_pull: ClassVar[bool] = True

    def __str__(self) -> str:
        return str(self.policy)  # as in the paper: a bare policy
