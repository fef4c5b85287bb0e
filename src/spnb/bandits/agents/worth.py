"""Worth: every arm against the cost of a pull, not against the other arms."""

from typing import ClassVar

from spnb.bandits.agents.base import Agent, AgentState
from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy
from spnb.bandits.policies.kl import KLUCBPlus
from spnb.base import params
from spnb.base.errors import SpecError
from spnb.engine import Counts, Number, Setting


class Weighing(AgentState):
    round: Number  # the clock: the current round, from 1
    waiting: Counts  # pulls of each arm whose reward is still to come


class Worth(Agent):
    """Pull whatever may be worth more than a pull costs.

    An arm is pulled if it was never pulled, or if its index under the policy, with the round as
    clock, is at least ``cost``, or its own mean is. The aim is to pull, day after day, exactly the
    arms whose mean is above the cost: ``simulate(..., cost=...)`` measures the regret of that.
    """

    policy: IndexPolicy = KLUCBPlus()
    cost: float = param(default=0.5, rule=params.share, shown=True)

    State = Weighing
    heeds_pulls: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.policy.of_rewards:
            raise SpecError(
                f"Worth.policy must have an index on the scale of rewards, got {self.policy}"
            )

    def start(self, s: Weighing, setting: Setting) -> None:
        self.policy.start(s.policy, setting)
        s.round = 1.0
        self.toss(s)

    def wanted(self, s: Weighing, start: int) -> int:
        p = s.policy
        rival = self.policy.against(p, self.cost, s.round)
        for arm in range(start, len(p.pulls)):
            if p.pulls[arm] == 0:
                if s.waiting[arm] == 0:
                    return arm
            elif p.sums[arm] >= self.cost * p.pulls[arm] or self.policy.beats(p, arm, rival):
                return arm
        return len(p.pulls)

    def pulled(self, s: Weighing, arm: int) -> None:
        s.waiting[arm] += 1

    def observe(self, s: Weighing, arm: int, reward: float, trials: float) -> None:
        s.waiting[arm] -= 1
        self.policy.learn(s.policy, arm, reward, trials)

    def lost(self, s: Weighing, arm: int) -> None:
        s.waiting[arm] -= 1

    def next_round(self, s: Weighing) -> None:
        s.round += 1.0
        self.policy.new_round(s.policy)
        self.toss(s)

    def toss(self, s: Weighing) -> None:
        self.policy.refresh(s.policy)
