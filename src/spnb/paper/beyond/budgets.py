"""Identification within two budgets and without an oracle: error against rounds.

The seven problems of Audibert & Bubeck, with their budgets of pulls, and random ones of many sizes.
Nothing but UCBE itself is told how hard a problem is.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from spnb.engine.arrays import FloatArray
from spnb.engine.dice import generator
from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.paper.plates import Plate, point
from spnb.problems import BUDGETS, Bernoulli, experiment
from spnb.simulation.results import IdentifyRuns
from spnb.simulation.simulate import identify

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHARES = (1 / 2, 1 / 3, 1 / 4, 1 / 6)
"""Rounds of Pack, as shares of the pulls."""

ORACLE = "UCBE, told H1"
ALONE = {
    ORACLE: "UCBE(c=2)",
    "UCBE(plugin)": "UCBE(c=2, plugin)",
    "Seq(UCBE(plugin))": 'Seq(UCBE(c=2, plugin, ties="ahead"))',
    "CR-A+": "CR-A+",
    "CR-C+": "CR-C+",
    "SR+": "SR+",
}
PACKED = {
    "Pack(UCBE(plugin))": "Pack(UCBE(c=2, plugin), rounds={rounds}, pulls={pulls})",
    "Pack(UCBE(plugin), early)": "Pack(UCBE(c=2, plugin), rounds={rounds}, pulls={pulls}, early)",
    "Pack(T3C, early)": "Pack(T3C, rounds={rounds}, pulls={pulls}, early)",
}
MARKS = dict(zip((*ALONE, *PACKED), "osD^v<PX*", strict=True))
COLOURS = dict(
    zip(
        (*ALONE, *PACKED),
        ("#E69F00", "#0072B2", "#56B4E9", "#CC79A7", "#8C6D31", "#7F7F7F", "#000000", "#009E73",
         "#D55E00"),
        strict=True,
    )
)  # fmt: skip
HARD = 3  # experiment of four arms: a quarter of the rounds leaves nothing to choose

Key = tuple[str, str, float]
"""What is looked at, who plays, and its rounds as a share of the pulls."""


@dataclass(frozen=True)
class Budgets:
    """``runs`` of each of the seven problems; ``each`` of every one of ``problems`` random ones."""

    name: ClassVar[str] = "budgets"

    runs: int = 4000
    seed: int = 1
    problems: int = 200
    each: int = 100
    shares: tuple[float, ...] = SHARES

    @classmethod
    def quick(cls) -> "Budgets":
        return cls(runs=60, problems=10, each=5, shares=SHARES[1:3])

    def tasks(self) -> dict[Key, Task]:
        tasks: dict[Key, Task] = {}
        for label, share, spec in self._players():
            for number, budget in BUDGETS.items():
                call = (experiment(number), spec, share, budget, self.runs, self.seed)
                tasks[str(number), label, share] = Task(found, call, float(budget * self.runs))
            some = (spec, share, self.problems, self.each, self.seed)
            weight = 1000.0 * self.problems * self.each
            tasks["random", label, share] = Task(on_random, some, weight)
        return tasks

    def _players(self) -> list[tuple[str, float, str]]:
        packed = [(label, share, spec) for label, spec in PACKED.items() for share in self.shares]
        return [*((label, 1.0, spec) for label, spec in ALONE.items()), *packed]

    def results(self, found: Mapping[Key, IdentifyRuns]) -> Plain:
        seven = [str(number) for number in BUDGETS]
        listed = {
            "seven": [self._row(label, share, seven, found) for label, share, _ in self._players()],
            "random": [self._row(label, share, ["random"], found)
                       for label, share, _ in self._players()],
            "hard": [self._row(label, share, [str(HARD)], found)
                     for label, share, _ in self._players()],
        }  # fmt: skip
        sizes = {"runs": self.runs, "problems": self.problems, "each": self.each}
        return {"seed": self.seed, **sizes, **listed}

    def _row(
        self, label: str, share: float, problems: list[str], found: Mapping[Key, IdentifyRuns]
    ) -> Plain:
        """Error, rounds and pulls, averaged over problems run by run, beside the oracle's error."""
        mine = [found[problem, label, share] for problem in problems]
        told = [found[problem, ORACLE, 1.0] for problem in problems]
        error = np.mean([runs.error for runs in mine], axis=0)
        return {
            "agent": label,
            "share": share,
            "error": plain.mean(error),
            "more": plain.mean(error - np.mean([runs.error for runs in told], axis=0)),
            "rounds": plain.mean(np.mean([runs.rounds for runs in mine], axis=0)),
            "pulls": plain.mean(np.mean([runs.pulls for runs in mine], axis=0)),
            "by_problem": [plain.number(float(runs.error.mean())) for runs in mine],
        }


