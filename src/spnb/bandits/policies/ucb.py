"""Indices of the form mean + width."""

from dataclasses import field

from spnb.bandits.policies.base import IndexPolicy, Stats
from spnb.bandits.policies.elimination import sr_phase_end
from spnb.bandits.sorting import sort
from spnb.base import params
from spnb.engine.loop import Setting
from spnb.engine.maths import inf, log, ratio, sqrt
from spnb.engine.state import Arms, Count, Number, Room


class UCB1(IndexPolicy):
    """mean + sqrt(2 ln t / N) (Auer, Cesa-Bianchi & Fischer 2002)."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls + sqrt(2.0 * log(clock) / pulls)


class HorizonStats(Stats):
    horizon: Number


class MOSS(IndexPolicy):
    """mean + sqrt(max(0, ln(horizon/(K N)))/N) (Audibert & Bubeck 2009)."""

    State = HorizonStats

    @property
    def needs(self) -> tuple[str, ...]:
        return ("horizon",)

    def start(self, s: HorizonStats, setting: Setting) -> None:
        s.horizon = setting.horizon

    def common(self, s: HorizonStats, clock: float) -> float:
        return s.horizon / len(s.pulls)

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls + sqrt(log(max(clock / pulls, 1.0)) / pulls)


class Scores(Stats):
    scores: Arms  # the index, which changes only for the arm that was pulled
    gaps: Room
    rate: Number  # a
    budget: Number
    phase: Count  # phase ends of SR behind us (adaptive)
    due: Number  # rewards at which H is estimated next (adaptive)


class UCBE(IndexPolicy):
    """mean + sqrt(a/N), a = c budget/H1; H1 is an oracle's, or estimated.

    H1 is oracle knowledge that only a simulation has; ``adaptive`` estimates it from the rewards
    at the phase ends of Successive Rejects (Audibert & Bubeck 2010), and so works live.
    """

    c: float = field(default=2.0, metadata={"shown": True})
    adaptive: bool = False

    State = Scores

    def __post_init__(self) -> None:
        super().__post_init__()
        params.positive(self, "c")

    @property
    def needs(self) -> tuple[str, ...]:
        return ("horizon",) if self.adaptive else ("horizon", "hardness")

    def start(self, s: Scores, setting: Setting) -> None:
        arms = len(s.pulls)
        s.budget, s.due = setting.horizon, inf
        s.rate = self.rate(s.budget, float(arms) if self.adaptive else setting.hardness)
        if self.adaptive and arms > 1:
            s.due = arms * sr_phase_end(s.budget, arms, 1)

    def rate(self, budget: float, hardness: float) -> float:
        # No suboptimal arm (H1 = 0) or a tie (H1 = inf): nothing to explore.
        return self.c * budget / hardness if 0.0 < hardness < inf else 0.0

    def score(self, s: Scores, arm: int, common: float) -> float:
        return s.scores[arm] if s.pulls[arm] > 0 else inf

    def learn(self, s: Scores, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward, trials)
        s.scores[arm] = s.mean(arm) + sqrt(s.rate / s.pulls[arm])
        while s.total >= s.due:
            self.estimate(s)

    def estimate(self, s: Scores) -> None:
        """H at a phase end: the largest of i / gap_(i)^2 over the arms that SR would have dropped."""
        arms, best, hardness = len(s.pulls), 0.0, 0.0
        s.phase += 1
        for arm in range(arms):
            best = max(best, s.mean(arm))
        for arm in range(arms):
            s.gaps[arm] = best - s.mean(arm)
        sort(s.gaps, arms)
        for rank in range(arms - s.phase + 1, arms + 1):
            gap = s.gaps[rank - 1]
            hardness = max(hardness, ratio(float(rank), gap * gap))
        s.rate = self.rate(s.budget, hardness)
        for arm in range(arms):
            if s.pulls[arm] > 0:
                s.scores[arm] = s.mean(arm) + sqrt(s.rate / s.pulls[arm])
        now = sr_phase_end(s.budget, arms, s.phase)
        later = sr_phase_end(s.budget, arms, s.phase + 1)
        s.due = s.due + (arms - s.phase) * (later - now) if s.phase < arms - 1 else inf
