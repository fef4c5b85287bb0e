"""What is believed of each mean: its Beta posterior, and what that says of a level."""

from spnb.bandits.policies.base import IndexPolicy
from spnb.bandits.policies.bayes import Posterior
from spnb.engine import exp
from spnb.engine.maths import betainc, ratio


class Believed(Posterior):
    """Beta(1+S, 1+N-S) of each mean."""

    def note(self, arm: int, reward: float, trials: float) -> None:
        self.renorm(arm, reward, trials)

    def density(self, arm: int, yes: float, no: float) -> float:
        """Of the arm's mean at a level; ``yes`` and ``no`` are ln(level) and ln(1 - level)."""
        wins = self.sums[arm]
        return exp(self.norm[arm] + wins * yes + (self.pulls[arm] - wins) * no)

    def most_beyond(self, arm: int, level: float, density: float) -> float:
        """A bound on ``beyond``: where the density falls, it lies below its tangent."""
        wins = self.sums[arm]
        slope = ratio(self.pulls[arm] - wins, 1.0 - level) - ratio(wins, level)
        return min(density / slope, 1.0) if slope > 0.0 else 1.0

    def beyond(self, arm: int, level: float) -> float:
        """The probability that the arm's mean is beyond the level."""
        wins = self.sums[arm]
        # Through the mirrored Beta, so that a tail of 1e-20 is not lost beside 1.
        return betainc(1.0 + self.pulls[arm] - wins, 1.0 + wins, 1.0 - level)


class Belief(IndexPolicy):
    """The best posterior mean, (S+1)/(N+2)."""

    State = Believed

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return (sums + 1.0) / (pulls + 2.0)
