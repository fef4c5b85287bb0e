"""Simulate agents on a problem made from data, with larger and larger budgets."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from spnb.base.errors import SpecError
from spnb.base.params import unit_number, whole_number
from spnb.engine.blocks import Progress, Workers, checked_workers
from spnb.engine.dice import checked_seed
from spnb.plan.answer import ALWAYS, LIMITS, TODAY, Costs, Goal, Plan, Point
from spnb.problems import Problem
from spnb.problems.readers.data import ProblemData
from spnb.simulation.metrics import Estimate
from spnb.simulation.results import Comparison
from spnb.simulation.simulate import identify, simulate

AGENTS: dict[Goal, tuple[str, ...]] = {
    "best": (
        "Pack(early)", "Seq(UCBE(c=2, plugin))", "UCBE(c=2, plugin)", "CR-A+", "SR+",
    ),
    "regret": ("Challenge", "Seq(TS)", "TS"),
}  # fmt: skip
"""Agents that need no knowledge that a live learner does not have."""

STEP = 1.4


def plan(
    data: ProblemData,
    goal: Goal = "best",
    *,
    agents: Sequence[str] = (),
    confidence: float = 0.95,
    costs: Costs | None = None,
    rounds: int = 365,
    most: int = 4000,
    runs: int = 1000,
    seed: int | None = None,
    replay: str | None = None,
    tolerance: float = 0.0,
    workers: Workers = 1,
    progress: Progress | None = None,
) -> Plan:
    """Simulate agents on the user's own problem, beside today's way, and choose one.

    ``goal="best"``: who finds the best arm with ``confidence`` at the least cost. Every agent is
    run with larger and larger budgets of pulls (up to ``most``) until it is right often enough.
    ``goal="regret"``: whose ``rounds`` rounds cost least, what regret loses included. A recorded
    table is resampled unless ``replay`` says otherwise, so that the answer is no accident of the
    order of its days; how the choice fares if the record itself is drawn anew is looked at too.
    Any arm within ``tolerance`` of the best mean is as good as the best.
    """
    _check(goal, confidence)
    agents = [agents] if isinstance(agents, str) else agents
    replay = replay or ("bernoulli" if data.table is None else "resample")
    problem = data.problem(replay)
    specs = [*(agents or AGENTS[goal]), *(spec for spec in TODAY if spec not in agents)]
    budgets = _budgets(problem.arms, most) if goal == "best" else _budgets(1, rounds)
    regret_work = rounds if goal == "regret" else 0
    work = _Work(progress, len(specs) * (sum(budgets) + regret_work))
    with _hands(workers) as hands:
        study = _Study(problem, goal, runs, checked_seed(seed), hands, work, tolerance)
        regret = study.regret(specs, rounds) if goal == "regret" else None
        curves = {spec: study.curve(spec, budgets, max(confidence, *ALWAYS)) for spec in specs}
        prices = costs or (Costs(1.0, 1.0) if goal == "best" else Costs())
        found = Plan(
            data, goal, replay, confidence, prices, runs, study.seed, budgets[-1], curves, regret,
            tolerance=tolerance,
        )  # fmt: skip
        choice = found.cheapest()
        return replace(found, choice=choice, sure=_sure(found, choice, study))


def _check(goal: str, confidence: float) -> None:
    unit_number("confidence", confidence)
    if goal not in get_args(Goal):
        raise SpecError(f"goal must be 'best' or 'regret', got {goal!r}")
    if not 0.5 <= confidence < 1:
        raise SpecError(f"confidence must be from 0.5 to below 1, got {confidence}")


@contextmanager
def _hands(workers: Workers) -> Iterator[Workers]:
    """One set of processes for the many small simulations, not one for each."""
    checked = checked_workers(workers)
    if isinstance(checked, int) and checked > 1:
        with ProcessPoolExecutor(checked) as pool:
            yield pool
    else:
        yield checked


class _Work:
    """Progress over many small simulations."""

    def __init__(self, progress: Progress | None, total: float) -> None:
        self.progress, self.total, self.done = progress, float(total), 0.0

    def add(self, work: float) -> None:
        self.done += work
        if self.progress is not None:
            self.progress(min(self.done, self.total), self.total)


@dataclass(slots=True)
class _Study:
    """One problem, one seed: every number can be had again from ``simulate`` or ``identify``."""

    problem: Problem
    goal: Goal
    runs: int
    seed: int
    workers: Workers
    report: _Work
    tolerance: float

    def regret(self, specs: Sequence[str], rounds: int) -> Comparison:
        result = simulate(
            self.problem,
            specs,
            rounds=rounds,
            runs=self.runs,
            seed=self.seed,
            workers=self.workers,
            tolerance=self.tolerance,
        )
        self.report.add(len(specs) * rounds)
        return result

    def curve(self, spec: str, budgets: Sequence[int], enough: float) -> tuple[Point, ...]:
        """Budget after budget, until right often enough twice running, and surely so."""
        points: list[Point] = []
        for budget in budgets:
            points.append(self.point(spec, budget))
            self.report.add(budget)
            twice = len(points) > 1 and all(point.right.mean >= enough for point in points[-2:])
            if twice and points[-1].right.low >= enough:
                self.report.add(sum(later for later in budgets if later > budget))
                break
        return tuple(points)

    def point(self, spec: str, budget: int) -> Point:
        found = identify(
            self.problem,
            spec,
            budget=budget,
            limit=LIMITS[self.goal],
            runs=self.runs,
            seed=self.seed,
            workers=self.workers,
            tolerance=self.tolerance,
        ).summary()[spec]
        error = found["error"]
        right = Estimate(1 - error.mean, 1 - error.high, 1 - error.low)
        return Point(budget, right, found["rounds"].mean, found["pulls"].mean)


def _budgets(least: int, most: int) -> list[int]:
    """From ``least`` to ``most``, each about 1.4 times the one before."""
    if whole_number("the largest budget (--most, --rounds)", most) < least:
        raise SpecError(
            f"the largest budget (--most, --rounds) must be at least {least}, got {most}"
        )
    steps = int(np.ceil(np.log(most / least) / np.log(STEP)))
    grid = np.geomspace(least, most, steps + 1) if steps else np.array([least])
    return sorted({round(budget) for budget in grid.tolist()})


def _sure(result: Plan, choice: str, study: _Study) -> Estimate | None:
    """How often the chosen plan is right if the record itself is drawn anew for every run."""
    need = result.need(choice, result.confidence)
    if result.data.table is None and result.data.trials is None:
        return None
    budget = result.most if need is None else need.budget
    return replace(study, problem=result.data.problem("worlds")).point(choice, budget).right
