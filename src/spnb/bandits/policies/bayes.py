"""Policies that look at the posterior of each mean, Beta(1+S, 1+N-S): bUCB and TS.

The density f of a posterior is log-concave, so where it falls it lies below its tangent at a
level: the tail beyond the level has at most the mass under that tangent, f(level)/slope.
"""

from typing import Any

from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy, Led, Stats
from spnb.bandits.policies.root import Levels, RootIndex
from spnb.base import params
from spnb.engine import Arms, Count, Number, Setting, exp, inf, log, log1p, sqrt
from spnb.engine.maths import betainc, betaincinv, gammaln, ratio


class Posterior(Stats):
    norm: Arms  # ln of the factor that makes x^S (1-x)^(N-S) a density

    def renorm(self, arm: int, reward: float, trials: float) -> None:
        """Adjust the norm to a reward just added; a lone 0 or 1 changes it by a simple ratio."""
        wins, pulls = self.sums[arm], self.pulls[arm]
        if trials == 1.0 and reward in (0.0, 1.0):
            self.norm[arm] += log((1.0 + pulls) / (wins if reward == 1.0 else pulls - wins))
        else:
            self.norm[arm] = (
                gammaln(2.0 + pulls) - gammaln(1.0 + wins) - gammaln(1.0 + pulls - wins)
            )


class SlowPosterior(Posterior, Levels):
    slowdown: Number  # ln of (ln horizon)^c

    def note(self, arm: int, reward: float, trials: float) -> None:
        self.follow(arm, reward, trials)
        self.renorm(arm, reward, trials)


class bUCB(RootIndex):  # noqa: N801 - the paper's name
    """Bayes-UCB: Beta(1+S, 1+N-S) at level 1 - 1/(t (ln horizon)^c).

    It starts from the prior; ``sweep`` pulls every arm once first.
    """

    c: float = param(default=0.0, rule=params.non_negative)
    sweep: bool = False

    State = SlowPosterior

    @property
    def needs(self) -> tuple[str, ...]:
        return ("horizon",) if self.c else ()

    @property
    def sweeps(self) -> bool:
        return self.sweep

    def start(self, s: SlowPosterior, setting: Setting) -> None:
        if self.c > 0.0:
            s.slowdown = self.c * log(max(log(setting.horizon), 1.0))

    def common(self, s: SlowPosterior, clock: float) -> float:
        return log(clock) + s.slowdown

    def invert(self, s: SlowPosterior, arm: int, nats: float) -> float:
        wins = s.sums[arm]
        # Through the mirrored Beta, so that a tail of 1e-9 is not lost beside 1.
        return 1.0 - betaincinv(1.0 + s.pulls[arm] - wins, 1.0 + wins, exp(-nats))

    def floor(self, s: SlowPosterior, arm: int, nats: float) -> float:
        # Beyond its mode a tail is convex: a step of Newton's method never passes the root.
        wins, level = s.sums[arm], s.levels[arm]
        losses = s.pulls[arm] - wins
        slope = ratio(losses, 1.0 - level) - ratio(wins, level)
        if not slope > 0.0:
            return -1.0
        beyond = betainc(1.0 + losses, 1.0 + wins, 1.0 - level)
        density = exp(s.norm[arm] + wins * log(level) + losses * log1p(-level))
        step = ratio(beyond - exp(-nats), density)
        falling = losses * (level + step) > wins * (1.0 - level - step)
        return level + step if falling and abs(step) * slope < 0.1 else -1.0

    def likely(self, s: Any, arm: int, nats: float, level: float, yes: float, no: float) -> bool:
        wins = s.sums[arm]
        losses = s.pulls[arm] - wins
        fall = losses * level - wins * (1.0 - level)  # the slope, but for a factor
        if fall > 0.0:
            height = s.norm[arm] + wins * yes + losses * no
            mass = exp(height + nats) * (1.0 + 1e-9)  # roundings must not rule out what holds
            slope = fall / (level * (1.0 - level))
            # The logarithm of f bends by at least `bend` all along the tail, which is at most that
            # of a normal density, then: Sampford's bound (1953), sharp to a percent.
            bend = wins + losses / ((1.0 - level) * (1.0 - level))
            if mass < slope or mass < (3.0 * slope + sqrt(slope * slope + 8.0 * bend)) / 4.0:
                return False
        return betainc(1.0 + losses, 1.0 + wins, 1.0 - level) >= exp(-nats)

    def rival(self, s: SlowPosterior, leader: int, clock: float) -> Any:
        return self.against(s, s.posterior_mean(leader), clock)


class Sampled(Posterior, Led):
    sample: Arms  # the latest draws

    def note(self, arm: int, reward: float, trials: float) -> None:
        self.renorm(arm, reward, trials)
        self.lead(arm, reward, trials)


