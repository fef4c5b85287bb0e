"""Arms that resemble their neighbours: the hours of a day, on a circle.

The means are a Gaussian process on the circle: a constant, and around it a normal variable for
each arm, correlated by the periodic kernel scale^2 exp(-2 sin^2(pi d)/length^2) at distance d
(MacKay 1998), where d = 1 is once around. Rewards are its values and normal noise. Arms repeat, so
all that rewards say is in N, S and the sum of squares, and the work of a round depends on K alone:
a reward moves the posterior by a rank-one update. The parameters are fitted seldom, each time that
the rewards have grown by half: constant and noise by moments, scale and length by the marginal
likelihood (Rasmussen & Williams 2006, chapters 2 and 5).

Around a peak many arms are nearly equal, and a round offers all of them. So these policies take,
unless told otherwise (``ties``), the arms that may be better than the leader for equal, and go
through them in the order in which they are offered.
"""

import math
from dataclasses import field
from typing import Annotated, Any

from spnb.bandits.policies.base import IndexPolicy, Stats, Ties
from spnb.engine import Arms, Count, Number, Setting, inf, log, sqrt
from spnb.engine.maths import cholesky
from spnb.engine.state import Grid, Kind

LENGTHS = (2.0, 1.0, 0.5, 0.25, 0.1, 0.03)  # the last: no arm resembles another
SCALES = (0.1, 0.25)
# Added to the variances of a draw: a smooth process is close to singular, and so much more than
# rounding keeps its root exact. It moves a draw by 0.0001.
JITTER = 1e-8

Square = Annotated[Grid, Kind("f8", ("arms", "arms"))]


class Smooth(Stats):
    """The posterior of all means together."""

    belief: Arms  # the posterior mean of each arm
    cov: Square  # and the covariance
    kernel: Arms  # the prior covariance of two arms so many places apart
    constant: Number
    noise: Number  # variance of a reward around its mean
    squares: Number  # sum of all squared rewards
    due: Number  # rewards at which the parameters are fitted next
    root: Annotated[Grid, Kind("f8", ("arms", "arms"), "room")]

    def posterior_mean(self, arm: int) -> float:
        return self.belief[arm]

    def correlate(self, length: float, scale: float) -> None:
        arms = len(self.pulls)
        for places in range(arms):
            wave = math.sin(math.pi * places / arms) / length
            self.kernel[places] = scale * scale * math.exp(-2.0 * wave * wave)

    def factor(self) -> None:
        """``root`` becomes the root of I + W^1/2 K W^1/2, W = N/noise: never close to singular."""
        arms = len(self.pulls)
        for i in range(arms):
            for j in range(i + 1):
                weight = sqrt(self.pulls[i] * self.pulls[j]) / self.noise
                self.root[i, j] = weight * self.kernel[i - j] + (1.0 if i == j else 0.0)
        cholesky(self.root, arms)

    def solve(self, column: Any) -> None:
        """Replace a column by root^-1 times it."""
        for i in range(len(self.pulls)):
            total = column[i]
            for k in range(i):
                total -= self.root[i, k] * column[k]
            column[i] = total / self.root[i, i]

    def evidence(self) -> float:
        """The log-likelihood of the rewards, but for what scale and length do not change."""
        arms, total = len(self.pulls), 0.0
        self.factor()
        for i in range(arms):
            gap = self.sums[i] - self.constant * self.pulls[i]  # N times (mean - constant)
            self.room[i] = gap / sqrt(self.pulls[i] * self.noise) if self.pulls[i] > 0.0 else 0.0
        self.solve(self.room)
        for i in range(arms):
            total -= 0.5 * self.room[i] * self.room[i] + log(self.root[i, i])
        return total

    def condition(self) -> None:
        """The posterior from the prior and all rewards, free of what updates have rounded."""
        arms = len(self.pulls)
        self.factor()
        for i in range(arms):
            self.belief[i] = self.constant
        for i in range(arms):  # cov = K - V'V, V = root^-1 W^1/2 K, a column at a time
            for j in range(arms):
                self.room[j] = sqrt(self.pulls[j] / self.noise) * self.kernel[abs(i - j)]
            self.solve(self.room)
            for j in range(arms):
                self.cov[i, j] = self.room[j]  # V', row by row
        for i in range(arms):
            gap = self.sums[i] - self.constant * self.pulls[i]
            self.room[i] = gap / sqrt(self.pulls[i] * self.noise) if self.pulls[i] > 0.0 else 0.0
        self.solve(self.room)
        for i in range(arms):
            for k in range(arms):
                self.belief[i] += self.cov[i, k] * self.room[k]
        self.reduce()

    def reduce(self) -> None:
        """cov holds V'; let it be K - V'V."""
        arms = len(self.pulls)
        for i in range(arms):
            for j in range(i + 1):
                total = self.kernel[i - j]
                for k in range(arms):
                    total -= self.cov[i, k] * self.cov[j, k]
                self.root[i, j] = total
        for i in range(arms):
            for j in range(i + 1):
                self.cov[i, j] = self.cov[j, i] = self.root[i, j]

    def move(self, arm: int, value: float, noise: float) -> None:
        """One more value of the process, seen with this noise."""
        arms = len(self.pulls)
        surprise = (value - self.belief[arm]) / (self.cov[arm, arm] + noise)
        for i in range(arms):
            self.room[i] = self.cov[i, arm]
        for i in range(arms):
            self.belief[i] += self.room[i] * surprise
            share = self.room[i] / (self.room[arm] + noise)
            for j in range(arms):
                self.cov[i, j] -= share * self.room[j]

    def fit(self) -> None:
        """Choose the parameters anew."""
        seen, within, wins = 0.0, self.squares, 0.0
        for arm in range(len(self.pulls)):
            if self.pulls[arm] > 0.0:
                seen += 1.0
                wins += self.sums[arm]
                within -= self.sums[arm] * self.sums[arm] / self.pulls[arm]
        self.constant = (wins + 1.0) / (self.total + 2.0)
        self.noise = max((within + 0.5) / (self.total - seen + 2.0), 1e-3)
        best, best_length, best_scale = -inf, LENGTHS[0], SCALES[0]
        for length in LENGTHS:
            for scale in SCALES:
                self.correlate(length, scale)
                evidence = self.evidence()
                if evidence > best:
                    best, best_length, best_scale = evidence, length, scale
        self.correlate(best_length, best_scale)
        self.condition()