def found(
    problem: Bernoulli, spec: str, share: float, budget: int, runs: int, seed: int
) -> IdentifyRuns:
    """Runs of one agent; its rounds and pulls are told as shares of the budget."""
    spec = spec.format(rounds=max(1, round(share * budget)), pulls=budget)
    played = identify(problem, spec, budget=budget, runs=runs, seed=seed).agents[spec]
    return IdentifyRuns(
        played.error, played.rounds / budget, played.pulls / budget, played.undecided,
        played.arm_errors,
    )  # fmt: skip


def on_random(spec: str, share: float, problems: int, each: int, seed: int) -> IdentifyRuns:
    """Runs of one agent on random problems, ``each`` of every one."""
    several = [
        found(problem, spec, share, budget, each, seed + number)
        for number, (problem, budget) in enumerate(random_problems(problems, seed))
    ]
    columns = ("error", "rounds", "pulls", "undecided", "arm_errors")
    # A problem is what varies: its runs are averaged, so that intervals are over problems.
    return IdentifyRuns(*(_by_problem([getattr(runs, c) for runs in several]) for c in columns))


def _by_problem(values: list[FloatArray]) -> FloatArray:
    return np.array([each.mean(axis=0) for each in values])


def random_problems(number: int, seed: int) -> list[tuple[Bernoulli, int]]:
    """Uniform means of 4 to 30 arms, and as many pulls as H1, from 200 to 6000."""
    luck = generator(seed, "random identification problems")
    chosen = []
    for _ in range(number):
        means = luck.uniform(0.0, 1.0, size=int(luck.integers(4, 31))).round(3)
        problem = Bernoulli(tuple(means.tolist()))
        chosen.append((problem, int(np.clip(problem.h1, 200, 6000))))
    return chosen


def plates(results: Plain) -> list[Plate]:
    caption = (
        f"Mean error over the seven problems ({results['runs']} runs of each), over "
        f"{results['problems']} random problems ({results['each']} runs of each), and on the one "
        "of four arms, where a quarter of the rounds means every arm in every round. Rounds are "
        "shares of the pulls, on a logarithmic axis; bars are 95 % intervals. Down is better, and "
        "so is left. Only UCBE is told how hard the problem is."
    )
    title = "Two budgets, no oracle: error against rounds"
    titles = {
        "seven": "the paper's seven problems",
        "random": f"{results['problems']} random problems",
        "hard": "four arms",
    }
    panels = [partial(draw, results[key], name) for key, name in titles.items()]
    return [Plate("beyond-budgets", title, caption, panels, (*ALONE, *PACKED), points=True)]


def draw(rows: list[Plain], title: str, axes: "Axes") -> None:
    for row in rows:
        agent = row["agent"]
        marks = {"marker": MARKS[agent], "label": agent}
        point(axes, row["rounds"]["mean"], row["error"], COLOURS[agent], **marks)
    for agent in PACKED:
        mine = sorted((row for row in rows if row["agent"] == agent), key=lambda row: row["share"])
        at = [row["rounds"]["mean"] for row in mine]
        axes.plot(at, [row["error"]["mean"] for row in mine], color=COLOURS[agent], lw=0.8)
    axes.set_xscale("log")
    axes.set_xticks([0.1, 0.2, 0.5, 1], ["0.1", "0.2", "0.5", "1"])
    axes.minorticks_off()
    axes.set(title=title, xlabel="rounds / pulls", ylabel="share of wrong answers", ylim=(0, None))
