"""Indices of the form mean + width."""

from typing import Any

from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy, Stats
from spnb.bandits.policies.elimination import sr_phase_end
from spnb.base import params
from spnb.base.errors import SpecError
from spnb.engine import Arms, Count, Number, Setting, inf, log, sqrt
from spnb.engine.maths import ratio, sort


class UCB1(IndexPolicy):
    """mean + sqrt(2 ln t / N) (Auer, Cesa-Bianchi & Fischer 2002)."""

    def common(self, s: Stats, clock: float) -> float:
        return 2.0 * log(clock)  # once for all arms

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls + sqrt(clock / pulls)


class Scores(Stats):
    scores: Arms
    rate: Number


class SteadyIndex(IndexPolicy):
    """An index that nothing but the arm's own rewards can change: it is kept."""

    State = Scores

    @property
    def needs(self) -> tuple[str, ...]:
        return ("horizon",)

    def learn(self, s: Any, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward, trials)
        s.scores[arm] = self.index(s.pulls[arm], s.sums[arm], s.rate)

    def score(self, s: Scores, arm: int, common: float) -> float:
        return s.scores[arm] if s.pulls[arm] > 0 else inf

    def choose(self, s: Scores) -> int:
        fresh = s.unpulled()
        return fresh if fresh < len(s.pulls) else self.pick(s, s.scores)


class MOSS(SteadyIndex):
    """mean + sqrt(max(0, ln(horizon/(K N)))/N) (Audibert & Bubeck 2009)."""

    def start(self, s: Scores, setting: Setting) -> None:
        s.rate = setting.horizon / len(s.pulls)

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls + sqrt(log(max(clock / pulls, 1.0)) / pulls)


class Phases(Scores):
    budget: Number
    phase: Count  # phase ends of SR behind us (adaptive)
    due: Number  # rewards at which H is estimated next (adaptive)


class UCBE(SteadyIndex):
    """mean + sqrt(a/N), a = c budget/H1; H1 is an oracle's, or estimated.

    H1 is oracle knowledge that only a simulation has. ``adaptive`` estimates it from the rewards
    at the phase ends of Successive Rejects (Audibert & Bubeck 2010), ``plugin`` after every reward:
    both work live.
    """

    c: float = param(default=2.0, rule=params.positive, shown=True)
    adaptive: bool = False
    plugin: bool = False

    State = Phases

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.adaptive and self.plugin:
            raise SpecError("UCBE.plugin must be false where UCBE.adaptive is true, got true")

    @property
    def needs(self) -> tuple[str, ...]:
        return ("horizon",) if self.adaptive or self.plugin else ("horizon", "hardness")

    def start(self, s: Phases, setting: Setting) -> None:
        arms = len(s.pulls)
        s.budget, s.due = setting.horizon, inf
        told = not self.adaptive and not self.plugin
        s.rate = self.rate(s.budget, setting.hardness if told else float(arms))
        if self.adaptive and arms > 1:
            s.due = arms * sr_phase_end(s.budget, arms, 1)

    def rate(self, budget: float, hardness: float) -> float:
        # No suboptimal arm (H1 = 0) or a tie (H1 = inf): nothing to explore.
        return self.c * budget / hardness if 0.0 < hardness < inf else 0.0

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls + sqrt(clock / pulls)

    def learn(self, s: Phases, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward, trials)
        if self.plugin:
            self.explore(s, self.plugged(s))
        else:
            s.scores[arm] = self.index(s.pulls[arm], s.sums[arm], s.rate)
        while s.total >= s.due:
            self.estimate(s)

    def explore(self, s: Phases, hardness: float) -> None:
        """Go on with this hardness: every index changes."""
        s.rate = self.rate(s.budget, hardness)
        for arm in range(len(s.pulls)):
            if s.pulls[arm] > 0:
                s.scores[arm] = self.index(s.pulls[arm], s.sums[arm], s.rate)

    def plugged(self, s: Phases) -> float:
        """H1 with the gaps seen so far in the place of the true ones.

        A gap counts for no less than the standard deviation of its estimate, at the worst variance
        1/4: a gap that happens to be seen as 0 does not stop the exploring.
        """
        leader, best, hardness = 0, 0.0, 0.0
        for arm in range(len(s.pulls)):
            if s.pulls[arm] > 0 and s.posterior_mean(arm) > best:
                leader, best = arm, s.posterior_mean(arm)
        mean, noise = s.mean(leader), 0.25 / s.pulls[leader]
        for arm in range(len(s.pulls)):
            if arm != leader and s.pulls[arm] > 0:
                gap = mean - s.mean(arm)
                hardness += 1.0 / max(gap * gap, 0.25 / s.pulls[arm] + noise)
        return hardness

    def estimate(self, s: Phases) -> None:
        """Estimate H as the largest of i / gap_(i)^2 over the arms that SR would have dropped."""
        arms, best, hardness = len(s.pulls), 0.0, 0.0
        s.phase += 1
        for arm in range(arms):
            best = max(best, s.mean(arm))
        for arm in range(arms):
            s.room[arm] = best - s.mean(arm)
        sort(s.room, arms)
        for rank in range(arms - s.phase + 1, arms + 1):
            gap = s.room[rank - 1]
            hardness = max(hardness, ratio(float(rank), gap * gap))
        self.explore(s, hardness)
        now = sr_phase_end(s.budget, arms, s.phase)
        later = sr_phase_end(s.budget, arms, s.phase + 1)
        s.due = s.due + (arms - s.phase) * (later - now) if s.phase < arms - 1 else inf
