"""``spnb status`` and ``spnb log``: where a campaign stands, and how it got there."""

from typing import Annotated

import typer

from spnb.base.words import printable
from spnb.cli.places import opened
from spnb.cli.say import say, tell
from spnb.cli.store_options import Json, Name, StoreUrl, print_json
from spnb.live.campaign.rewards import reward_text
from spnb.live.schedule import Schedule, length_text, local_text
from spnb.live.store import Event

_STAMP = len("2026-10-25 02:30:00 CEST")  # in winter the zone is shorter, and columns stay


def status(name: Name, store: StoreUrl = None, json: Json = False) -> None:
    """Show the estimate of each arm, and advice."""
    found = opened(store, name).status()
    if json:
        print_json(found.to_dict())
        return
    from rich.console import Console

    from spnb.report.campaigns import status_lines, status_table

    console = Console()
    for line in status_lines(found):
        tell(console, line)
    console.print(status_table(found))
    if found.answer is None:
        tell(console, found.advice)


def log(
    name: Name,
    last: Annotated[int, typer.Option(help="How many of the latest events; 0 for all", min=0)] = 20,
    store: StoreUrl = None,
    json: Json = False,
) -> None:
    """Print the log, one event a line."""
    campaign = opened(store, name)
    after = max(0, campaign.outline().events - last) if last else 0
    # A service is asked for it: once, not at every event.
    schedule = None if json else campaign.config.schedule
    for event in campaign.events(after):
        if json:
            print_json(event.to_dict())
        else:
            say(_in_words(event, schedule), indent=8)


def _in_words(event: Event, schedule: Schedule | None) -> str:
    time = local_text(event.time, schedule, seconds=True)
    parts = [f"{event.seq:>6}", f"{time:{_STAMP}}", f"{event.kind:8}"]
    extra = event.extra()
    if event.arm is not None:
        parts.append(event.arm)
    if event.round is not None:
        parts.append(f"round {event.round}")
    if event.kind == "ask":
        parts.append(f"{'pull' if event.pull else 'pass'}: {extra.get('reason')}")
    if event.decision is not None:
        parts.append(f"decision {event.decision}")
    if event.reward is not None:
        parts.append(f"reward {reward_text(event.reward, event.trials)}")
    if "value" in extra:
        parts.append(f"value {extra['value']}")
    if "was" in extra:
        lost = ["lost"] if event.reward is None else []
        parts += [*lost, f"was {reward_text(extra['was'], extra.get('was_trials', 1))}"]
    if event.kind == "limit":
        parts.append(f"lost after {length_text(extra['lost_after'])}")
    if event.actor:
        parts.append(f"by {event.actor}")
    return printable("  ".join(map(str, parts)))
