"""``spnb campaign``: begin, list, show, pause, resume, close, move and verify campaigns."""

import json as json_
import sys
from collections.abc import Iterator
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import Annotated, Any, TextIO

import typer

from spnb.bandits.agents import Seq
from spnb.bandits.spec import agent as parse_agent
from spnb.base.errors import DataError, SpecError
from spnb.base.files import check_writable, write_text, write_whole
from spnb.base.words import printable
from spnb.cli.group import group
from spnb.cli.places import begun, brought, opened, outlines
from spnb.cli.say import say
from spnb.cli.store_options import Json, Name, Quiet, StoreUrl, print_json
from spnb.live.campaign.beginning import WEIGHT, check_not_over, loaded, new_config, schedule_of
from spnb.live.campaign.config import check_name
from spnb.live.campaign.spool import LONGEST_LINE
from spnb.live.schedule import Schedule, length_text

app = group("Begin, list, show, pause, close, move and verify live campaigns.")


class Goal(StrEnum):
    """What the campaign is after."""

    regret = "regret"
    best = "best"


Arms = Annotated[str | None, typer.Option(help="The arms in order: red,green,blue")]
Slots = Annotated[
    str | None, typer.Option(help="Arms as times: 00:00/2h, 08:00,18:00 or mon,thu 18:00")
]
Zone = Annotated[
    str | None, typer.Option(help="Time zone of the slots; this machine's if left out")
]
Days = Annotated[str | None, typer.Option(help="Weekdays that count: mon-fri")]
Window = Annotated[
    str | None, typer.Option(help="How long a slot is open: 30m; else until the next one")
]
Start = Annotated[
    str | None, typer.Option(help="First day of the schedule, 2026-05-01; else today")
]
Who = Annotated[
    str, typer.Option("--agent", help="The agent that decides ('spnb agents' lists them)")
]
Rounds = Annotated[int | None, typer.Option(help="Rounds (days) in all, if known")]
Aim = Annotated[Goal, typer.Option("--goal", help="Earn most, or find the best arm")]
Pulls = Annotated[int | None, typer.Option(help="Pulls in all, if they are limited")]
Rule = Annotated[
    str | None,
    typer.Option(
        "--reward",
        help="unit (the default), binary, 'above 0.3', 'below 60' or 'range 0 50'",
        show_default=False,
    ),
]
Problem = Annotated[
    Path | None,
    typer.Option("--problem", help="A problem file: its arms, slots, zone, reward rule, rounds"),
]
Warm = Annotated[
    bool, typer.Option("--warm-start", help="Begin with the record of the problem file")
]
Weight = Annotated[
    int | None,
    typer.Option(help=f"The record counts as at most so many rewards of each arm; else {WEIGHT}"),
]
Patience = Annotated[
    str | None, typer.Option("--lost-after", help="Give up on a reward after 12h, 2d, 1w")
]
Seed = Annotated[int | None, typer.Option(help="Fresh if left out; always recorded")]
Hardness = Annotated[float | None, typer.Option(help="H1, for UCBE, if you know it")]


