"""``spnb simulate`` and ``spnb identify``."""

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import spnb
from spnb.bandits.agents import Worth
from spnb.bandits.policies import TS
from spnb.base.errors import SpecError
from spnb.base.files import check_writable
from spnb.cli.asked import Arms, Asked, Every, Experiment, Family, Means, Order, OrderOption, Stages
from spnb.cli.options import Json, Plot, ProblemFile, ReplayOption, Seed, Workers
from spnb.cli.progress import progress_bar
from spnb.problems import BUDGETS, Problem
from spnb.problems.readers.data import ProblemData
from spnb.simulation.answers import cost_of
from spnb.simulation.results import Comparison
from spnb.simulation.simulate import AgentLike, changes, has_limit


class Limit(StrEnum):
    """Whether the budget counts pulls or rounds."""

    pulls = "pulls"
    rounds = "rounds"


Tolerance = Annotated[
    float, typer.Option(help="Arms within this distance of the best mean also count as best")
]
USUAL = ["TS", "Seq(TS)", "Challenge"]
WHERE_MEANS_CHANGE = ["Seq(TS)", "Challenge", "Challenge(DTS)", "Challenge(GLRKLUCB)"]
WITHIN_BUDGET = ["UCBE(c=2)", "Seq(UCBE(c=2, plugin))", "SR+", "Pack(early)"]
UNTIL_SURE = ["Race", "Seq(T3C)", "Seq(TTTS)", "Seq(TrackAndStop)", "Seq(LUCB)", "Seq(KLLUCB)"]
Agents = Annotated[
    list[str] | None,
    typer.Option("--agent", "-a", metavar="AGENT", help="An agent; repeat for more"),
]
# Rounds beyond which nobody would wait for the limit of a family, which takes their square.
LONG = 2000


def simulate(
    means: Stages = None,
    every: Every = None,
    arms: Arms = None,
    family: Family = None,
    experiment: Experiment = None,
    problem: ProblemFile = None,
    replay: ReplayOption = None,
    agent: Agents = None,
    rounds: Annotated[int, typer.Option(help="Rounds (days) of every run")] = 1000,
    runs: Annotated[int, typer.Option(help="Independent runs of every agent")] = 100,
    best: Annotated[int, typer.Option(help="How many arms should be pulled in every round")] = 1,
    cost: Annotated[
        float | None,
        typer.Option(
            help="Cost of a pull: compare with pulling exactly the arms whose mean is above it"
        ),
    ] = None,
    tolerance: Tolerance = 0.0,
    seed: Seed = None,
    order: OrderOption = Order.random,
    workers: Workers = 1,
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Compare agents on regret.

    If means change, every round is compared with the arm that is best in it.
    """
    from spnb.report.tables import regret_table

    asked = Asked(means, every, arms, family, experiment, problem, replay, order)
    chosen, data = asked.problem()
    check_outputs(json, plot)
    with progress_bar("simulating") as progress:
        result = spnb.simulate(
            chosen,
            agent or usual_agents(chosen, cost),
            rounds=rounds,
            runs=runs,
            seed=seed,
            workers=workers,
            best=best,
            tolerance=tolerance,
            cost=cost,
            limit=plot is not None and rounds <= LONG and has_limit(chosen, best, tolerance, cost),
            progress=progress,
        )
    Console().print(regret_table(result))
    say_replay(data, replay, rounds)
    say_cost(result)
    write_outputs(result, json, plot)


def usual_agents(problem: Problem, cost: float | None) -> Sequence[AgentLike]:
    """Agents worth comparing on such a problem."""
    if cost is not None:
        return [Worth(cost=cost), Worth(TS(), cost=cost), *USUAL[1:]]
    return WHERE_MEANS_CHANGE if changes(problem) else USUAL


def identify(
    means: Means = None,
    arms: Arms = None,
    family: Family = None,
    experiment: Experiment = None,
    problem: ProblemFile = None,
    replay: ReplayOption = None,
    agent: Agents = None,
    budget: Annotated[
        int | None, typer.Option(help="Pulls or rounds; the paper's for an --experiment")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Let every agent run until it is this sure, such as 0.95")
    ] = None,
    limit: Annotated[
        Limit, typer.Option(help="Whether the budget counts pulls or rounds")
    ] = Limit.pulls,
    runs: Annotated[int, typer.Option(help="Independent runs of every agent")] = 1000,
    tolerance: Tolerance = 0.0,
    seed: Seed = None,
    order: OrderOption = Order.random,
    workers: Workers = 1,
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Compare agents on finding the best arm, within a budget or with a confidence.

    UCBE(c=2) knows H1, which no live learner does.
    """
    from spnb.report.tables import identification_table

    single = None if means is None else [means]
    asked = Asked(single, None, arms, family, experiment, problem, replay, order)
    chosen, data = asked.problem()
    if budget is None and confidence is None:
        if experiment is None:
            raise SpecError(
                "--budget is needed: how many pulls (or rounds, with --limit rounds)? Or say with "
                "--confidence how sure the agents must be"
            )
        budget = BUDGETS[experiment]
    check_outputs(json, plot)
    with progress_bar("identifying") as progress:
        result = spnb.identify(
            chosen,
            agent or (WITHIN_BUDGET if confidence is None else UNTIL_SURE),
            budget=budget,
            confidence=confidence,
            limit=limit.value,
            runs=runs,
            tolerance=tolerance,
            seed=seed,
            workers=workers,
            progress=progress,
        )
    Console().print(identification_table(result))
    say_replay(data, replay, result.budget)
    write_outputs(result, json, plot)


def say_replay(data: ProblemData | None, replay: str | None, rounds: int) -> None:
    """Say what a replayed record is, so that nobody takes it for more."""
    note = None if data is None else data.replay_note(replay, rounds)
    if note is not None:
        Console().print(f"Note: {note}.", highlight=False)


def say_cost(result: Comparison) -> None:
    """Say which agents weigh pulls by another cost than the one that regret is counted with."""
    for spec in result.agents:
        own = cost_of(spnb.agent(spec))
        if own is not None and own != result.cost:
            counted = "no --cost was given" if result.cost is None else f"--cost is {result.cost:g}"
            Console().print(f"Note: {spec} goes by a cost of {own:g}; {counted}.", highlight=False)


def check_outputs(json: Path | None, plot: Path | None) -> None:
    """Refuse what cannot be written before anything is computed."""
    for path in (json, plot):
        if path is not None:
            check_writable(path)
    if plot is not None:
        from spnb.report.figures import check_format

        check_format(plot)


def write_outputs(
    result: "spnb.simulation.results.Comparison | spnb.simulation.results.Identification",
    json: Path | None,
    plot: Path | None,
) -> None:
    if json is not None:
        result.to_json(json)
    if plot is not None:
        result.plot(plot)
