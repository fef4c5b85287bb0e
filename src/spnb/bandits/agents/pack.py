"""Pack: spend a budget of pulls within a budget of rounds."""

from spnb.bandits.agents.base import Agent, AgentState
from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy
from spnb.bandits.policies.ucb import UCBE
from spnb.base import params
from spnb.engine import Count, Number, Setting, exp, log
from spnb.engine.maths import ceil, nan


class Budgets(AgentState):
    rounds_left: Number  # this round included
    rounds_behind: Number
    pulls_left: Number
    quota: Count  # pulls still to make in this round


class Pack(Agent):
    """Spend the pulls evenly over the rounds, on the best indices ahead.

    Each round gets ceil(pulls left / rounds left) of them. ``early`` gives the first rounds more,
    in proportion to round^(-2/3): at first many arms are in question, in the end two or three, and
    an arm can be pulled but once a round. Left out (0), ``pulls`` is the horizon and ``rounds``
    half of it, a third with ``early``.
    """

    policy: IndexPolicy = UCBE(plugin=True)
    rounds: int = param(default=0, rule=params.count)
    pulls: int = param(default=0, rule=params.count)
    early: bool = False

    State = Budgets

    @property
    def needs(self) -> tuple[str, ...]:
        told = () if self.rounds and self.pulls else ("horizon",)
        return (*told, *self.policy.needs)

    def start(self, s: Budgets, setting: Setting) -> None:
        self.policy.start(s.policy, setting)
        s.pulls_left = float(self.pulls) if self.pulls else setting.horizon
        share = 3.0 if self.early else 2.0
        s.rounds_left = float(self.rounds) if self.rounds else ceil(setting.horizon / share)
        self.toss(s)
        self.deal(s)

    def wanted(self, s: Budgets, start: int) -> int:
        p, arms = s.policy, len(s.policy.pulls)
        quota = min(s.quota, arms - start)
        if quota <= 0:
            return arms
        common = self.policy.common(p, p.total + 1.0)
        for arm in range(start, arms):
            p.room[arm] = self.policy.score(p, arm, common)
        # The first arm that fewer than `quota` of those still ahead surpass: nothing before it
        # can rank among them.
        surpassed = nan  # so often that no lower score needs a look; none is below nan
        for arm in range(start, arms):
            if p.room[arm] <= surpassed:
                continue
            better, other = 0, start
            while other < arms and better < quota:
                better += p.room[other] > p.room[arm]
                other += 1
            if better < quota:
                return arm
            surpassed = p.room[arm]
        return arms

    def pulled(self, s: Budgets, arm: int) -> None:
        s.pulls_left -= 1.0
        s.quota -= 1

    def next_round(self, s: Budgets) -> None:
        s.rounds_left -= 1.0
        s.rounds_behind += 1.0
        self.deal(s)
        self.policy.new_round(s.policy)
        self.toss(s)

    def toss(self, s: Budgets) -> None:
        self.policy.refresh(s.policy)

    def stopped(self, s: Budgets) -> bool:
        return s.pulls_left <= 0.0 or s.rounds_left <= 0.0

    def deal(self, s: Budgets) -> None:
        """Give the round its share of the pulls, rounded up."""
        if s.rounds_left <= 0.0:
            s.quota = 0
        elif self.early:
            behind = cube_root(s.rounds_behind)  # the integral of x^(-2/3), but for a factor
            now = cube_root(s.rounds_behind + 1.0) - behind
            rest = cube_root(s.rounds_behind + s.rounds_left) - behind
            s.quota = int(ceil(s.pulls_left * (now / rest)))
        else:
            s.quota = int(ceil(s.pulls_left / s.rounds_left))


def cube_root(x: float) -> float:
    return exp(log(x) / 3.0)
