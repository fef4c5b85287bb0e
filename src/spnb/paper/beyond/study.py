"""What evidence is made of: cases, each some agents on one problem, and what is told of them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.problems import Problem, described
from spnb.simulation.results import Comparison, RegretRuns
from spnb.simulation.simulate import simulate
from spnb.theory import bayes_limit
from spnb.theory.limit import Family

QUICK_RUNS = 40
LOST = 0.5  # of the rounds: who misses the best arm in more of them has lost it


@dataclass(frozen=True)
class Case:
    """Agents on one problem; the first is the one that the others are held against."""

    title: str
    helps: bool  # whether the capability should help here
    problem: Any  # a Problem
    agents: tuple[str, ...]
    rounds: int
    cost: float | None = None  # of a pull
    limit: bool = False  # whether the family has a limit that no agent can go below


def play(case: Case, runs: int, seed: int) -> Comparison:
    problem: Problem = case.problem
    agents = list(case.agents)
    return simulate(problem, agents, rounds=case.rounds, runs=runs, seed=seed, cost=case.cost)


def limit(family: Family, rounds: int) -> float:
    return bayes_limit(family, rounds)


@dataclass(frozen=True)
class Study:
    """One capability: a recipe like those of the paper's own parts."""

    name: ClassVar[str]
    title: ClassVar[str]
    advice: ClassVar[str]  # when to use what

    runs: int = 2000
    seed: int = 1

    def quick(self) -> Self:
        """A smaller one of its kind."""
        return replace(self, runs=QUICK_RUNS)

    def cases(self) -> dict[str, Case]:
        raise NotImplementedError

    def tasks(self) -> dict[Any, Task]:
        cases = self.cases()
        tasks: dict[Any, Task] = {
            name: Task(play, (case, self.runs, self.seed), self._weight(case))
            for name, case in cases.items()
        }
        for name, case in cases.items():
            if case.limit:
                tasks[name, "limit"] = Task(limit, (case.problem, case.rounds), weight=1e7)
        return tasks

    def _weight(self, case: Case) -> float:
        return float(case.rounds * self.runs * case.problem.arms)

    def results(self, found: Mapping[Any, Any]) -> Plain:
        cases = {
            name: _case(case, found[name], found.get((name, "limit")))
            for name, case in self.cases().items()
        }
        told = {"title": self.title, "advice": self.advice, "runs": self.runs, "seed": self.seed}
        return {**told, "cases": cases}


def _case(case: Case, result: Comparison, least: float | None) -> Plain:
    first = result.agents[case.agents[0]]
    return {
        "title": case.title,
        "helps": case.helps,
        "rounds": case.rounds,
        "problem": described(case.problem),
        "limit": None if least is None else plain.number(least),
        "agents": {spec: _agent(runs, first) for spec, runs in result.agents.items()},
    }


def _agent(runs: RegretRuns, first: RegretRuns) -> Plain:
    """Mean, tails and what is saved against the first agent, in the same worlds."""
    tail = {f"q{level}": np.quantile(runs.regret, level / 100) for level in (50, 95, 99)}
    return {
        "regret": plain.mean(runs.regret),
        "against_first": plain.mean(runs.regret - first.regret),
        "ratio": plain.number(float(runs.regret.mean() / max(first.regret.mean(), 1e-12))),
        **{name: plain.number(float(value)) for name, value in tail.items()},
        "lost": plain.number(float(np.mean(runs.opti < LOST))),
        "pulls_per_round": plain.mean(runs.pulls_per_round),
    }
