"""Policies that ask which arms exceed a level: the answer is a set of arms."""

from typing import Any

from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy, Policy, Stats
from spnb.bandits.policies.kl import Likelihood
from spnb.base import params
from spnb.engine import Count, Flags, Setting, log, log1p, sqrt


class APT(IndexPolicy):
    """Which arms exceed a level? Pull the one that is hardest to place.

    The least sqrt(N) (abs(m - level) + eps) is pulled: an arm near the level, or little known
    (Locatelli, Gutzeit & Carpentier 2016). The answer is the set of arms of a mean above the level.
    """

    level: float = param(rule=params.inside_unit)
    eps: float = param(default=0.0, rule=params.non_negative)

    of_rewards = False

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return -sqrt(pulls) * (abs(sums / pulls - self.level) + self.eps)

    def accepts(self, s: Stats, arm: int) -> bool:
        return s.sums[arm] > self.level * s.pulls[arm]


class Sides(Likelihood):
    placed: Flags  # arms whose interval lies on one side of the level
    left: Count  # how many others there are


class Placing(Policy):
    """Every arm is in question while the interval of its mean straddles the level.

    The interval holds all q with N kl(m, q) <= ln(2 sqrt(N) K/delta): with probability 1 - delta it
    holds every arm's true mean at any time (the argument of the stop rule, arm by arm).
    """

    level: float = param(rule=params.inside_unit)
    delta: float = param(default=0.05, rule=params.inside_unit)

    State = Sides

    def start(self, s: Sides, setting: Setting) -> None:
        s.left = len(s.pulls)

    def learn(self, s: Sides, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward, trials)
        s.refit(arm)
        wins, pulls = s.sums[arm], s.pulls[arm]
        away = s.fit[arm] - wins * log(self.level) - (pulls - wins) * log1p(-self.level)
        placed = away > log(2.0 * sqrt(pulls) * len(s.pulls) / self.delta)
        if placed != s.placed[arm]:
            s.left += -1 if placed else 1
            s.placed[arm] = placed

    def active(self, s: Sides, arm: int) -> bool:
        return not s.placed[arm]

    def stopped(self, s: Sides) -> bool:
        return s.left == 0

    def accepts(self, s: Any, arm: int) -> bool:
        return s.sums[arm] > self.level * s.pulls[arm]

    def recommend(self, s: Any) -> int:
        for arm in range(len(s.pulls)):  # those placed are as much in question as the others
            s.room[arm] = s.mean(arm) if s.pulls[arm] > 0 else -1.0
        return self.pick(s, s.room)
