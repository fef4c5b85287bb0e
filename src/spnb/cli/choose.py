"""``spnb choose``: an agent for a purpose, with the reason and what it rests on."""

from enum import StrEnum
from typing import Annotated

import typer

from spnb.cli.store_options import Json, print_json


class Goal(StrEnum):
    """What is wanted."""

    regret = "regret"
    best = "best"
    level = "level"


class Changes(StrEnum):
    """How means change."""

    rare = "rare"
    steady = "steady"


class Dear(StrEnum):
    """What is expensive: rounds or pulls."""

    rounds = "rounds"
    pulls = "pulls"


def choose(
    goal: Annotated[
        Goal, typer.Option(help="Lose little, find the best arm, or the arms above a level")
    ] = Goal.best,
    rounds: Annotated[int | None, typer.Option(help="A budget of rounds")] = None,
    pulls: Annotated[int | None, typer.Option(help="A budget of pulls")] = None,
    confidence: Annotated[
        float | None, typer.Option(help="Stop when the answer is right with this probability")
    ] = None,
    level: Annotated[float | None, typer.Option(help="The level to exceed")] = None,
    save: Annotated[Dear | None, typer.Option(help="What is expensive: rounds or pulls")] = None,
    once: Annotated[bool, typer.Option("--once", help="Only one pull a round is possible")] = False,
    places: Annotated[
        int, typer.Option(help="How many arms should be pulled in every round (regret)")
    ] = 1,
    cost: Annotated[float | None, typer.Option(help="Cost of a pull (regret)")] = None,
    changes: Annotated[
        Changes | None, typer.Option(help="Means change rarely, or all the time (regret)")
    ] = None,
    hours: Annotated[
        bool, typer.Option("--hours", help="Neighbouring arms have similar means (regret)")
    ] = False,
    safe: Annotated[
        bool, typer.Option("--safe", help="Never finding the best arm would be very bad (regret)")
    ] = False,
    json: Json = False,
) -> None:
    """Recommend an agent, with the reason and the measurement behind it."""
    from spnb.plan.choose import Wish
    from spnb.plan.choose import choose as chosen

    wish = Wish(
        goal.value, rounds, pulls, confidence, level, save.value if save else None, once, places,
        cost, changes.value if changes else None, hours, safe,
    )  # fmt: skip
    choice = chosen(wish)
    if json:
        print_json(choice.to_dict())
        return
    typer.echo(f"Use {choice.agent}: {choice.why}.")
    if "horizon" in choice.agent.needs:
        unit = "rounds" if wish.goal == "regret" else "pulls"
        typer.echo(f"It has to be told its horizon: how many {unit} there are.")
    typer.echo(f"This rests on {choice.evidence}.")
