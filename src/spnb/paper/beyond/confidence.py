"""Identification with a fixed confidence: does the error stay below delta, and at what price?

``Safety`` counts errors on easier versions of the seven problems and on random ones; ``Prices``
counts rounds and pulls, beside T*(mu) ln(1/delta), where telling arms apart is uneven work and
where it is not.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from spnb import theory
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

AGENTS = ("Race", "Seq(T3C)", "Seq(TTTS)", "Seq(TrackAndStop)", "Seq(LUCB)", "Seq(KLLUCB)")
PRACTICAL = {
    "Race": 'Race(stop="practical")',
    **{name: name[:-1] + '(stop="practical"))' for name in AGENTS[1:]},
}
STOPS = {"proven": {name: name for name in AGENTS}, "practical": PRACTICAL}
MARKS = dict(zip(AGENTS, "oPsD^v", strict=True))
COLOURS = dict(
    zip(AGENTS, ("#009E73", "#0072B2", "#56B4E9", "#D55E00", "#E69F00", "#CC79A7"), strict=True)
)
PROBLEMS = {
    "two close rivals": (0.5, 0.45, 0.43, 0.4),
    "one close rival": (0.5, 0.4, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
    "all alike": (0.5, 0.35, 0.35, 0.35, 0.35),
}
"""The first is Garivier & Kaufmann's; in the last, even pulling is nearly the best there is."""

LEAST_GAP = 0.2  # of the paper's problems made easier
SafetyKey = tuple[str, str, str, float]
PriceKey = tuple[str, str, str, float]


def easier(number: int) -> Bernoulli:
    """A problem of the paper with all gaps so many times wider that the least of them is 0.2."""
    gaps = experiment(number).gaps
    wider = LEAST_GAP / gaps[gaps > 0].min() * gaps
    return Bernoulli(tuple(np.maximum(0.5 - wider, 0.02).round(6).tolist()))


def random_problem(number: int, seed: int) -> Bernoulli:
    """Uniform means of 3 to 10 arms, the best at least 0.1 ahead."""
    luck = generator(seed + number, "random problems for a confidence")
    means = np.sort(luck.uniform(0.05, 0.85, size=int(luck.integers(3, 11))))
    means[-1] = min(means[-2] + luck.uniform(0.1, 0.3), 0.95)
    return Bernoulli(tuple(luck.permutation(means).round(3).tolist()))


def sure(problem: Bernoulli, spec: str, delta: float, runs: int, seed: int) -> IdentifyRuns:
    return identify(problem, spec, confidence=1 - delta, runs=runs, seed=seed).agents[spec]


@dataclass(frozen=True)
class Safety:
    """``runs`` of every agent on every problem, at every delta."""

    name: ClassVar[str] = "safety"

    runs: int = 2000
    seed: int = 1
    deltas: tuple[float, ...] = (0.05, 0.1)
    problems: int = 50
    experiments: tuple[int, ...] = tuple(BUDGETS)
    agents: tuple[str, ...] = AGENTS
    stops: tuple[str, ...] = tuple(STOPS)

    @classmethod
    def quick(cls) -> "Safety":
        return cls(runs=100, problems=3, experiments=(1, 4), agents=AGENTS[:2])

    def _problems(self) -> dict[str, Bernoulli]:
        own = {f"{number}, easier": easier(number) for number in self.experiments}
        drawn = {f"random {n}": random_problem(n, self.seed) for n in range(self.problems)}
        return own | drawn

    def tasks(self) -> dict[SafetyKey, Task]:
        return {
            (label, stop, agent, delta): Task(
                sure,
                (problem, STOPS[stop][agent], delta, self.runs, self.seed),
                float(theory.characteristic_time(problem.means)),
            )
            for label, problem in self._problems().items()
            for stop in self.stops
            for agent in self.agents
            for delta in self.deltas
        }

    def results(self, found: Mapping[SafetyKey, IdentifyRuns]) -> Plain:
        rows = [
            {
                "agent": agent,
                "stop": stop,
                "delta": delta,
                **self._errors(stop, agent, delta, found),
            }
            for stop in self.stops
            for agent in self.agents
            for delta in self.deltas
        ]
        sizes = {"runs": self.runs, "problems": len(self._problems())}
        return {"seed": self.seed, **sizes, "rows": rows}

    def _errors(
        self, stop: str, agent: str, delta: float, found: Mapping[SafetyKey, IdentifyRuns]
    ) -> Plain:
        """The error on the worst problem and on all of them, with exact intervals."""
        wrong = {
            label: int(found[label, stop, agent, delta].error.sum()) for label in self._problems()
        }
        undecided = sum(int(found[p, stop, agent, delta].undecided.sum()) for p in wrong)
        worst = max(wrong, key=wrong.__getitem__)
        count = self.runs * len(wrong)
        return {
            "worst": worst,
            "worst_error": exact_share(wrong[worst], self.runs),
            "error": exact_share(sum(wrong.values()), count),
            "undecided": undecided,
        }


