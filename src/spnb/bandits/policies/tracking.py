"""Track and Stop: pull the arms in the shares that would tell the best one soonest."""

from spnb.bandits.policies.confidence import Confident, Verdict
from spnb.engine import Arms, Number, inf, sqrt
from spnb.theory.confidence import best_shares

SELDOM = 1.01  # shares are found anew when there are so many times the rewards


class Tracked(Verdict):
    shares: Arms  # of the pulls, best for the means as they look
    due: Number  # rewards at which they are found anew


class TrackAndStop(Confident):
    """Keep every arm's pulls at the best share, as far as it is known.

    Garivier & Kaufmann 2016, D-tracking: an arm of fewer than sqrt(t) - K/2 pulls is pulled, least
    first, else the one furthest behind its share of the pulls, best for the posterior means.
    """

    State = Tracked

    def choose(self, s: Tracked) -> int:
        arms = len(s.pulls)
        if s.unpulled() < arms:
            return s.fresh
        if s.total >= s.due:
            for arm in range(arms):
                s.room[arm] = s.posterior_mean(arm)
            best_shares(s.room, s.shares)
            s.due = SELDOM * s.total
        fewest = inf
        for arm in range(arms):
            fewest = min(fewest, s.pulls[arm])
        starved = fewest < sqrt(s.total) - 0.5 * arms
        for arm in range(arms):
            behind = -s.pulls[arm] if starved else s.total * s.shares[arm] - s.pulls[arm]
            s.room[arm] = behind
        return self.pick(s, s.room)
