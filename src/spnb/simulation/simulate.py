"""Compare agents on a problem: regret (``simulate``) and best-arm identification (``identify``).

Every agent faces the same worlds (common random numbers), and every number is a function of the
seed: the same for any number of workers, any order or subset of agents, in any process.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from spnb import theory
from spnb.bandits.agents import Agent
from spnb.bandits.policies import Policy
from spnb.bandits.spec import agent as parse_agent
from spnb.base.errors import SpecError
from spnb.base.params import unit_number, whole_number
from spnb.base.words import shown
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.blocks import Progress, Workers, checked_workers, run_all, split
from spnb.engine.dice import checked_seed
from spnb.engine.play import Game, Limits, Played, Tick, Worth, play, prepare
from spnb.problems import Problem, ProblemLike, Worlds, as_problem, described
from spnb.simulation import metrics
from spnb.simulation.answers import Sides, level_of, with_risk
from spnb.simulation.metrics import Goal, Moving
from spnb.simulation.results import Comparison, Curve, Identification, IdentifyRuns, RegretRuns
from spnb.theory.limit import Family

AgentLike = str | Agent | Policy

CURVE_POINTS = 1000
LIMIT_POINTS = 12
PATIENCE = 1_000_000  # pulls after which a run ends that is not sure yet


def simulate(
    problem: ProblemLike,
    agents: AgentLike | Sequence[AgentLike],
    *,
    rounds: int,
    runs: int = 100,
    seed: int | None = None,
    workers: Workers = 1,
    best: int = 1,
    tolerance: float = 0.0,
    cost: float | None = None,
    limit: bool = False,
    progress: Progress | None = None,
) -> Comparison:
    """Play every agent for ``rounds`` rounds in ``runs`` worlds and measure its regret.

    ``best`` is the number of slots of a round worth filling: regret is counted against pulling
    the ``best`` best arms in every round. Arms of equal mean, or within ``tolerance`` of the
    last of these places, are as good as each other. With a ``cost`` of a pull, regret is counted
    against pulling exactly the arms whose mean is above it. ``limit`` asks for what no agent can
    go below on average (``theory.bayes_limit``), where the problem is a family that has one. Curves
    have at most 1000 points, whatever ``rounds``.
    """
    problem, chosen = as_problem(problem), _agents(agents)
    rounds, runs = whole_number("rounds", rounds), whole_number("runs", runs)
    best, tolerance = whole_number("best", best), unit_number("tolerance", tolerance)
    cost = None if cost is None else unit_number("cost", cost)
    if best > problem.arms:
        raise SpecError(f"best must be from 1 to the number of arms {problem.arms}, got {best}")
    seed, changing = checked_seed(seed), changes(problem)
    if (cost is not None or changing) and (best != 1 or tolerance):
        raise SpecError("where means change or a pull has a cost, best must be 1 and tolerance 0")
    if cost is not None and changing:
        raise SpecError("a cost of a pull needs means that do not change")
    task = _RegretTask(problem, seed, runs, rounds, best, tolerance, cost)
    if limit and not has_limit(problem, best, tolerance, cost):
        raise SpecError(
            "a limit is known only of regret against the one best arm, for means that are drawn "
            f"independently, such as RandomMeans; got {type(problem).__name__}"
        )
    parts = _run(task, chosen, rounds, runs, workers, progress)
    blocks = {spec: _join_regret(rounds, part) for spec, part in parts.items()}
    if changing or cost is not None:
        lower = one_pull = _no_bound(rounds)
    else:
        lower, one_pull = _bounds(problem, seed, rounds, runs, tolerance)
    settings = {"best": best, "tolerance": tolerance}
    settings |= {} if cost is None else {"cost": cost}
    told = described(problem) | ({"changing": True} if changing else {})
    least = _limits(problem, rounds) if limit else None
    return Comparison(seed, rounds, runs, blocks, lower, one_pull, told, settings, least)


def identify(
    problem: ProblemLike,
    agents: AgentLike | Sequence[AgentLike],
    *,
    budget: int | None = None,
    confidence: float | None = None,
    limit: Literal["pulls", "rounds"] = "pulls",
    runs: int = 1000,
    seed: int | None = None,
    workers: Workers = 1,
    tolerance: float = 0.0,
    progress: Progress | None = None,
) -> Identification:
    """Let every agent look for the best arm (or for those above its level), in ``runs`` worlds.

    ``limit="pulls"`` stops after ``budget`` pulls (and at the latest after as many rounds, which
    is when one pull a round is through), ``limit="rounds"`` after ``budget`` rounds. Any arm within
    ``tolerance`` of the best mean is a right answer; so is either side for one so close to a level.

    With a ``confidence`` every agent runs until it is so sure (its ``delta`` is 1 - confidence),
    and the budget, a million if there is none, is only where those end that cannot decide.
    """
    problem, chosen = as_problem(problem), _agents(agents)
    if confidence is not None:
        confidence = unit_number("confidence", confidence, inside=True)
        risk = round(1.0 - confidence, 12)  # 1 - 0.95 is not quite 0.05
        chosen = {spec: with_risk(agent, risk) for spec, agent in chosen.items()}
    elif budget is None:
        raise SpecError("identify needs a budget or a confidence, got neither")
    budget = whole_number("budget", PATIENCE if budget is None else budget)
    runs, tolerance = whole_number("runs", runs), unit_number("tolerance", tolerance)
    if limit not in ("pulls", "rounds"):
        raise SpecError(f"limit must be 'pulls' or 'rounds', got {limit!r}")
    seed = checked_seed(seed)
    if changes(problem):
        raise SpecError("where means change, no arm is best for good: use simulate")
    limits = Limits(budget, budget if limit == "pulls" else None, heed_stop=True)
    task = _IdentifyTask(problem, seed, runs, limits, tolerance, confidence is not None)
    parts = _run(task, chosen, budget, runs, workers, progress)
    joined = {
        spec: IdentifyRuns(*(np.concatenate(column) for column in zip(*part, strict=True)))
        for spec, part in parts.items()
    }
    settings = {"tolerance": tolerance}
    found = Identification(seed, budget, limit, runs, joined, described(problem), settings)
    if confidence is None:
        return found
    known = None
    if all(level_of(agent) is None for agent in chosen.values()):  # it is about the best arm
        reference = _characteristic_time(problem, seed, runs) * -np.log(risk)
        known = float(reference) if np.isfinite(reference) else None  # tied: nobody is ever sure
    return replace(found, confidence=confidence, reference=known)


def curve_rounds(rounds: int) -> IntArray:
    """The rounds at which curves are noted: all of them, or 1000 evenly spread ones."""
    points = min(rounds, CURVE_POINTS)
    return np.unique(np.ceil(np.arange(1, points + 1) * (rounds / points)).astype(np.intp))


def _agents(agents: AgentLike | Sequence[AgentLike]) -> dict[str, Agent]:
    listed = [agents] if isinstance(agents, str | Agent | Policy) else agents
    if not isinstance(listed, Iterable):
        raise SpecError(f"agents must be specs, agents or policies, got {shown(agents)}")
    listed = list(listed)
    if not listed:
        raise SpecError("at least 1 agent is needed")
    chosen: dict[str, Agent] = {}
    for given in listed:
        if str(given) in chosen:
            raise SpecError(f"agent {str(given)!r} is given twice")
        chosen[str(given)] = parse_agent(given)
    return chosen


def has_limit(
    problem: Problem, best: int = 1, tolerance: float = 0.0, cost: float | None = None
) -> bool:
    """Whether it is known what no agent can go below on average."""
    return isinstance(problem, Family) and best == 1 and not tolerance and cost is None


def _limits(problem: Any, rounds: int) -> Curve:
    """The limit of runs that end after so many rounds, for a few numbers of them."""
    least = max(rounds // 100, 1)
    at = np.unique(np.geomspace(least, rounds, LIMIT_POINTS).round().astype(np.intp))
    limits = theory.bayes_limits(problem, at)
    return Curve(at, limits, limits, limits)


def _no_bound(rounds: int) -> Curve:
    at = curve_rounds(rounds)
    return Curve(at, *np.full((3, len(at)), np.nan))


def changes(problem: Problem) -> bool:
    """Whether means depend on the round."""
    return problem.worlds(0, np.arange(1)).law.changing


def _run(
    task: "_RegretTask | _IdentifyTask",
    agents: dict[str, Agent],
    rounds: int,
    runs: int,
    workers: Workers,
    progress: Progress | None,
) -> dict[str, list[Any]]:
    """Every (agent, block) as one job; the parts of each agent in order."""
    workers, blocks = checked_workers(workers), split(runs, task.problem.arms)
    if workers != 1:
        for agent in agents.values():  # once, here, and not in every worker
            prepare(task.game(agent, blocks[0])[0])
    pairs = [(spec, number) for spec in agents for number in range(len(blocks))]
    jobs = [partial(task.part, agents[spec], blocks[number]) for spec, number in pairs]
    weights = [float(len(blocks[number]) * rounds) for _, number in pairs]
    parts: dict[str, list[Any]] = {spec: [] for spec in agents}
    for (spec, _), result in zip(pairs, run_all(jobs, weights, workers, progress), strict=True):
        parts[spec].append(result)
    return parts


def new_game(
    agent: Agent,
    worlds: Worlds,
    seed: int,
    runs: IntArray,
    limits: Limits,
    worth: Worth,
    checkpoints: IntArray,
    advise: bool = False,
    job: int = 0,
    tolerance: float = 0.0,
) -> Game:
    """An agent about to play in these worlds, told what only a simulation knows."""
    return Game(
        agent, worlds.law, worlds.faced, worth, seed, runs, limits, float(limits.rounds),
        theory.h1(worlds.means, tolerance), checkpoints, advise, job,
    )  # fmt: skip


@dataclass(slots=True)
class _RegretPart:
    """One block: values of its runs, and sums over them for the curves."""

    values: dict[str, FloatArray]
    moments: FloatArray  # [4, P] sums of regret, regret^2, pulls per round, its square


@dataclass(frozen=True)
class _RegretTask:
    """What ``simulate`` does with a block of runs of an agent."""

    problem: Problem
    seed: int
    runs: int
    rounds: int
    best: int
    tolerance: float
    cost: float | None

    def game(self, agent: Agent, runs: IntArray) -> "tuple[Game, Goal | Moving]":
        worlds, at = self.problem.worlds(self.seed, runs), curve_rounds(self.rounds)
        goal = metrics.goal_of(worlds, at, self.best, self.tolerance, self.cost)
        limits = Limits(self.rounds)
        game = new_game(
            agent, worlds, self.seed, runs, limits, goal.worth, at, job=self.runs,
            tolerance=self.tolerance,
        )  # fmt: skip
        return game, goal

    def part(self, agent: Agent, runs: IntArray, tick: Tick = lambda rounds: None) -> _RegretPart:
        game, goal = self.game(agent, runs)
        played = play(game, tick)
        values = {
            "regret": goal.regret(float(self.rounds), played.gained),
            "pulls_per_round": metrics.pulls_per_round(played.pulls, self.rounds),
            "opt": goal.optimal_share(played),
            "opti": goal.optimal_rounds(played, self.rounds),
            "pulls": played.pulls.sum(axis=1).astype(float),
        }
        return _RegretPart(values, _moments(goal, game.checkpoints, played))


def _moments(goal: "Goal | Moving", at: IntArray, played: Played) -> FloatArray:
    regret = goal.regret(at.astype(float), played.gain)
    npr = played.count.copy()
    npr[:, 1:] -= played.count[:, :-1]
    npr /= np.diff(at, prepend=0)
    return np.array([total for curves in (regret, npr) for total in _sums(curves)])


def _sums(curves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Sums of the curves and of their squares."""
    return curves.sum(axis=0), np.einsum("ij,ij->j", curves, curves)


