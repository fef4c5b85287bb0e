"""``spnb simulate`` and ``spnb identify``."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

import spnb
from spnb.base.errors import DataError, SpecError
from spnb.base.files import check_writable
from spnb.cli.options import Json, Plot, ProblemFile, ReplayOption, Seed, Workers
from spnb.cli.progress import progress_bar
from spnb.problems import BUDGETS, Bernoulli, Problem, Synthetic, experiment
from spnb.problems.readers.data import ProblemData


class Order(StrEnum):
    """Where the best arm of a synthetic problem stands."""

    random = "random"
    authors = "authors"


class Limit(StrEnum):
    """What the budget counts."""

    pulls = "pulls"
    rounds = "rounds"


Means = Annotated[str | None, typer.Option(help="Means of the arms in order: 0.5,0.4,0.3")]
Arms = Annotated[int | None, typer.Option(help="Number of arms of the paper's random problems")]
Experiment = Annotated[int | None, typer.Option(help="Identification problem 1 to 7 of the paper")]
OrderOption = Annotated[Order, typer.Option(help="Best arm anywhere, or first as the authors")]
Tolerance = Annotated[
    float, typer.Option(help="Arms whose mean is so close to the best one's count as best too")
]
WITHIN_BUDGET = ["UCBE(c=2)", "Seq(UCBE(c=2, plugin))", "SR+", "Pack(early)"]
UNTIL_SURE = ["Race", "Seq(T3C)", "Seq(TTTS)", "Seq(TrackAndStop)", "Seq(LUCB)", "Seq(KLLUCB)"]
Agents = Annotated[
    list[str] | None,
    typer.Option("--agent", "-a", metavar="AGENT", help="An agent; repeat for more"),
]


def simulate(
    means: Means = None,
    arms: Arms = None,
    experiment: Experiment = None,
    problem: ProblemFile = None,
    replay: ReplayOption = None,
    agent: Agents = None,
    rounds: Annotated[int, typer.Option(help="Rounds (days) of every run")] = 1000,
    runs: Annotated[int, typer.Option(help="Independent runs of every agent")] = 100,
    best: Annotated[int, typer.Option(help="Slots of a round worth filling")] = 1,
    tolerance: Tolerance = 0.0,
    seed: Seed = None,
    order: OrderOption = Order.random,
    workers: Workers = 1,
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Compare agents on regret."""
    from spnb.report.tables import regret_table

    chosen, data = chosen_problem(means, arms, experiment, problem, order, replay)
    check_outputs(json, plot)
    with progress_bar("simulating") as progress:
        result = spnb.simulate(
            chosen,
            agent or ["TS", "Seq(TS)", "Challenge"],
            rounds=rounds,
            runs=runs,
            seed=seed,
            workers=workers,
            best=best,
            tolerance=tolerance,
            progress=progress,
        )
    Console().print(regret_table(result))
    say_replay(data, replay, rounds)
    write_outputs(result, json, plot)


def identify(
    means: Means = None,
    arms: Arms = None,
    experiment: Experiment = None,
    problem: ProblemFile = None,
    replay: ReplayOption = None,
    agent: Agents = None,
    budget: Annotated[
        int | None, typer.Option(help="Pulls or rounds; the paper's for an --experiment")
    ] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Let every agent run until it is so sure, say 0.95")
    ] = None,
    limit: Annotated[Limit, typer.Option(help="What the budget counts")] = Limit.pulls,
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

    chosen, data = chosen_problem(means, arms, experiment, problem, order, replay)
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


def chosen_problem(
    means: str | None,
    arms: int | None,
    number: int | None,
    file: Path | None,
    order: Order,
    replay: str | None,
) -> tuple[Problem, ProblemData | None]:
    """The one problem that the options name, and the data behind it if it is from a file."""
    options = {"--means": means, "--arms": arms, "--experiment": number, "--problem": file}
    given = [name for name, value in options.items() if value is not None]
    if len(given) != 1:
        what = " and ".join(given) if given else "none"
        raise SpecError(f"give one of --means, --arms, --experiment and --problem, got {what}")
    if replay is not None and file is None:
        raise SpecError("--replay goes with --problem")
    if file is not None:
        data = ProblemData.load(file)
        return data.problem(replay), data
    if means is not None:
        return Bernoulli(parsed_means(means)), None
    if arms is not None:
        return Synthetic(arms, order.value), None
    return experiment(number or 0), None


def say_replay(data: ProblemData | None, replay: str | None, rounds: int) -> None:
    """Say what a replayed record is, so that nobody takes it for more."""
    note = None if data is None else data.replay_note(replay, rounds)
    if note is not None:
        Console().print(f"Note: {note}.", highlight=False)


def parsed_means(text: str) -> tuple[float, ...]:
    parts = [part.strip() for part in text.split(",")]
    try:
        return tuple(float(part) for part in parts if part or len(parts) > 1)
    except ValueError:
        raise DataError(f"--means must be numbers with commas between, got {text!r}") from None


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
