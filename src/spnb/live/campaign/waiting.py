"""Rewards that are waited for: what blocks a campaign, and what is overdue, in words."""

from collections.abc import Callable
from datetime import datetime, timedelta

from spnb.live.campaign.course import Course
from spnb.live.campaign.reasons import follower
from spnb.live.schedule import length_text, local_text
from spnb.live.store import Pending
from spnb.live.store.events import instant, microseconds

_UNITS = (("day", 86_400), ("hour", 3600), ("minute", 60))


def blocking(course: Course, waiting: Callable[[], list[Pending]]) -> Pending | None:
    """The pull whose reward must come before anything more is pulled, if there is one."""
    place = course.learner.awaited()
    if place is None:
        return None
    label = course.arms[place].label
    return next((pull for pull in reversed(waiting()) if pull.arm == label), None)


def blocked_text(course: Course, pull: Pending, now: datetime) -> str:
    """What is waited for, since when, and what can be done about it."""
    who = follower(course.learner.agent)
    limit = course.lost_after
    way = (
        "tell it, mark it lost, or say after how long to give it up"
        if limit is None
        else f"it is given up {length_text(limit)} after it was asked"
    )
    return (
        f"{who} waits for the reward of {pull.arm}, asked {ago(pull, now)}: "
        f"decision {pull.decision}; {way}"
    )


def limit_at(course: Course, now: datetime) -> int | None:
    """Pulls made until this moment are given up at an ask now; None if none ever is."""
    if course.lost_after is None:
        return None
    return microseconds(now - timedelta(minutes=course.lost_after))


def past_limit(course: Course, pull: Pending, now: datetime) -> bool:
    """Whether the next ask gives this reward up: then nobody waits for it."""
    limit = limit_at(course, now)
    return course.status == "running" and limit is not None and pull.at <= limit


def overdue(course: Course, waiting: list[Pending], now: datetime) -> tuple[Pending, ...]:
    """Pulls of earlier rounds, or past the limit, whose rewards have not come, the oldest first."""
    return tuple(
        pull for pull in waiting if pull.round < course.round or past_limit(course, pull, now)
    )


def overdue_text(course: Course, pull: Pending, now: datetime) -> str:
    """Which reward has not come, and whether it is still waited for."""
    when = local_text(instant(pull.at), course.config.schedule)
    said = f"decision {pull.decision}, {pull.arm} in round {pull.round}, asked {when}"
    said += f" ({ago(pull, now)})"
    if course.lost_after is None or not past_limit(course, pull, now):
        return said
    return f"{said}, past the limit of {length_text(course.lost_after)}: the next ask gives it up"


def ago(pull: Pending, now: datetime) -> str:
    """How long ago a pull was made: ``8 days ago``."""
    seconds = (microseconds(now) - pull.at) // 1_000_000
    for unit, length in _UNITS:
        count = seconds // length
        if count >= 1:
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
