"""``spnb ask``, ``tell``, ``correct`` and ``lost``: a campaign day by day."""

import sys
from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated

import typer

from spnb.base.errors import DataError
from spnb.base.words import shown
from spnb.cli.places import opened
from spnb.cli.say import say
from spnb.cli.store_options import Json, Name, Quiet, StoreUrl, print_json
from spnb.live import clock
from spnb.live.campaign import Decision, Told
from spnb.live.campaign.rewards import reward_text
from spnb.live.schedule import until_text

Reward = Annotated[float | None, typer.Option(help="The reward, in [0, 1]", show_default=False)]
Value = Annotated[float | None, typer.Option(help="The raw value measured", show_default=False)]
Wins = Annotated[
    int | None, typer.Option(help="With --trials: the wins, such as 7 clicks", show_default=False)
]
Trials = Annotated[
    int | None,
    typer.Option(help="With --wins: the trials, such as 120 impressions", show_default=False),
]
Latest = Annotated[
    str | None,
    typer.Option("--decision", help="Which decision (number or uid); else the latest pull"),
]
Number = Annotated[
    str, typer.Option("--decision", help="Which decision (number or uid)", show_default=False)
]


def ask(
    name: Name,
    arm: Annotated[
        str | None, typer.Option(help="The arm on offer; needed if the campaign has no schedule")
    ] = None,
    at: Annotated[str | None, typer.Option(help="Another time than now: 2026-05-01T14:00")] = None,
    round: Annotated[  # noqa: A002 - the option's name
        int | None, typer.Option(help="The round, in a campaign without a schedule")
    ] = None,
    ahead: Annotated[
        bool,
        typer.Option(
            "--ahead", help="Confirm a date many rounds ahead of the campaign and the clock"
        ),
    ] = False,
    store: StoreUrl = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask: pull now? Exit code 0 means pull, 1 pass, 2 an error."""
    if at is not None and round is not None:
        raise DataError("give a time (--at) or a round (--round), not both")
    when = round if at is None else _time(at)
    campaign = opened(store, name)
    decision = campaign.ask(arm, when, ahead=ahead)
    if decision.until and not (json or quiet) and (schedule := campaign.config.schedule):
        # A service tells a time without the name of its zone.
        decision = replace(decision, until=schedule.local(decision.until))
    if json:
        print_json(decision.to_dict())
    elif not quiet:
        say(_in_words(decision, when if isinstance(when, datetime) else clock.now()))
    raise typer.Exit(0 if decision.pull else 1)


def tell(
    name: Name,
    decision: Latest = None,
    reward: Reward = None,
    value: Value = None,
    wins: Wins = None,
    trials: Trials = None,
    store: StoreUrl = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Tell the result of a pull: --reward, --value, --wins and --trials, or standard input."""
    campaign = opened(store, name)
    if reward is None and value is None and wins is None and trials is None:
        number, trials = _from_input()
        if trials is not None:
            wins = int(number)
        elif campaign.config.reward.takes_values:
            value = number
        else:
            reward = number
    told = campaign.tell(decision, reward=reward, value=value, wins=wins, trials=trials)
    _say(told, json, quiet)


def correct(
    name: Name,
    decision: Number,
    reward: Reward = None,
    value: Value = None,
    wins: Wins = None,
    trials: Trials = None,
    lost: Annotated[bool, typer.Option("--lost", help="There was no reward at all")] = False,
    store: StoreUrl = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Replace a wrong reward; past decisions stay, the next ones use the right one."""
    campaign = opened(store, name)
    right = campaign.correct(
        decision, reward=reward, value=value, wins=wins, trials=trials, lost=lost
    )
    _say(right, json, quiet)


def lost(
    name: Name,
    decision: Latest = None,
    store: StoreUrl = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """The reward of a pull will never come: do not wait for it."""
    _say(opened(store, name).lost(decision), json, quiet)


def _in_words(decision: Decision, now: datetime) -> str:
    if decision.arm is None:
        return f"pass: {decision.reason}"
    about = [f"round {decision.round}"]
    if decision.until is not None:
        about.append(f"until {until_text(decision.until, now)}")
    if decision.id is not None:
        about.append(f"decision {decision.id}")
    verdict = "pull" if decision.pull else "pass"
    return f"{verdict} {decision.arm} ({', '.join(about)}): {decision.reason}"


def _say(told: Told, json: bool, quiet: bool) -> None:
    if json:
        print_json(asdict(told))
    if json or quiet:
        return
    what = "lost" if told.reward is None else reward_text(told.reward, told.trials)
    known = "" if told.new else " (known before)"
    say(f"{told.arm} in round {told.round}, decision {told.decision}: {what}{known}")


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise DataError(
            f"--at must be a time such as 2026-05-01T14:00, got {shown(text)}"
        ) from None


def _from_input() -> tuple[float, int | None]:
    """A number, or wins and trials written 7/120."""
    if sys.stdin is None or sys.stdin.isatty():
        raise DataError("give --reward, --value or --wins and --trials, or pipe the number in")
    text = ""
    try:
        text = sys.stdin.read(1000).strip()  # more is no number
        wins, slash, trials = text.partition("/")
        return (int(wins), int(trials)) if slash else (float(text), None)
    except ValueError:  # also what is no text at all
        raise DataError(
            f"the standard input must hold one number, or wins/trials, got {shown(text)}"
        ) from None
