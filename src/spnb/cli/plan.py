"""``spnb plan``: what to do on the user's own problem, in plain words."""

from enum import StrEnum
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from spnb.base.files import write_text
from spnb.cli.compare import Agents, Tolerance, check_outputs
from spnb.cli.options import Json, Plot, ReplayOption, Seed, Workers
from spnb.cli.progress import progress_bar
from spnb.cli.say import tell

if TYPE_CHECKING:
    from spnb.plan import Plan


class GoalOption(StrEnum):
    """What is wanted: the best arm, or little regret on the way."""

    best = "best"
    regret = "regret"


def plan(
    problem: Annotated[Path, typer.Option("--problem", help="A problem file")],
    goal: Annotated[GoalOption, typer.Option(help="Find the best arm, or lose little")],
    confidence: Annotated[float, typer.Option(help="How often the answer must be right")] = 0.95,
    cost_per_pull: Annotated[float | None, typer.Option(help="Cost of a pull")] = None,
    cost_per_round: Annotated[float | None, typer.Option(help="Cost of a round")] = None,
    agent: Agents = None,
    rounds: Annotated[int, typer.Option(help="Rounds of a regret plan")] = 365,
    most: Annotated[int, typer.Option(help="Largest number of pulls to try")] = 4000,
    runs: Annotated[int, typer.Option(help="Independent runs of every agent")] = 1000,
    replay: ReplayOption = None,
    tolerance: Tolerance = 0.0,
    seed: Seed = None,
    workers: Workers = 1,
    json: Json = None,
    plot: Plot = None,
) -> None:
    """Say which agent to use on a problem, how long it takes and what it costs."""
    import spnb.plan
    from spnb.problems.readers.data import ProblemData

    data = ProblemData.load(problem)
    check_outputs(json, plot)
    given = cost_per_pull is not None or cost_per_round is not None
    costs = spnb.plan.Costs(cost_per_pull or 0.0, cost_per_round or 0.0) if given else None
    with progress_bar("planning") as progress:
        result = spnb.plan.plan(
            data,
            goal.value,
            agents=agent or (),
            confidence=confidence,
            costs=costs,
            rounds=rounds,
            most=most,
            runs=runs,
            seed=seed,
            replay=replay,
            tolerance=tolerance,
            workers=workers,
            progress=progress,
        )
    _show(result, problem, json, plot)


def _show(result: "Plan", file: Path, json: Path | None, plot: Path | None) -> None:
    from spnb.report.advice import campaign_command, plan_lines, plan_table

    console = Console()
    console.print(plan_table(result))
    note = result.data.replay_note(result.replay, result.most)
    for line in [*plan_lines(result), *([f"Note: {note}."] if note else [])]:
        tell(console, line)
    console.print("\nTo begin (--warm-start lets it begin with what the record says):")
    for line in campaign_command(result, file):
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    if json is not None:
        write_text(json, dumps(result.to_dict(), indent=2, allow_nan=False) + "\n")
    if plot is not None:
        result.plot(plot)
