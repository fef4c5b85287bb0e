"""Indices that are the root of an equation: dear to find, cheap to test.

KL-UCB and Bayes-UCB are of this kind. The best arm is found by guessing it, inverting its index to
a level, and testing whether any other index reaches that level: little more than one inversion a
choice, whatever the number of arms.
"""

from typing import Any

from spnb.bandits.policies.base import IndexPolicy, Stats
from spnb.engine import Arms, inf, log, log1p, sqrt


class Levels(Stats):
    levels: Arms  # about the index of each arm: what it was, moved along with the arm's rewards

    def follow(self, arm: int, reward: float, trials: float) -> None:
        """Move the level along with the mean and the spread of the posterior."""
        pulls, now = self.pulls[arm] - trials, self.posterior_mean(arm)
        before = (self.sums[arm] - reward + 1.0) / (pulls + 2.0)
        spread = now * (1.0 - now) * (pulls + 3.0)
        spread /= before * (1.0 - before) * (self.pulls[arm] + 3.0)
        self.levels[arm] = now + (self.levels[arm] - before) * sqrt(spread)


class RootIndex(IndexPolicy):
    """The largest mean that the rewards do not rule out; ``nats`` says how boldly they do."""

    @property
    def sweeps(self) -> bool:
        """Whether arms without a reward come first, lowest position first."""
        return True

    def nats(self, pulls: float, common: float) -> float:
        """Minus the logarithm of the risk taken with an arm of so many rewards."""
        return common

    def invert(self, s: Any, arm: int, nats: float) -> float:
        """The index of an arm."""
        raise NotImplementedError

    def floor(self, s: Any, arm: int, nats: float) -> float:
        """A level that the index is sure to reach, close below it; -1 if none is at hand."""
        return -1.0

    def likely(self, s: Any, arm: int, nats: float, level: float, yes: float, no: float) -> bool:
        """Whether the arm's index is at least ``level``.

        ``yes`` and ``no`` are ln(level) and ln(1 - level), taken once for many arms.
        """
        raise NotImplementedError

    def same(self, s: Any, arm: int, other: int) -> bool:
        """Whether the indices of two arms are equal by definition, whatever rounding does."""
        return s.pulls[arm] == s.pulls[other] and s.sums[arm] == s.sums[other]

    def score(self, s: Any, arm: int, common: float) -> float:
        if s.pulls[arm] == 0 and self.sweeps:
            return inf
        return self.invert(s, arm, self.nats(s.pulls[arm], common))

    def against(self, s: Any, level: float, clock: float) -> Any:
        return self.common(s, clock), level, log(level), log1p(-level)

    def beats(self, s: Any, arm: int, rival: Any) -> bool:
        common, level, yes, no = rival
        return self.likely(s, arm, self.nats(s.pulls[arm], common), level, yes, no)

    def choose(self, s: Any) -> int:
        return self.best_index(s)

    def best_index(self, s: Any) -> int:
        """The arm of the best index; one without a reward comes first, if the policy sweeps."""
        arms = len(s.pulls)
        if self.sweeps and s.unpulled() < arms:
            return int(s.fresh)
        common = self.common(s, s.total + 1.0)
        pulls, sums, levels = s.pulls, s.sums, s.levels
        best, out, tied = self.guess(s), -1, 0  # out: the last arm that was ruled out
        level = self.floor(s, best, self.nats(pulls[best], common))
        exact = level < 0.0
        if exact:
            level = self.invert(s, best, self.nats(pulls[best], common))
        yes, no = log(level), log1p(-level)
        for arm in range(arms):
            if out >= 0 and pulls[arm] == pulls[out] and sums[arm] == sums[out]:
                continue  # levels only rise
            if self.same(s, arm, best):
                tied += 1
                continue
            nats = self.nats(pulls[arm], common)
            reached = self.likely(s, arm, nats, level, yes, no)
            if reached and not exact:  # only now does it matter where exactly the best one stands
                level, exact = self.invert(s, best, self.nats(pulls[best], common)), True
                yes, no = log(level), log1p(-level)
                reached = self.likely(s, arm, nats, level, yes, no)
            if not reached:
                out = arm
                continue
            found = self.invert(s, arm, nats)
            if found > level:  # near 1 many are the same number: of those the first one stays
                levels[best] = level
                best, level, tied = arm, found, 1
                yes, no = log(level), log1p(-level)
        levels[best] = level
        return best if tied == 1 else self.any_of(s, best)

    def guess(self, s: Any) -> int:
        """The arm that looks best by what its index was."""
        best, levels = 0, s.levels
        for arm in range(len(levels)):
            if levels[arm] > levels[best]:
                best = arm
        return best

    def any_of(self, s: Any, best: int) -> int:
        """One of the arms that share this one's index."""
        for arm in range(len(s.pulls)):
            s.room[arm] = 1.0 if self.same(s, arm, best) else 0.0
        return self.pick(s, s.room)
