"""What planning found: curves of being right, what each agent needs, which is cheapest."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spnb.base.errors import SpecError
from spnb.base.version import own_version
from spnb.base.words import amount
from spnb.engine.arrays import FloatArray
from spnb.problems.readers.data import ProblemData
from spnb.simulation.metrics import Estimate, mean_interval
from spnb.simulation.results import Comparison

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Goal = Literal["best", "regret"]

TODAY = {"Uniform+": "every arm in every round", "Uniform": "one random arm a round"}
"""What people do without a learner."""

LIMITS: dict[Goal, Literal["pulls", "rounds"]] = {"best": "pulls", "regret": "rounds"}
"""What a budget counts, as ``identify`` takes it."""

ALWAYS = (0.9, 0.95)
LITTLE = 0.05  # of today's cost: who gains less gains next to nothing


@dataclass(frozen=True, slots=True)
class Costs:
    """What a pull and a round cost. With neither given: 1 each to find the best arm, else 0."""

    pull: float = 0.0
    round: float = 0.0

    def __post_init__(self) -> None:
        for name in ("pull", "round"):
            if not 0 <= getattr(self, name) < np.inf:
                raise SpecError(f"the cost per {name} must be >= 0, got {getattr(self, name)}")

    def of(self, rounds: float, pulls: float) -> float:
        return self.pull * pulls + self.round * rounds


@dataclass(frozen=True, slots=True)
class Point:
    """An agent given a budget: how often it was right, and what it used."""

    budget: int
    right: Estimate
    rounds: float
    pulls: float


@dataclass(frozen=True, slots=True)
class Need:
    """What an agent needs to be right with some probability."""

    budget: int
    rounds: float
    pulls: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The curves of every agent and what follows from them."""

    data: ProblemData
    goal: Goal
    replay: str
    confidence: float
    costs: Costs
    runs: int
    seed: int
    most: int  # the largest budget tried
    curves: Mapping[str, tuple[Point, ...]]
    regret: Comparison | None
    choice: str = ""
    sure: Estimate | None = None  # how often right in resampled records
    tolerance: float = 0.0  # arms whose mean is so close to the best one's count as best

    def __repr__(self) -> str:
        need = self.need(self.choice, self.confidence)
        if self.regret is not None:
            regret = self.regret.summary()[self.choice]["regret"]
            found = f"{self.choice}, regret {regret} in {amount(self.regret.rounds, 'round')}"
        elif need is None:
            found = (
                f"nobody is {100 * self.confidence:.4g} % right within {amount(self.most, 'pull')}"
            )
        else:
            found = (
                f"{self.choice} is {100 * self.confidence:.4g} % right after "
                f"{amount(need.rounds, 'round')} and {amount(need.pulls, 'pull')}"
            )
        return f"<Plan for {self.data.name!r}: {found}>"

    def _repr_html_(self) -> str:
        from spnb.report.advice import plan_lines, plan_table

        return plan_table(self).html(*plan_lines(self))

    def plot(self, path: str | Path | None = None) -> "Figure":
        """Draw how often every agent is right, and its cost; to ``path`` as well if given."""
        from spnb.report.advice import plan_figure
        from spnb.report.figures import save

        figure = plan_figure(self)
        if path is not None:
            save(figure, Path(path))
        return figure

    def targets(self) -> tuple[float, ...]:
        return tuple(sorted({*ALWAYS, self.confidence}))

    def need(
        self, spec: str, target: float, edge: Literal["mean", "low", "high"] = "mean"
    ) -> Need | None:
        """Rounds and pulls from which it stays ``target`` right, between the budgets around.

        With ``edge`` the lower or upper end of the interval of being right has to reach it.
        """
        points = self.curves[spec]
        right = [getattr(point.right, edge) for point in points]
        below = [i for i, share in enumerate(right) if share < target]
        if not below:
            return Need(points[0].budget, points[0].rounds, points[0].pulls)
        last = below[-1]
        if last + 1 == len(points):
            return None
        before, after = points[last], points[last + 1]
        way = (target - right[last]) / (right[last + 1] - right[last])
        rounds = before.rounds + way * (after.rounds - before.rounds)
        pulls = before.pulls + way * (after.pulls - before.pulls)
        return Need(after.budget, rounds, pulls)

    def cost(self, spec: str) -> float | None:
        """Of being as right as asked for; or of all rounds, with what regret loses on top."""
        if self.regret is None:
            need = self.need(spec, self.confidence)
            return None if need is None else self.costs.of(need.rounds, need.pulls)
        return float(self._paid(self.regret, spec).mean())

    def level(self) -> tuple[str, ...]:
        """The agents that so many runs cannot tell from the choice: their intervals meet."""
        others = [spec for spec in self.curves if spec != self.choice]
        if self.regret is not None:
            best = self._paid(self.regret, self.choice)
            more = {s: mean_interval(self._paid(self.regret, s) - best) for s in others}
            return tuple(spec for spec, difference in more.items() if not difference.low > 0)
        if self.cost(self.choice) is None:
            return ()  # nobody is level with who did not get there
        # If not even the largest budget is surely enough for it, its cost is at least that of it.
        last = self.curves[self.choice][-1]
        known = self.costs.of(last.rounds, last.pulls)
        latest = min(self._cost_at(self.choice, "low"), known)
        return tuple(spec for spec in others if self._cost_at(spec, "high") <= latest)

    def today(self) -> str | None:
        """Today's way that costs least, if any is known to reach what was asked for."""
        costs = {spec: self.cost(spec) for spec in TODAY if spec in self.curves}
        known = {spec: cost for spec, cost in costs.items() if cost is not None}
        return min(known, key=known.__getitem__) if known else None

    def next_to_nothing(self) -> bool:
        """Whether the choice saves less than a twentieth of what today's way costs."""
        today, cost = self.today(), self.cost(self.choice)
        if today is None or cost is None or self.choice in TODAY:
            return False
        return cost > (1 - LITTLE) * (self.cost(today) or 0.0)

    def budget(self) -> int:
        """Pulls (rounds, for little regret) with which the choice does what the plan says."""
        need = self.need(self.choice, self.confidence)
        if self.regret is not None:
            return self.regret.rounds
        return self.most if need is None else need.budget

    def _paid(self, regret: Comparison, spec: str) -> FloatArray:
        """[runs]: regret, pulls and rounds of every run in money."""
        runs = regret.agents[spec]
        return runs.regret + self.costs.pull * runs.pulls + self.costs.round * regret.rounds

    def _cost_at(self, spec: str, edge: Literal["low", "high"]) -> float:
        need = self.need(spec, self.confidence, edge)
        return np.inf if need is None else self.costs.of(need.rounds, need.pulls)

    def cheapest(self) -> str:
        """The agent (today's ways included) of the least cost; else the one most often right."""
        costs = {spec: self.cost(spec) for spec in self.curves}
        known = {spec: cost for spec, cost in costs.items() if cost is not None}
        if known:
            return min(known, key=known.__getitem__)
        return max(self.curves, key=lambda spec: self.curves[spec][-1].right.mean)

    def to_dict(self) -> dict[str, Any]:
        """All that is needed to read it without this program: problem, version, settings."""
        agents = {
            spec: {
                "cost": self.cost(spec),
                "needs": {f"{t:g}": _plain(self.need(spec, t)) for t in self.targets()},
                "curve": [
                    {"budget": p.budget, "right": p.right.to_dict(), "rounds": p.rounds,
                     "pulls": p.pulls}
                    for p in points
                ],
            }
            for spec, points in self.curves.items()
        }  # fmt: skip
        return {
            "spnb": own_version(), "kind": "plan", "problem": self.data.name,
            "arms": list(self.data.arms), "means": list(self.data.means),
            "tolerance": self.tolerance, "most": self.most,
            "goal": self.goal, "replay": self.replay, "confidence": self.confidence,
            "cost_per_pull": self.costs.pull, "cost_per_round": self.costs.round,
            "runs": self.runs, "seed": self.seed, "limit": LIMITS[self.goal], "choice": self.choice,
            "level_with_choice": list(self.level()),
            "sure": None if self.sure is None else self.sure.to_dict(), "agents": agents,
            "regret": None if self.regret is None else self.regret.to_dict(),
        }  # fmt: skip


def _plain(need: Need | None) -> dict[str, float] | None:
    return None if need is None else {"rounds": need.rounds, "pulls": need.pulls}