class Ordered(IndexPolicy):
    """Policy for arms in the order of a day: of those that may be the best, the next one."""

    ties: Ties = field(default="ahead", kw_only=True)

    @property
    def in_order(self) -> bool:
        return self.ties == "ahead"

    def best_of(self, s: Any, leader: int, common: Any) -> int:
        """The arm of the best score; ``in_order`` any that reaches the leader's mean is as good."""
        level = s.posterior_mean(leader)
        for arm in range(len(s.pulls)):
            score = self.score(s, arm, common)
            if self.in_order:
                score = 1.0 if arm == leader or score >= level else 0.0
            s.room[arm] = score
        return self.pick(s, s.room)

    def rival(self, s: Any, leader: int, clock: float) -> Any:
        return self.against(s, s.posterior_mean(leader), clock)


class Circle(Ordered):
    """Policy for arms on a circle, with a Gaussian process as posterior."""

    shifts = True
    State = Smooth

    def start(self, s: Any, setting: Setting) -> None:
        s.constant, s.noise, s.due = 0.5, 0.25, float(len(s.pulls))
        s.correlate(0.5, 0.25)
        s.condition()

    def learn(self, s: Any, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward, trials)
        s.squares += reward * reward if trials == 1.0 else reward  # trials pay 0 or 1
        if s.total >= s.due:
            s.due = 1.5 * s.total
            s.fit()
        else:
            s.move(arm, reward / trials, s.noise / trials)

    def choose(self, s: Any) -> int:
        self.refresh(s)
        return self.best_of(s, self.recommend(s), self.common(s, s.total + 1.0))

    def recommend(self, s: Any) -> int:
        return self.pick(s, s.belief)


class GPUCB(Circle):
    """GP on the circle of hours: mean + sqrt(ln t) sd.

    After Srinivas et al. 2010. Their width has a proof and explores far too much, as they say
    themselves and scale it down; ln t is what did best here.
    """

    def common(self, s: Smooth, clock: float) -> float:
        return sqrt(log(max(clock, 1.0)))

    def score(self, s: Smooth, arm: int, common: float) -> float:
        return s.belief[arm] + common * sqrt(max(s.cov[arm, arm], 0.0))


class Pathed(Smooth):
    path: Arms  # a draw of all means together
    luck: Arms


class GPTS(Circle):
    """GP on the circle of hours: a draw of all means together."""

    State = Pathed

    def refresh(self, s: Pathed) -> None:
        arms = len(s.pulls)
        for i in range(arms):
            s.luck[i] = s.dice.normal()
            for j in range(i + 1):
                s.root[i, j] = s.cov[i, j]
            s.root[i, i] += JITTER
        cholesky(s.root, arms)
        for i in range(arms):
            total = s.belief[i]
            for j in range(i + 1):
                total += s.root[i, j] * s.luck[j]
            s.path[i] = total

    def score(self, s: Pathed, arm: int, common: float) -> float:
        return s.path[arm]


class Peak(Stats):
    sample: Arms
    led: Arms  # how often each arm was the leader at a choice
    leader: Count


class UTS(Ordered):
    """Unimodal Thompson sampling on the circle, for means that have one peak.

    After Paladino et al. 2017: only the leader and its two neighbours are ever pulled, by draws
    from Beta(1+S, 1+N-S). The leader is that of the posterior means (theirs of the means), so arms
    never pulled lead while the others look worse than 1/2: it finds the slope sooner. In the order
    of offers a neighbour is pulled if its draw reaches the leader's mean; with other ``ties`` it is
    as they have it, the largest draw, and every third time the leader.
    """

    State = Peak

    def learn(self, s: Any, arm: int, reward: float, trials: float) -> None:
        s.add(arm, s.trial(reward, trials), trials)

    def refresh(self, s: Peak) -> None:
        arms = len(s.pulls)
        for arm in range(arms):
            s.room[arm], s.sample[arm] = s.posterior_mean(arm), -1.0
        s.leader = self.pick(s, s.room)
        for step in range(3):
            arm = (s.leader + step - 1) % arms
            s.sample[arm] = s.draw(arm)

    def choose(self, s: Peak) -> int:
        self.refresh(s)
        s.led[s.leader] += 1.0
        if not self.in_order and s.led[s.leader] % 3.0 == 0.0:
            return s.leader
        return self.best_of(s, s.leader, 0.0)

    def score(self, s: Peak, arm: int, common: float) -> float:
        return s.sample[arm]
