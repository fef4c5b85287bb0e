"""Policies to be beaten."""

from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy, Policy, Stats
from spnb.base import params


class Greedy(IndexPolicy):
    """Always the best empirical mean."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls


class EpsGreedy(Greedy):
    """The best empirical mean, but any arm with probability eps."""

    eps: float = param(default=0.1, rule=params.share, shown=True)

    def choose(self, s: Stats) -> int:
        fresh = s.unpulled()
        if fresh < len(s.pulls):
            return fresh
        if s.dice.random() < self.eps:
            return int(s.dice.random() * len(s.pulls))
        return self.recommend(s)


class Uniform(Policy):
    """Any arm, each as likely as the others."""

    def choose(self, s: Stats) -> int:
        fresh = s.unpulled()
        return fresh if fresh < len(s.pulls) else int(s.dice.random() * len(s.pulls))
