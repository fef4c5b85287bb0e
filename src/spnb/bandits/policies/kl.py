"""Policies built on the Bernoulli divergence."""

from typing import Any

from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy, Stats
from spnb.bandits.policies.root import Levels, RootIndex
from spnb.base import params
from spnb.engine import Arms, log
from spnb.engine.maths import kl_upper, xlogx


class Likelihood(Stats):
    fit: Arms  # log-likelihood of the rewards at the mean that fits them best

    def refit(self, arm: int) -> None:
        self.fit[arm] = best_fit(self.pulls[arm], self.sums[arm])

    def shortfall(self, arm: int, level: float, yes: float, no: float) -> float:
        """N kl(mean, level) of a mean short of the level, 0 of one that has reached it.

        ``yes`` and ``no`` are ln(level) and ln(1 - level), taken once for many arms.
        """
        wins, pulls = self.sums[arm], self.pulls[arm]
        if wins >= level * pulls:
            return 0.0
        return self.fit[arm] - wins * yes - (pulls - wins) * no


def best_fit(pulls: float, wins: float) -> float:
    """Log-likelihood of so many rewards with this sum, at the mean that fits them best."""
    return xlogx(wins) + xlogx(pulls - wins) - xlogx(pulls)


class Evidence(Likelihood, Levels):
    def note(self, arm: int, reward: float, trials: float) -> None:
        self.follow(arm, reward, trials)
        self.refit(arm)


class KLBound(RootIndex):
    """The largest q with N kl(mean, q) <= nats: the likelihood is not too far below its best."""

    State = Evidence

    def invert(self, s: Evidence, arm: int, nats: float) -> float:
        return kl_upper(s.sums[arm] / s.pulls[arm], nats / s.pulls[arm])

    def likely(self, s: Any, arm: int, nats: float, level: float, yes: float, no: float) -> bool:
        return s.shortfall(arm, level, yes, no) <= nats

    def same(self, s: Evidence, arm: int, other: int) -> bool:
        both_full = s.sums[arm] == s.pulls[arm] and s.sums[other] == s.pulls[other]  # index 1
        return both_full or (s.pulls[arm] == s.pulls[other] and s.sums[arm] == s.sums[other])


class KLUCB(KLBound):
    """KL-UCB: threshold ln t + c ln ln t (Garivier & Cappe 2011)."""

    c: float = param(default=0.0, rule=params.non_negative)

    def common(self, s: Evidence, clock: float) -> float:
        nats = log(clock)
        # ln ln t is negative before t = 3: there it must not shrink the bound.
        return nats + self.c * log(max(nats, 1.0))


class KLUCBPlus(KLBound):
    """KL-UCB+: threshold ln(t/N), less exploring of what is known well."""

    spec_name = "KLUCB+"

    def nats(self, pulls: float, common: float) -> float:
        return log(max(common / pulls, 1.0))


class IMED(IndexPolicy):
    """Least N kl(mean, best mean) + ln N (Honda & Takemura 2015)."""

    State = Evidence

    def common(self, s: Evidence, clock: float) -> Any:
        best = 0.0
        for arm in range(len(s.pulls)):
            best = max(best, s.mean(arm))
        return best, log(best), log(1.0 - best)

    def score(self, s: Evidence, arm: int, common: Any) -> float:
        level, yes, no = common
        return -(s.shortfall(arm, level, yes, no) + log(s.pulls[arm]))

    def rival(self, s: Evidence, leader: int, clock: float) -> Any:
        level = s.mean(leader)
        return (level, log(level), log(1.0 - level)), -log(max(s.pulls[leader], 1.0))

    def against(self, s: Evidence, level: float, clock: float) -> Any:
        return (level, log(level), log(1.0 - level)), -log(clock)
