"""Which arms exceed a level: the set within a budget (APT) and with a confidence (Above)."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from spnb.paper.beyond.confidence import exact_share
from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.paper.plates import Plate, line
from spnb.problems import Bernoulli
from spnb.problems.drawn import WATER_MEANS
from spnb.simulation.results import IdentifyRuns
from spnb.simulation.simulate import identify

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVEL = 0.3
PROBLEMS = {
    "two near the level": (0.05, 0.1, 0.1, 0.15, 0.22, 0.38, 0.5, 0.6, 0.7, 0.8),
    "water slots": WATER_MEANS,
    "all as far": (0.15, 0.15, 0.15, 0.15, 0.15, 0.45, 0.45, 0.45, 0.45, 0.45),
}
"""The slots of the water problem pay seldom; in the last all arms are as hard to place."""

EVEN = "every arm, every round"
AGENTS = {
    "Seq(APT)": f'Seq(APT(level={LEVEL}, ties="ahead"))',
    "Pack(APT)": f"Pack(APT(level={LEVEL}), rounds={{rounds}}, pulls={{pulls}})",
    EVEN: f"Above(level={LEVEL}, delta=1e-300)",  # it never places an arm
}
COLOURS = dict(zip(AGENTS, ("#0072B2", "#009E73", "#7F7F7F"), strict=True))
BUDGETS = (50, 100, 200, 400, 800)
Key = tuple[str, str, float]


def placed(problem: Bernoulli, spec: str, budget: int, runs: int, seed: int) -> IdentifyRuns:
    spec = spec.format(rounds=max(1, budget // 3), pulls=budget)
    return identify(problem, spec, budget=budget, runs=runs, seed=seed).agents[spec]


def sure(problem: Bernoulli, delta: float, runs: int, seed: int) -> IdentifyRuns:
    spec = f"Above(level={LEVEL})"
    return identify(problem, spec, confidence=1 - delta, runs=runs, seed=seed).agents[spec]


@dataclass(frozen=True)
class Thresholds:
    """``runs`` of every agent on three problems, for every budget; Above at every delta."""

    name: ClassVar[str] = "thresholds"

    runs: int = 2000
    seed: int = 1
    budgets: tuple[int, ...] = BUDGETS
    deltas: tuple[float, ...] = (0.1, 0.05)

    @classmethod
    def quick(cls) -> "Thresholds":
        return cls(runs=60, budgets=BUDGETS[1:3])

    def tasks(self) -> dict[Key, Task]:
        tasks: dict[Key, Task] = {}
        for label, means in PROBLEMS.items():
            problem = Bernoulli(means)
            for agent, spec in AGENTS.items():
                for budget in self.budgets:
                    call = (problem, spec, budget, self.runs, self.seed)
                    tasks[label, agent, budget] = Task(placed, call, float(budget))
            for delta in self.deltas:
                call_sure = (problem, delta, self.runs, self.seed)
                tasks[label, "Above", delta] = Task(sure, call_sure, 5000.0)
        return tasks

    def results(self, found: Mapping[Key, IdentifyRuns]) -> Plain:
        return {
            "seed": self.seed,
            "runs": self.runs,
            "level": LEVEL,
            "problems": {
                label: {
                    "means": list(means),
                    "agents": {a: self._curve(label, a, found) for a in AGENTS},
                    "above": [self._sure(label, delta, found) for delta in self.deltas],
                }
                for label, means in PROBLEMS.items()
            },
        }

    def _curve(self, label: str, agent: str, found: Mapping[Key, IdentifyRuns]) -> Plain:
        """Share of wrong sets against the pulls; rounds used, and the errors of each arm."""
        mine = [found[label, agent, budget] for budget in self.budgets]
        shares = [exact_share(int(runs.error.sum()), len(runs.error)) for runs in mine]
        return {
            "rounds": list(self.budgets),
            **{end: [share[end] for share in shares] for end in ("mean", "low", "high")},
            "rounds_used": [plain.mean(runs.rounds) for runs in mine],
            "arm_errors": [[plain.number(e) for e in runs.arm_error()] for runs in mine],
        }

    def _sure(self, label: str, delta: float, found: Mapping[Key, IdentifyRuns]) -> Plain:
        runs = found[label, "Above", delta]
        return {
            "delta": delta,
            "error": exact_share(int(runs.error.sum()), len(runs.error)),
            "rounds": plain.mean(runs.rounds),
            "pulls": plain.mean(runs.pulls),
            "undecided": int(runs.undecided.sum()),
        }


def plates(results: Plain) -> list[Plate]:
    caption = (
        f"Which arms exceed {results['level']:g}? Share of {results['runs']} runs whose set has "
        "an arm on the wrong side, against the pulls, with 95 % intervals. Pack spends them in a "
        "third as many rounds."
    )
    title = "Above a level: wrong sets against pulls"
    panels = [partial(draw, results, label) for label in results["problems"]]
    return [Plate("beyond-thresholds", title, caption, panels, tuple(AGENTS))]


def draw(results: Plain, label: str, axes: "Axes") -> None:
    curves = results["problems"][label]["agents"]
    for agent, curve in curves.items():
        line(axes, curve, agent, COLOURS[agent])
    axes.set_xscale("log")
    at = next(iter(curves.values()))["rounds"]
    axes.set_xticks(at, [f"{pulls}" for pulls in at])
    axes.minorticks_off()
    axes.set(title=label, xlabel="pulls", ylabel="share of wrong sets", ylim=(0, None))