class Sampler(IndexPolicy):
    """It draws from the posteriors Beta(1+S, 1+N-S), as few and as little as it can.

    A reward inside (0, 1) becomes 0 or 1 by a trial.
    """

    State = Sampled

    def learn(self, s: Any, arm: int, reward: float, trials: float) -> None:
        reward = s.trial(reward, trials)
        s.add(arm, reward, trials)
        s.note(arm, reward, trials)

    def largest(self, s: Any) -> int:
        """The arm of the largest draw."""
        return self.draw_beyond(s, s.leader, s.draw(s.leader), True)

    def draw_beyond(self, s: Any, leader: int, top: float, rising: bool) -> int:
        """Draw for every arm but the leader, as far as that may lie beyond ``top``.

        An arm's tail beyond ``top`` has at most the mass under the tangent of its density there.
        With that probability, if it is one, the arm makes a proposal from under the tangent, which
        may be its draw; if it makes none, its draw is not beyond ``top``, and nobody needs to know
        it. Few arms make one, so one number is thrown for many: it is held against the probability
        that no arm up to this one does. If ``rising``, each draw beyond is the next ``top``; the
        arm of the last of them is told, and has the largest draw of all.
        """
        best, yes, no, short = leader, log(top), log(1.0 - top), 1.0 - top
        steep, luck, nobody = ratio(1.0, top * short), s.dice.random(), 1.0
        pulls, sums, norm = s.pulls, s.sums, s.norm
        for arm in range(len(pulls)):
            if arm == leader:
                continue
            depth = slope = rise = 0.0
            if pulls[arm] == 0.0:
                nobody *= top
            else:
                wins = sums[arm]
                losses = pulls[arm] - wins
                depth = -(norm[arm] + wins * yes + losses * no)  # minus ln of the density at top
                slope = (losses * top - wins * short) * steep
                rise = max(1.0 + 0.125 * depth, 0.0)  # to the 8th, below e^depth: no need for that
                rise *= rise
                rise *= rise
                rise *= rise * slope  # 1/rise is a bound of the mass
                nobody *= 1.0 - 1.0 / rise if rise > 1.0 else 0.0
            if luck < nobody:
                continue
            draw = self.proposal(s, arm, top, depth, slope, max(rise, 1.0))
            luck, nobody = s.dice.random(), 1.0
            if draw > top:
                best, s.sample[arm] = arm, draw
                if rising:
                    top, yes, no, short = draw, log(draw), log(1.0 - draw), 1.0 - draw
                    steep = ratio(1.0, top * short)
        return best

    def proposal(
        self, s: Any, arm: int, top: float, depth: float, slope: float, rise: float
    ) -> float:
        """A draw from under the tangent at ``top``, or 0 if the density is not that high there.

        The arm has come this far with probability 1/``rise``, or for sure.
        """
        if s.pulls[arm] == 0.0:
            return top + (1.0 - top) * s.dice.random()
        mass = exp(-depth) / slope if slope > 0.0 else 1.0
        if mass >= 1.0:
            return s.draw(arm)
        if s.dice.random() >= mass * rise:
            return 0.0
        step = s.dice.exponential()
        draw = top + step / slope
        if draw >= 1.0:
            return 0.0
        wins, losses = s.sums[arm], s.pulls[arm] - s.sums[arm]
        drop = -depth - (s.norm[arm] + wins * log(draw) + losses * log(1.0 - draw))
        return draw if s.dice.exponential() >= drop - step else 0.0


class Draws(Sampled):
    """A draw of -1 says: not beyond the floor."""

    floor: Number
    mark: Count  # numbers drawn when the floor was set


class TS(Sampler):
    """Thompson sampling: a draw from Beta(1+S, 1+N-S).

    It starts from the prior; ``sweep`` pulls every arm once first. A reward inside (0, 1) becomes
    0 or 1 by a trial.
    """

    sweep: bool = False

    State = Draws

    def refresh(self, s: Draws) -> None:
        for arm in range(len(s.pulls)):
            s.sample[arm] = s.draw(arm)

    def score(self, s: Draws, arm: int, common: float) -> float:
        return inf if self.sweep and s.pulls[arm] == 0 else s.sample[arm]

    def choose(self, s: Draws) -> int:
        if self.sweep and s.unpulled() < len(s.pulls):
            return s.fresh
        return self.largest(s)

    def toss(self, s: Draws, leader: int) -> None:
        # No level of this round will lie below the leader's posterior mean after one more loss.
        s.floor = (s.sums[leader] + 1.0) / (s.pulls[leader] + 3.0)
        s.mark = s.dice.drawn
        for arm in range(len(s.pulls)):
            s.sample[arm] = -1.0
        self.draw_beyond(s, leader, s.floor, False)
        s.sample[leader] = s.draw(leader)

    def rival(self, s: Draws, leader: int, clock: float) -> Any:
        return s.posterior_mean(leader)

    def against(self, s: Draws, level: float, clock: float) -> Any:
        return level

    def beats(self, s: Draws, arm: int, rival: Any) -> bool:
        draw = s.sample[arm]
        if draw < 0.0 and rival < s.floor:  # late rewards and counts may do that
            drawn, s.dice.drawn = s.dice.drawn, s.mark + (arm + 1) * 2**32
            draw = s.draw(arm)
            while draw > s.floor:
                draw = s.draw(arm)
            s.dice.drawn = drawn  # asking changes nothing
        return bool(draw > rival)
