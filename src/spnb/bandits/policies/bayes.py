"""Policies that look at the posterior of each mean, Beta(1+S, 1+N-S): bUCB and TS.

The density f of a posterior is log-concave, so where it falls it lies below its tangent at a level:
the tail beyond the level has at most the mass under that tangent, f(level)/slope, and not much less.
"""

from typing import Any

from spnb.bandits.policies.base import IndexPolicy, Stats
from spnb.bandits.policies.root import RootIndex, wilson
from spnb.base import params
from spnb.engine.loop import Setting
from spnb.engine.maths import (
    betainc,
    betaincinv,
    exp,
    gammaln,
    inf,
    log,
    log1p,
    ratio,
)  # fmt: skip
from spnb.engine.state import Arms, Number

# ln of a density beyond which no arm's tail matters: its density was 1 or more somewhere before, so
# that it falls by 40 or more from here on, and its mass, below 1e-19, is lost beside 1.
FAR = -40.0


class Posterior(Stats):
    norm: Arms  # ln of the factor that makes x^S (1-x)^(N-S) a density

    def note(self, arm: int, reward: float, trials: float) -> None:
        """Learn; one success or failure changes the norm by a simple ratio."""
        wins, losses = self.sums[arm], self.pulls[arm] - self.sums[arm]
        self.add(arm, reward, trials)
        if trials == 1.0 and (reward == 0.0 or reward == 1.0):
            alike = wins if reward == 1.0 else losses
            self.norm[arm] += log((2.0 + wins + losses) / (1.0 + alike))
        else:
            wins, pulls = self.sums[arm], self.pulls[arm]
            self.norm[arm] = (
                gammaln(2.0 + pulls) - gammaln(1.0 + wins) - gammaln(1.0 + pulls - wins)
            )


class SlowPosterior(Posterior):
    slowdown: Number  # ln of (ln horizon)^c


class bUCB(RootIndex):  # noqa: N801 - the paper's name
    """Bayes-UCB: Beta(1+S, 1+N-S) at level 1 - 1/(t (ln horizon)^c).

    It starts from the prior; ``sweep`` pulls every arm once first.
    """

    c: float = 0.0
    sweep: bool = False

    State = SlowPosterior

    def __post_init__(self) -> None:
        super().__post_init__()
        params.non_negative(self, "c")

    @property
    def needs(self) -> tuple[str, ...]:
        return ("horizon",) if self.c else ()

    @property
    def sweeps(self) -> bool:
        return self.sweep

    def start(self, s: SlowPosterior, setting: Setting) -> None:
        if self.c > 0.0:
            s.slowdown = self.c * log(max(log(setting.horizon), 1.0))

    def learn(self, s: SlowPosterior, arm: int, reward: float, trials: float) -> None:
        s.note(arm, reward, trials)

    def common(self, s: SlowPosterior, clock: float) -> float:
        return log(clock) + s.slowdown

    def guess(self, s: SlowPosterior, arm: int, nats: float) -> float:
        return wilson(s.pulls[arm] + 2.0, s.sums[arm] + 1.0, nats)

    def invert(self, s: SlowPosterior, arm: int, nats: float) -> float:
        wins = s.sums[arm]
        # Through the mirrored Beta, so that a tail of 1e-9 is not lost beside 1.
        return 1.0 - betaincinv(1.0 + s.pulls[arm] - wins, 1.0 + wins, exp(-nats))

    def likely(
        self, s: SlowPosterior, arm: int, nats: float, level: float, yes: float, no: float
    ) -> bool:
        wins = s.sums[arm]
        losses = s.pulls[arm] - wins
        fall = losses * level - wins * (1.0 - level)  # the slope, but for a factor
        if fall > 0.0:
            height = s.norm[arm] + wins * yes + losses * no
            # Roundings must not rule out what holds.
            if exp(height + nats) * (level * (1.0 - level)) * (1.0 + 1e-9) < fall:
                return False
        return betainc(1.0 + losses, 1.0 + wins, 1.0 - level) >= exp(-nats)

    def rival(self, s: SlowPosterior, leader: int, clock: float) -> Any:
        level = s.posterior_mean(leader)
        return self.common(s, clock), level, log(level), log1p(-level)