@app.command()
def new(
    name: Name,
    arms: Arms = None,
    slots: Slots = None,
    zone: Zone = None,
    days: Days = None,
    window: Window = None,
    start: Start = None,
    problem: Problem = None,
    warm_start: Warm = False,
    weight: Weight = None,
    agent: Who = "Seq(TS)",
    rounds: Rounds = None,
    pulls: Pulls = None,
    goal: Aim = Goal.regret,
    reward: Rule = None,
    lost_after: Patience = None,
    seed: Seed = None,
    hardness: Hardness = None,
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Begin a campaign."""
    if arms is not None and slots is not None:
        raise SpecError("give either --arms or --slots, one of them")
    if arms is None and slots is None and problem is None:
        raise SpecError("give --arms, --slots or --problem: what is on offer?")
    if weight is not None and not warm_start:
        raise SpecError("--weight goes with --warm-start")
    data = None if problem is None else loaded(problem)
    clock = (zone, days, window, start)
    schedule = None if slots is None else Schedule.parse(slots, *clock)
    if data is not None and arms is None and slots is None:
        schedule = schedule_of(data, *clock)
    if schedule is None and any(option is not None for option in clock):
        raise SpecError("--zone, --days, --window and --start go with arms that are times: --slots")
    names = None if arms is None else [part.strip() for part in arms.split(",")]
    check_name("the name of a campaign", name)
    config = new_config(
        arms=data.arms if data is not None and arms is None and slots is None else names,
        agent=agent,
        rounds=rounds,
        pulls=pulls,
        goal=goal.value,
        seed=seed,
        schedule=schedule,
        reward=reward,
        lost_after=lost_after,
        hardness=hardness,
        problem=data,
        warm_start=warm_start and (WEIGHT if weight is None else weight),
    )
    check_not_over(config)
    campaign = begun(store, name, config)
    _show(campaign, json)
    if not json and lost_after is None and isinstance(parse_agent(campaign.config.agent), Seq):
        say(
            f"{agent} waits for every reward before it pulls again: where one may never come, "
            f"give --lost-after, now or later (spnb campaign set {quote(name)} --lost-after 2d)"
        )


@app.command("list")
def list_(store: StoreUrl = None, json: Json = False) -> None:
    """List the campaigns of the store."""
    rows = list(outlines(store))
    if json:
        print_json([asdict(row) for row in rows])
        return
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        rounds = f"round {row.round}" + (f" of {row.rounds}" if row.rounds else "")
        typer.echo(f"{row.name:{width}}  {row.state:8}  {rounds:16}  {row.agent}")


@app.command()
def show(name: Name, store: StoreUrl = None, json: Json = False) -> None:
    """Show what a campaign was begun with."""
    _show(opened(store, name), json)


@app.command()
def pause(name: Name, store: StoreUrl = None, json: Json = False) -> None:
    """Pass on every offer until resumed."""
    campaign = opened(store, name)
    campaign.pause()
    _state(campaign, json)


@app.command()
def resume(name: Name, store: StoreUrl = None, json: Json = False) -> None:
    """Go on after a pause."""
    campaign = opened(store, name)
    campaign.resume()
    _state(campaign, json)


@app.command()
def close(name: Name, store: StoreUrl = None, json: Json = False) -> None:
    """End a campaign for good; rewards are still accepted."""
    campaign = opened(store, name)
    campaign.close()
    _state(campaign, json)


@app.command()
def void(name: Name, store: StoreUrl = None, json: Json = False) -> None:
    """Undo a jump many rounds ahead (the clock was wrong), if nothing was pulled since."""
    campaign = opened(store, name)
    campaign.void()
    _state(campaign, json)


@app.command("add-arm")
def add_arm(
    name: Name,
    arm: Annotated[str, typer.Argument(help="Its name; with a schedule its time", metavar="ARM")],
    before: Annotated[str | None, typer.Option(help="Put it before this one; else last")] = None,
    slot: Annotated[str | None, typer.Option(help="Its time, if its name is not one")] = None,
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Offer one more arm from the next round on."""
    campaign = opened(store, name)
    campaign.add_arm(arm, before=before, slot=slot)
    _state(campaign, json, f"; {arm} is on offer from the next round on")


@app.command("retire-arm")
def retire_arm(
    name: Name,
    arm: Annotated[str, typer.Argument(help="Its name", metavar="ARM")],
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Offer an arm no longer, from the next round on."""
    campaign = opened(store, name)
    campaign.retire_arm(arm)
    _state(campaign, json, f"; {arm} is no longer on offer from the next round on")


@app.command("set")
def set_(
    name: Name,
    lost_after: Annotated[
        str, typer.Option("--lost-after", help="Give up on a reward after 12h, 2d, 1w")
    ],
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Change how long to wait for a reward, from the next ask on."""
    campaign = opened(store, name)
    campaign.give_up_after(lost_after)
    if json:
        _state(campaign, json)
    else:
        typer.echo(f"{name}: a reward is given up {lost_after} after it was asked")


@app.command()
def report(
    name: Name,
    output: Annotated[Path, typer.Option("--output", "-o", help="The page, such as report.html")],
    store: StoreUrl = None,
) -> None:
    """Write one page with the answer, the picture of all rounds, and what is known of each arm."""
    from spnb.report.campaign_page import campaign_page

    check_writable(output)
    write_text(output, campaign_page(opened(store, name)))
    typer.echo(f"{output}: {name}, needs nothing but a browser")


@app.command()
def export(
    name: Name,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; else it is printed"),
    ] = None,
    move: Annotated[
        bool,
        typer.Option(
            "--move", help="The campaign moves: it goes on where it is imported, and not here"
        ),
    ] = False,
    store: StoreUrl = None,
) -> None:
    """Write the whole log as lines of JSON, for a backup or another store."""
    campaign = opened(store, name)
    if output is not None:
        check_writable(output)
    lines = campaign.export(move=move)
    if output is None:
        sys.stdout.writelines(lines)
        return

    def write(draft: Path) -> None:
        with draft.open("w", encoding="utf-8") as file:
            file.writelines(lines)

    write_whole(output, write)


@app.command()
def delete(
    name: Name,
    output: Annotated[Path, typer.Option("--output", "-o", help="File for its whole log")],
    store: StoreUrl = None,
) -> None:
    """Delete a campaign from the store; its log is first written to a file."""
    campaign = opened(store, name)
    check_writable(output)
    lines = list(campaign.export())
    write_text(output, "".join(lines))
    campaign.delete(json_.loads(lines[-1])["hash"])
    typer.echo(f"{name} is deleted; this brings it back: spnb campaign import {quote(str(output))}")


@app.command("import")
def import_(
    source: Annotated[
        Path | None, typer.Argument(help="What export wrote; else the standard input")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Another name for the campaign")] = None,
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Import an exported campaign; its log is verified."""
    from spnb.cli.progress import progress_bar

    with progress_bar("importing") as progress:
        campaign = brought(store, _lines(source), name, progress)
    _state(campaign, json)


@app.command()
def verify(name: Name, store: StoreUrl = None, json: Json = False, quiet: Quiet = False) -> None:
    """Replay the whole log and compare every decision; exit code 1 if something differs."""
    from spnb.cli.progress import progress_bar

    campaign = opened(store, name)
    with progress_bar("replaying") as progress:
        verdict = campaign.verify(progress)
    if json:
        print_json(asdict(verdict))
    elif verdict.ok and quiet:
        pass
    elif verdict.ok:
        typer.echo(f"{name}: {verdict.events} events, all decisions and the snapshot as they were")
        if verdict.stands:
            typer.echo(f"up to event {verdict.stands} an older spnb decided: that stands as it is")
        say(f"the log is sealed by {verdict.hash}")
    else:
        say(f"{name}: {printable(str(verdict.problem))}")
    raise typer.Exit(0 if verdict.ok else 1)


def _lines(source: Path | None) -> Iterator[str]:
    try:
        if source is None:
            yield from _bounded(sys.stdin)
            return
        with source.open(encoding="utf-8") as file:
            yield from _bounded(file)
    except (OSError, UnicodeDecodeError) as error:
        said = getattr(error, "strerror", None) or error
        raise DataError(f"cannot read {source or 'the standard input'}: {said}") from None


def _bounded(file: TextIO) -> Iterator[str]:
    """Lines; one without an end is cut, for the import to refuse it."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line


def _show(campaign: Any, json: bool) -> None:
    data = {"name": campaign.name, **campaign.config.to_dict()}
    if json:
        print_json(data)
        return
    config = campaign.config
    lines = {
        "campaign": campaign.name,
        "arms": ", ".join(arm.label for arm in config.arms),
        "agent": config.agent,
        "goal": config.goal,
        "rounds": "any number" if config.rounds is None else config.rounds,
        "reward": config.reward,
        "seed": config.seed,
    }
    if config.pulls is not None:
        lines["pulls"] = f"{config.pulls} at the most"
    if config.warm:
        most = max(count for _, _, count in config.warm)
        rewards = "1 reward" if most == 1 else f"at most {most} rewards"
        lines["warm start"] = f"the record counts as {rewards} an arm"
    if config.schedule is not None:
        lines["time zone"] = config.schedule.zone
    if config.lost_after is not None:
        lines["lost after"] = length_text(config.lost_after)
    for title, text in lines.items():
        say(f"{title + ':':12}{text}", indent=12)


def _state(campaign: Any, json: bool, more: str = "") -> None:
    outline = campaign.outline()
    if json:
        print_json(asdict(outline))
    else:
        say(f"{outline.name}: {outline.state}, round {outline.round}{more}")
