"""Challenge: pull the leader, and every arm that may still prove better than it."""

from typing import Any, ClassVar

from spnb.bandits.agents.base import Agent, AgentState
from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy
from spnb.bandits.policies.kl import KLUCBPlus
from spnb.base import params
from spnb.engine import Count, Counts, Number, Setting, inf


class Challenging(AgentState):
    round: Number  # the clock: the current round, from 1
    waiting: Counts  # pulls of each arm whose reward is still to come
    bar: Number  # the posterior mean of the last leader; -1 while there are not enough
    leader: Count  # the last leader: the first arm that stands at the bar


class Challenge(Agent):
    """Pull the leading arm (or ``best`` of them) and all that may beat it.

    The leaders have the best posterior means (S+1)/(N+2). An arm may beat the last of them if its
    index under the policy, with the round as clock, is at least that leader's mean, or if its own
    mean is. An arm never pulled is always pulled.
    """

    policy: IndexPolicy = KLUCBPlus()
    best: int = param(default=1, rule=params.at_least_one)

    State = Challenging
    heeds_pulls: ClassVar[bool] = False

    def start(self, s: Any, setting: Setting) -> None:
        self.policy.start(s.policy, setting)
        s.round, s.bar = 1.0, -1.0

    def wanted(self, s: Any, start: int) -> int:
        p, leader = s.policy, s.leader
        rival = self.rival(s)
        for arm in range(start, len(p.pulls)):
            if p.pulls[arm] == 0:
                if s.waiting[arm] == 0:
                    return arm
            elif (
                p.posterior_mean(arm) >= s.bar
                or p.sums[arm] * p.pulls[leader] >= p.sums[leader] * p.pulls[arm]
                or self.challenges(s, arm, rival)
            ):
                return arm
        return len(p.pulls)

    def rival(self, s: Any) -> Any:
        """What all arms are held against that might beat the last leader, computed once."""
        return self.policy.rival(s.policy, s.leader, s.round)

    def challenges(self, s: Any, arm: int, rival: Any) -> bool:
        """Whether an arm that has a reward may still prove better than the rival."""
        return self.policy.beats(s.policy, arm, rival)

    def pulled(self, s: Challenging, arm: int) -> None:
        s.waiting[arm] += 1

    def observe(self, s: Challenging, arm: int, reward: float, trials: float) -> None:
        s.waiting[arm] -= 1
        self.found(s, arm, reward, trials)

    def lost(self, s: Challenging, arm: int) -> None:
        s.waiting[arm] -= 1

    def found(self, s: Challenging, arm: int, reward: float, trials: float) -> None:
        before = self.standing(s, arm)
        self.policy.learn(s.policy, arm, reward, trials)
        now = self.standing(s, arm)
        if now > s.bar or before >= s.bar or self.policy.shifts:
            self.rank(s)
        elif now == s.bar:
            s.leader = min(s.leader, arm)

    def next_round(self, s: Challenging) -> None:
        s.round += 1.0
        self.policy.new_round(s.policy)
        if self.policy.shifts:
            self.rank(s)
        self.toss(s)

    def toss(self, s: Challenging) -> None:
        self.policy.toss(s.policy, s.leader)

    def standing(self, s: Challenging, arm: int) -> float:
        """The posterior mean of an arm that has a reward; -1 of one that has none."""
        return s.policy.posterior_mean(arm) if s.policy.pulls[arm] > 0 else -1.0

    def rank(self, s: Challenging) -> None:
        """Find the bar and the last leader anew: only a change at the top calls for it."""
        standings, ranked, bar = s.policy.room, 0, inf
        for arm in range(len(standings)):
            standings[arm] = self.standing(s, arm)
        while ranked < self.best and ranked < len(standings):
            below, bar, tied = bar, -inf, 0
            for arm in range(len(standings)):
                standing = standings[arm]
                if bar < standing < below:
                    bar, s.leader, tied = standing, arm, 1
                elif standing == bar:
                    tied += 1
            s.bar, ranked = bar, ranked + tied