def _join_regret(rounds: int, parts: list[_RegretPart]) -> RegretRuns:
    values = {
        name: np.concatenate([part.values[name] for part in parts]) for name in parts[0].values
    }
    moments = np.sum([part.moments for part in parts], axis=0)
    at, count = curve_rounds(rounds), len(values["regret"])
    return RegretRuns(
        **values,
        regret_curve=Curve(at, *metrics.curve_interval(count, moments[0], moments[1])),
        pulls_curve=Curve(at, *metrics.curve_interval(count, moments[2], moments[3])),
    )


@dataclass(frozen=True)
class _IdentifyTask:
    """What ``identify`` does with a block of runs of an agent."""

    problem: Problem
    seed: int
    runs: int
    limits: Limits
    tolerance: float
    until_sure: bool

    def game(self, agent: Agent, runs: IntArray) -> tuple[Game, Goal]:
        worlds = self.problem.worlds(self.seed, runs)
        goal, nowhere = Goal.of(worlds.means, tolerance=self.tolerance), np.array([], dtype=np.intp)
        game = new_game(
            agent, worlds, self.seed, runs, self.limits, goal.worth, nowhere, job=self.runs,
            tolerance=self.tolerance,
        )  # fmt: skip
        return game, goal

    def part(
        self, agent: Agent, runs: IntArray, tick: Tick = lambda rounds: None
    ) -> tuple[Any, ...]:
        game, goal = self.game(agent, runs)
        played, level = play(game, tick), level_of(agent)
        if level is None:
            by_arm, error = np.zeros((len(runs), 0)), goal.wrong(played.answer)
        else:
            means = self.problem.worlds(self.seed, runs).means
            by_arm = Sides.of(means, level, self.tolerance).wrong(played.accepted)
            error = by_arm.max(axis=1)
        if self.until_sure:
            error = error * played.done
        pulls = played.pulls.sum(axis=1).astype(float)
        return error, played.rounds.astype(float), pulls, 1.0 - played.done, by_arm


def _characteristic_time(problem: Problem, seed: int, runs: int) -> float:
    """T*(mu), averaged over the problems of the runs."""
    blocks = split(runs, problem.arms)
    times = [theory.characteristic_time(problem.worlds(seed, block).means) for block in blocks]
    return float(np.concatenate(times).mean())


def _bounds(
    problem: Problem, seed: int, rounds: int, runs: int, tolerance: float
) -> tuple[Curve, Curve]:
    """Both lower bounds against the round, averaged over the problems of the runs."""
    at = curve_rounds(rounds)
    sums = np.zeros((2, 2))
    for block in split(runs, problem.arms):
        means = problem.worlds(seed, block).means
        for i, constant in enumerate((theory.lower_bound_constant, theory.one_pull_constant)):
            values = constant(means, tolerance)
            sums[i] += values.sum(), (values**2).sum()
    curves = []
    for total, squares in sums:
        estimate = metrics.interval_of_moments(runs, total, squares)
        ends = (estimate.mean, estimate.low, estimate.high)
        curves.append(Curve(at, *(np.log(at) * end for end in ends)))
    return curves[0], curves[1]
