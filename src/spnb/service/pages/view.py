"""What a campaign's page shows, gathered in one go."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from markupsafe import Markup

from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.campaign.config import Config
from spnb.live.campaign.looking import Look, look
from spnb.live.campaign.status import ArmStatus, Status
from spnb.live.campaign.story import Cell, Story
from spnb.live.schedule import length_text
from spnb.live.store import Event
from spnb.report.campaigns import status_lines
from spnb.report.picture import highest, rounds_picture
from spnb.service.pages.drawings import Earned, earned_picture, interval, scale
from spnb.service.pages.frame import drawn
from spnb.service.pages.log import Entry, entries

_TAIL = 4000  # the latest events, which the pictures are made of
_WIDE, _NARROW = 48, 22  # rounds in a picture
_OVER = ("finished", "closed")  # states in which nothing more is pulled
_MOST_ARMS = 40  # in the picture and, unless all are asked for, in the table


@dataclass(frozen=True, slots=True)
class Row:
    """An arm with its drawing."""

    arm: ArmStatus
    picture: Markup


@dataclass(frozen=True, slots=True)
class Pictures:
    """The same picture for a phone and for a desk."""

    narrow: Markup
    wide: Markup


@dataclass(frozen=True, slots=True)
class View:
    """A campaign's page."""

    uid: str
    name: str
    config: Config
    status: Status
    look: Look
    rows: tuple[Row, ...]
    more_arms: int
    top: float
    rounds: Pictures | None
    highest: float  # the reward that fills a box of the picture
    drawn_arms: int
    standing: int
    advice: tuple[str, ...]
    lost_after: str | None
    curve: Pictures | None
    earned: Earned | None
    log: tuple[Entry, ...]
    older: int | None
    wait: int | None  # seconds until the clock changes what is on offer

    @property
    def finished(self) -> bool:
        """Nothing more will be pulled, and there is an answer."""
        return self.status.state in _OVER

    @property
    def best(self) -> ArmStatus | None:
        """The arm taken to be the best, if there is one."""
        return next((arm for arm in self.status.arms if arm.arm == self.status.best), None)


def view_of(campaign: Campaign, before: int | None = None, *, every_arm: bool = False) -> View:
    """All that there is to see of a campaign; ``before`` turns the pages of the log."""
    status, seen = campaign.status(), look(campaign)
    since = campaign.events(max(0, status.events - _TAIL))
    tail = [event for event in since if event.seq <= status.events]  # not what came meanwhile
    cells = list(Story.of(tail).cells.values())
    standing = [arm for arm in status.arms if not arm.retired]
    often = [arm.arm for arm in _foremost(standing, lambda arm: (arm.pulls, arm.chance))]
    rows, top = status.arms, scale(status.arms)
    shown = rows if every_arm else _foremost(rows, lambda arm: (arm.chance,))
    log, older = entries(campaign, status.events, before)
    earned, limit = earned_of(tail, status), seen.lost_after
    return View(
        uid=campaign.uid,
        name=campaign.name,
        config=campaign.config,
        status=status,
        look=seen,
        rows=tuple(Row(arm, drawn(interval(arm, top))) for arm in shown),
        more_arms=len(rows) - len(shown),
        top=top,
        rounds=_rounds(cells, often, status) if cells else None,
        highest=highest(cells),
        drawn_arms=len(often),
        standing=len(standing),
        advice=tuple(advice_of(status)),
        lost_after=None if limit is None else length_text(limit),
        curve=None if earned is None else _curve(earned),
        earned=earned,
        log=log,
        older=older,
        wait=seconds_until(seen.coming),
    )


def advice_of(status: Status) -> Iterator[str]:
    """What there is to say, what matters most first."""
    if status.state in (*_OVER, "moved"):
        return  # the answer says it all
    yield from status_lines(status)
    yield status.advice
    if status.state in ("running", "paused"):
        yield from _to_go(status)


def _to_go(status: Status) -> Iterator[str]:
    """How much of rounds and pulls is left; whichever ends first is the end."""
    ends = {"rounds": (status.round, status.rounds), "pulls": (status.pulled, status.pulls)}
    counts = {name: (most - now, most) for name, (now, most) in ends.items() if most}
    left = [f"{more} of {most} {name}" for name, (more, most) in counts.items() if more > 0]
    if left:
        yield f"{'At most ' if len(left) > 1 else ''}{' and '.join(left)} to go."
    if status.rounds is not None and status.round >= status.rounds:
        yield "This is the last round."


def earned_of(events: Sequence[Event], status: Status) -> Earned | None:
    """What the rewards came to; None before there are two of them."""
    tried = [arm for arm in status.arms if arm.rewards]
    count, total = sum(arm.trials for arm in tried), sum(arm.earned for arm in tried)
    if sum(arm.rewards for arm in tried) < 2:
        return None
    told: dict[int, tuple[int, float]] = {}  # trials and reward of each decision, as known now
    for event in events:
        number = event.decision or 0
        if event.kind in ("tell", "found") or (event.kind == "correct" and number in told):
            told[number] = event.trials, event.reward or 0.0
            if event.reward is None:
                del told[number]
    known = np.array(list(told.values())).reshape(-1, 2)
    # What was told before these events is where the curve begins.
    points = np.array([count, total]) - known.sum(axis=0) + np.cumsum([[0, 0], *known], axis=0)
    best = next((arm for arm in tried if arm.arm == status.recommended), None)
    best = best or max(tried, key=lambda arm: arm.mean or 0.0)
    course = tuple((int(n), max(float(s), 0.0)) for n, s in points)
    return Earned(course, _worth(tried, count), _worth([best], count), best.arm)


def _worth(arms: Sequence[ArmStatus], pulls: int) -> tuple[float, float, float]:
    """What so many pulls, spread evenly over these arms, are worth, with its interval."""
    means = [arm.mean or 0.0 for arm in arms]
    middle = sum(means) / len(arms)
    # The arms are estimated apart from each other, so the halves of their intervals add as squares.
    below, above = (
        float(np.sqrt(sum(half**2 for half in halves))) / len(arms)
        for halves in (
            [mean - arm.low for mean, arm in zip(means, arms, strict=True)],
            [arm.high - mean for mean, arm in zip(means, arms, strict=True)],
        )
    )
    return pulls * middle, pulls * max(middle - below, 0.0), pulls * min(middle + above, 1.0)


def _foremost(
    arms: Sequence[ArmStatus], worth: Callable[[ArmStatus], tuple[float, ...]]
) -> tuple[ArmStatus, ...]:
    """The arms in their order; of very many those that are worth most."""
    kept = {arm.arm for arm in sorted(arms, key=worth, reverse=True)[:_MOST_ARMS]}
    return tuple(arm for arm in arms if arm.arm in kept)


def _rounds(cells: Sequence[Cell], arms: Sequence[str], status: Status) -> Pictures:
    pulled = [cell.round for cell in cells if cell.became != "pass"]
    last = max(pulled) if status.state in _OVER and pulled else status.round
    narrow, wide = (
        rounds_picture(cells, arms, first=max(1, last - shown + 1), shown=shown, best=status.best)
        for shown in (_NARROW, _WIDE)
    )
    return Pictures(drawn(narrow), drawn(wide))


def _curve(earned: Earned) -> Pictures:
    return Pictures(
        drawn(earned_picture(earned, 350, 200)), drawn(earned_picture(earned, 680, 240))
    )


def seconds_until(coming: datetime | None) -> int | None:
    """How long a page stays right by the clock, rounded up."""
    if coming is None:
        return None
    return max(1, int((coming.astimezone(UTC) - clock.now()).total_seconds()) + 1)