def exact_share(hits: int, count: int) -> Plain:
    """A share with its 95 % interval of Clopper & Pearson."""
    from scipy.special import betaincinv

    low = betaincinv(hits, count - hits + 1, 0.025) if hits else 0.0
    high = betaincinv(hits + 1, count - hits, 0.975) if hits < count else 1.0
    return {
        "mean": plain.number(hits / count),
        "low": plain.number(float(low)),
        "high": plain.number(float(high)),
    }


@dataclass(frozen=True)
class Prices:
    """``runs`` of every agent on three problems, at every delta, with both stop rules."""

    name: ClassVar[str] = "prices"

    runs: int = 1000
    seed: int = 1
    deltas: tuple[float, ...] = (0.1, 0.01, 0.001)
    agents: tuple[str, ...] = AGENTS

    @classmethod
    def quick(cls) -> "Prices":
        return cls(runs=30, deltas=(0.1, 0.01))

    def tasks(self) -> dict[PriceKey, Task]:
        return {
            (label, stop, agent, delta): Task(
                sure,
                (Bernoulli(means), spec, delta, self.runs, self.seed),
                float(theory.characteristic_time(means)) * -np.log(delta),
            )
            for label, means in PROBLEMS.items()
            for stop, specs in STOPS.items()
            for agent, spec in specs.items()
            if agent in self.agents
            for delta in self.deltas
        }

    def results(self, found: Mapping[PriceKey, IdentifyRuns]) -> Plain:
        return {
            "seed": self.seed,
            "runs": self.runs,
            "deltas": list(self.deltas),
            "problems": {
                label: {
                    "means": list(means),
                    "time": plain.number(float(theory.characteristic_time(means))),
                    "rows": [
                        self._row(label, stop, agent, delta, found)
                        for stop in STOPS
                        for agent in self.agents
                        for delta in self.deltas
                    ],
                }
                for label, means in PROBLEMS.items()
            },
        }

    def _row(
        self,
        label: str,
        stop: str,
        agent: str,
        delta: float,
        found: Mapping[PriceKey, IdentifyRuns],
    ) -> Plain:
        runs = found[label, stop, agent, delta]
        reference = float(theory.characteristic_time(PROBLEMS[label])) * -np.log(delta)
        return {
            "agent": agent,
            "stop": stop,
            "delta": delta,
            "rounds": plain.mean(runs.rounds),
            "pulls": plain.mean(runs.pulls),
            "times": plain.mean(runs.pulls / reference),
            "error": exact_share(int(runs.error.sum()), len(runs.error)),
        }


def plates(results: Plain) -> list[Plate]:
    """Of ``Prices``; what ``Safety`` finds is a table."""
    if "deltas" not in results:
        return []
    caption = (
        f"Rounds against pulls until the agent is sure, means of {results['runs']} runs with 95 % "
        "intervals, at the smallest delta. Filled: the proven stop rule; hollow: the practical "
        "one. Dashed: T*(mu) ln(1/delta) pulls, which no agent does with much less for small "
        "delta. Left is better, and so is down: Race is made for few rounds, Seq for few pulls."
    )
    title = "Until sure: rounds and pulls"
    panels = [partial(draw, results, label) for label in results["problems"]]
    return [Plate("beyond-confidence", title, caption, panels, AGENTS, points=True)]


def draw(results: Plain, label: str, axes: "Axes") -> None:
    problem, delta = results["problems"][label], min(results["deltas"])
    for row in problem["rows"]:
        if row["delta"] == delta:
            name, hollow = row["agent"], row["stop"] == "practical"
            marks = {"marker": MARKS[name], "label": "_" if hollow else name}
            marks |= {"mfc": "white"} if hollow else {}
            point(axes, row["pulls"]["mean"], row["rounds"], COLOURS[name], **marks)
    axes.axvline(problem["time"] * -np.log(delta), color="#555555", ls="--", lw=0.9)
    axes.set(title=f"{label}, delta = {delta:g}", xlabel="pulls", ylabel="rounds", xlim=(0, None))
    axes.set_ylim(0, None)
