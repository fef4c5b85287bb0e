"""Policies that forget: for arms whose means change. What they remember runs on rounds, not pulls.

A window keeps the rewards of the last rounds; a discount lets every reward count less with every
round. An arm without a reward in memory is new again. A late reward belongs to the round in which
it comes.
"""

from typing import Annotated, Any

from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy, Stats
from spnb.base import params
from spnb.engine import Arms, Count, inf, log, sqrt
from spnb.engine.state import Grid, Kind

Days = Annotated[Grid, Kind("f8", ("window", "arms"))]


class Remembered(Stats):
    """Rewards as they are remembered: N and S may shrink, and N may be a fraction."""

    sample: Arms  # the latest draws of Thompson sampling

    def mean(self, arm: int) -> float:
        return self.sums[arm] / self.pulls[arm] if self.pulls[arm] > 0.0 else 0.0

    def remembered(self) -> float:
        """Rewards of all arms in memory."""
        rewards = 0.0
        for arm in range(len(self.pulls)):
            rewards += self.pulls[arm]
        return rewards


class Discounted(Remembered):
    def fade(self, discount: float) -> None:
        for arm in range(len(self.pulls)):
            self.pulls[arm] *= discount
            self.sums[arm] *= discount


class Windowed(Remembered):
    today: Count  # the row of this round
    rewards: Days  # of each remembered round: how many,
    gains: Days  # and their sum

    def note(self, arm: int, reward: float, trials: float) -> None:
        self.rewards[self.today, arm] += trials
        self.gains[self.today, arm] += reward

    def turn(self) -> None:
        """The oldest round makes room for a new one."""
        self.today = self.today + 1 if self.today + 1 < self.rewards.shape[0] else 0
        for arm in range(len(self.pulls)):
            if self.rewards[self.today, arm] > 0.0:
                self.pulls[arm] -= self.rewards[self.today, arm]
                # Of fractions a rounding error is left, which must not outlive them.
                gains = self.sums[arm] - self.gains[self.today, arm]
                self.sums[arm] = min(max(gains, 0.0), self.pulls[arm])
                self.rewards[self.today, arm] = self.gains[self.today, arm] = 0.0
        self.fresh = 0  # an arm may have become new again


class Forgetful(IndexPolicy):
    """Policy that forgets what was long ago."""

    forgets = shifts = True
    State = Remembered


class Hopeful(Forgetful):
    """mean + sqrt(width ln n / N) of what is remembered, n rewards in all."""

    def common(self, s: Any, clock: float) -> float:
        return log(max(min(clock, s.remembered() + 1.0), 1.0))

    def score(self, s: Any, arm: int, common: float) -> float:
        if s.pulls[arm] <= 0.0:
            return inf
        return float(s.mean(arm) + sqrt(self.width * common / s.pulls[arm]))

    @property
    def width(self) -> float:
        raise NotImplementedError


class Drawing(Forgetful):
    """A draw from Beta(1+S, 1+N-S) of what is remembered."""

    def learn(self, s: Any, arm: int, reward: float, trials: float) -> None:
        reward = s.trial(reward, trials)
        s.add(arm, reward, trials)
        s.note(arm, reward, trials)

    def refresh(self, s: Any) -> None:
        for arm in range(len(s.pulls)):
            s.sample[arm] = s.draw(arm)

    def score(self, s: Any, arm: int, common: float) -> float:
        return float(s.sample[arm])

    def choose(self, s: Any) -> int:
        self.refresh(s)
        return self.pick(s, s.sample)

    def rival(self, s: Any, leader: int, clock: float) -> Any:
        return s.posterior_mean(leader)

    def against(self, s: Any, level: float, clock: float) -> Any:
        return level

    def beats(self, s: Any, arm: int, rival: Any) -> bool:
        return bool(s.sample[arm] > rival)


class SWUCB(Hopeful):
    """UCB in a sliding window of rounds (Garivier & Moulines 2011).

    mean + sqrt(ξ ln n / N) with their ξ = 0.6 over the last ``window`` rounds.
    """

    window: int = param(default=200, rule=params.at_least_one, shown=True)

    State = Windowed

    @property
    def width(self) -> float:
        return 0.6

    def new_round(self, s: Windowed) -> None:
        s.turn()


class SWTS(Drawing):
    """Thompson sampling in a window of rounds (Trovò et al. 2020)."""

    window: int = param(default=200, rule=params.at_least_one, shown=True)

    State = Windowed

    def new_round(self, s: Windowed) -> None:
        s.turn()


class DUCB(Hopeful):
    """UCB with rewards discounted by the round (Garivier & Moulines 2011).

    mean + 2 sqrt(ξ ln n / N) with their ξ = 0.6; a round makes all earlier rewards count
    ``discount`` times as much.
    """

    discount: float = param(default=0.99, rule=params.share, shown=True)

    State = Discounted

    @property
    def width(self) -> float:
        return 2.4

    def new_round(self, s: Discounted) -> None:
        s.fade(self.discount)


class DTS(Drawing):
    """Thompson sampling, discounted by the round (Raj & Kalyani 2017)."""

    discount: float = param(default=0.995, rule=params.share, shown=True)

    State = Discounted

    def new_round(self, s: Discounted) -> None:
        s.fade(self.discount)
