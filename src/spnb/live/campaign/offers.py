"""Which offer is meant: the one named, or the one that the clock says is on now."""

import operator
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, SupportsIndex

from spnb.base.errors import DataError
from spnb.base.words import listed, shown
from spnb.live import clock
from spnb.live.campaign.config import MOST_ROUNDS
from spnb.live.campaign.course import FEW, Course
from spnb.live.schedule import Schedule, local_text, until_text
from spnb.live.store import Event

FARTHEST = 10_000  # rounds: a clock that jumps farther is wrong
SEAL = 16  # signs of a decision's hash in its uid


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer to an ask.

    ``id`` is what to tell the reward to; it is None where nothing was decided, because nothing is
    on offer or the campaign does not run. ``uid`` is the same for other programs: it names the
    campaign as well, and cannot be guessed.
    """

    id: int | None
    pull: bool
    arm: str | None
    round: int | None
    reason: str
    until: datetime | None = None
    uid: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "id": self.id,
            "pull": self.pull,
            "arm": self.arm,
            "round": self.round,
            "reason": self.reason,
            "until": self.until.isoformat() if self.until else None,
            "uid": self.uid,
        }


@dataclass(frozen=True, slots=True)
class Offer:
    """What is on offer, named so that asking about it again means the same; ``why`` if nothing.

    ``at`` is the time to ask at, in a campaign that goes by the clock.
    """

    arm: str | None
    round: int | None
    at: datetime | None
    until: datetime | None
    past: bool  # it was decided, or has gone by
    why: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        times = {name: getattr(self, name) for name in ("at", "until")}
        return asdict(self) | {name: time and time.isoformat() for name, time in times.items()}


@dataclass(frozen=True, slots=True)
class Meant:
    """The offer that an ask is about; ``past`` if it can only have been decided before."""

    round: int
    label: str
    place: int
    past: bool
    until: datetime | None = None

    def decided(self, ask: Event, why: str, campaign: str) -> Decision:
        """The decision that this event took, in the campaign of this uid."""
        uid = f"{campaign}-{ask.seq}-{ask.hash[:SEAL]}"
        return Decision(ask.seq, bool(ask.pull), self.label, self.round, why, self.until, uid)

    def passed(self, why: str) -> Decision:
        """No decision: the offer goes by."""
        return Decision(None, False, self.label, self.round, why, self.until)


def moment(at: object) -> datetime | int | None:
    """A time or a round as somebody gave it: a time may be text, a round any whole number."""
    if at is None or isinstance(at, datetime):
        return at
    if type(at) is int and 1 <= at <= MOST_ROUNDS:  # as nearly always
        return at
    if isinstance(at, str):
        try:
            return datetime.fromisoformat(at)
        except ValueError:
            raise DataError(f"a time is written 2026-05-01T14:00, got {shown(at)}") from None
    if isinstance(at, bool) or not isinstance(at, SupportsIndex):
        raise DataError(f"at is a time, or a round counted from 1, got {shown(at)}")
    round_ = operator.index(at)
    if not 1 <= round_ <= MOST_ROUNDS + FARTHEST:
        raise DataError(f"rounds are counted from 1, got {shown(at)}")
    return round_


def meant(
    course: Course, arm: str | None, at: datetime | int | None, time: datetime, *, ahead: bool
) -> Meant | Decision:
    """The offer that an ask at this time means; a decision to pass where nothing is on offer.

    ``ahead`` confirms that an offer many rounds from now is really meant.
    """
    schedule = course.config.schedule
    if schedule is not None:
        if isinstance(at, int):
            raise DataError("this campaign goes by the clock: name a time (at), not a round")
        offer = _by_clock(course, schedule, arm, time)
    else:
        if isinstance(at, datetime):
            raise DataError("this campaign has no schedule: name a round, not a time")
        offer = _by_name(course, arm, at)
    if isinstance(offer, Meant) and not offer.past:
        _check_distance(course, offer.round, ahead=ahead)
    return offer


def _check_distance(course: Course, round_: int, *, ahead: bool) -> None:
    """A clock may be wrong by years, and so may be who types a date."""
    if round_ > course.round + FARTHEST:
        raise DataError(
            f"round {round_} is too far ahead of round {course.round}: is the clock right?"
        )
    if ahead or round_ <= course.round + FEW:
        return
    schedule, now = course.config.schedule, ""
    if schedule is not None:
        due = schedule.round_at(clock.now())
        if round_ <= due + FEW:
            return
        now = f" and of round {due}, which is on now"
    raise DataError(
        f"round {round_} is far ahead of round {course.round}{now}: if it is meant, confirm it "
        "(ahead)"
    )


def _by_clock(
    course: Course, schedule: Schedule, arm: str | None, time: datetime
) -> Meant | Decision:
    offer = schedule.offer(time, course.slots)
    if offer is None:
        later = schedule.coming(time, course.slots)
        when = f" until {local_text(later, schedule)}" if later else ""
        return Decision(None, False, None, None, f"nothing is on offer{when}")
    label = course.arms_in(offer.round)[offer.arm].label
    until = schedule.local(offer.until)
    if arm is not None and arm != label:
        _place(course, offer.round, arm)
        raise DataError(
            f"{arm!r} is not on offer at this time; {label!r} is, until {until_text(until, time)}"
        )
    past = (offer.round, offer.arm) <= (course.round, course.last)
    return Meant(offer.round, label, offer.arm, past, until)


def _by_name(course: Course, arm: str | None, at: int | None) -> Meant:
    if arm is None:
        raise DataError("this campaign has no schedule: say which arm is on offer")
    if at is not None:
        if at < course.round:  # whatever the arms were then
            return Meant(at, arm, -1, past=True)
        place = _place(course, at, arm)
        return Meant(at, arm, place, past=(at, place) <= (course.round, course.last))
    here = max(course.round, 1)
    if all(each.label != arm for each in course.arms_in(here)):
        coming = any(each.label == arm for each in course.arms_in(here + 1))
        round_ = here + 1 if coming else here
        return Meant(round_, arm, _place(course, round_, arm), past=False)
    place = _place(course, here, arm)
    # An arm that lies behind the last one asked about can only mean that a new round has begun.
    if place < course.last:
        return Meant(here + 1, arm, _place(course, here + 1, arm), past=False)
    return Meant(here, arm, place, past=(here, place) <= (course.round, course.last))


def _place(course: Course, round_: int, label: str) -> int:
    labels = [arm.label for arm in course.arms_in(round_)]
    if label not in labels:
        raise DataError(f"round {round_} has no arm {shown(label)}; it has {listed(labels)}")
    return labels.index(label)