class Draws(Posterior):
    sample: Arms  # the latest draw from each posterior, where all are asked for


class TS(IndexPolicy):
    """Thompson sampling: a draw from Beta(1+S, 1+N-S).

    It starts from the prior; ``sweep`` pulls every arm once first. A reward inside (0, 1) becomes
    0 or 1 by a trial.
    """

    sweep: bool = False

    State = Draws

    @property
    def sweeps(self) -> bool:
        return self.sweep

    def learn(self, s: Draws, arm: int, reward: float, trials: float) -> None:
        if trials == 1.0 and 0.0 < reward < 1.0:
            reward = 1.0 if s.dice.random() < reward else 0.0
        s.note(arm, reward, trials)

    def refresh(self, s: Draws) -> None:
        for arm in range(len(s.pulls)):
            s.sample[arm] = s.dice.beta(1.0 + s.sums[arm], 1.0 + s.pulls[arm] - s.sums[arm])

    def score(self, s: Draws, arm: int, common: float) -> float:
        return inf if self.sweep and s.pulls[arm] == 0 else s.sample[arm]

    def rival(self, s: Draws, leader: int, clock: float) -> Any:
        return s.posterior_mean(leader)

    def beats(self, s: Draws, arm: int, rival: Any) -> bool:
        return bool(s.sample[arm] > rival)

    def choose(self, s: Draws) -> int:
        """The arm of the largest draw, without drawing for the arms that are far behind.

        The leader's draw is ``top``. Another arm's tail beyond it has at most the mass under the
        tangent of its density there. With that probability, if it is one, the arm makes a proposal
        from under the tangent, which may be its draw; if it makes none, its draw is not beyond
        ``top``, and nobody needs to know it. One number decides which of the arms propose.
        """
        arms = len(s.pulls)
        if self.sweep and s.unpulled() < arms:
            return s.fresh
        leader = 0
        for arm in range(1, arms):
            ahead = (1.0 + s.sums[arm]) * (2.0 + s.pulls[leader])
            if ahead > (1.0 + s.sums[leader]) * (2.0 + s.pulls[arm]):
                leader = arm
        best = leader
        top = s.dice.beta(1.0 + s.sums[leader], 1.0 + s.pulls[leader] - s.sums[leader])
        yes, no = log(top), log1p(-top)
        luck, silence = s.dice.random(), 1.0  # and the probability of no proposal so far
        for arm in range(arms):
            if arm == leader:
                continue
            wins = s.sums[arm]
            losses = s.pulls[arm] - wins
            fall = losses * top - wins * (1.0 - top)
            height = s.norm[arm] + wins * yes + losses * no
            if fall > 0.0 and height < FAR:
                continue
            slope = ratio(fall, top * (1.0 - top))
            mass = exp(height) / slope if fall > 0.0 else 1.0
            if mass < 1.0:
                silence *= 1.0 - mass
                if luck < silence:
                    continue
                luck, silence = s.dice.random(), 1.0
                draw = self.draw_beyond(s, arm, top, height, slope)
            else:
                draw = s.dice.beta(1.0 + wins, 1.0 + losses)
            if draw > top:
                best, top = arm, draw
                yes, no = log(top), log1p(-top)
        return best

    def draw_beyond(self, s: Draws, arm: int, top: float, height: float, slope: float) -> float:
        """A draw from under the tangent at ``top``, or 0 if the density is not that high there."""
        step = s.dice.exponential()
        draw = top + step / slope
        if draw >= 1.0:
            return 0.0
        wins = s.sums[arm]
        drop = height - (s.norm[arm] + wins * log(draw) + (s.pulls[arm] - wins) * log1p(-draw))
        return draw if s.dice.exponential() >= drop - step else 0.0
