"""The log, the newest entry first, in words, with what may still be done about each pull."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from spnb.live.campaign import Campaign
from spnb.live.campaign.change import Case
from spnb.live.campaign.looking import cases
from spnb.live.campaign.rewards import reward_text
from spnb.live.schedule import length_text
from spnb.live.store import Event

_PAGE = 25

_WORDS = {
    "create": "begun",
    "tell": "reward told",
    "found": "lost reward found",
    "lost": "reward lost",
    "correct": "reward corrected",
    "pause": "paused",
    "resume": "resumed",
    "close": "closed",
    "add": "arm added",
    "retire": "arm retired",
    "void": "jump undone",
    "adopt": "newer learner",
    "move": "moved away",
    "arrive": "moved here",
    "limit": "time to wait changed",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the log; ``case`` is there for pulls."""

    event: Event
    time: datetime  # as the schedule's clock shows it, else in UTC
    title: str
    said: str
    case: Case | None


def entries(
    campaign: Campaign, events: int, before: int | None
) -> tuple[tuple[Entry, ...], int | None]:
    """One page of the log, and the event before which the next, older page begins."""
    until = min(before - 1 if before else events, events)
    after = max(0, until - _PAGE)
    found = list(islice(campaign.events(after), until - after))
    pulls = cases(campaign, (event.seq for event in found if event.kind == "ask" and event.pull))
    shown = tuple(_entry(campaign, event, pulls.get(event.seq)) for event in reversed(found))
    return shown, after + 1 if after else None


def _entry(campaign: Campaign, event: Event, case: Case | None) -> Entry:
    schedule = campaign.config.schedule
    time = schedule.local(event.time) if schedule else event.time
    title = _WORDS.get(event.kind, event.kind)
    if event.kind == "ask":
        title = "pull" if event.pull else "pass"
    return Entry(event, time, title, _said(event), case)


def _said(event: Event) -> str:
    extra = event.extra()
    if event.kind == "ask":
        return str(extra.get("reason", ""))
    parts = []
    if event.reward is not None:
        parts.append(reward_text(event.reward, event.trials))
    if "value" in extra:
        parts.append(f"value {extra['value']}")
    if "was" in extra:
        was = reward_text(extra["was"], extra.get("was_trials", 1))
        parts.append(f"was {was}" + ("" if event.reward is not None else ", now lost"))
    if event.kind == "limit":
        parts.append(f"a reward is lost after {length_text(extra['lost_after'])}")
    if extra.get("by") == "limit":
        parts.append("waited for too long")
    return ", ".join(parts)
