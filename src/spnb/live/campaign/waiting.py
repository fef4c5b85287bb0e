"""Rewards that are waited for: what blocks a campaign, and what is overdue, in words."""

from collections.abc import Callable
from datetime import datetime

from spnb.live.campaign.course import Course
from spnb.live.campaign.reasons import follower
from spnb.live.schedule import length_text
from spnb.live.store import Pending
from spnb.live.store.events import microseconds

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


def overdue(course: Course, waiting: list[Pending]) -> tuple[Pending, ...]:
    """Pulls of earlier rounds whose rewards have not come yet, the oldest first."""
    return tuple(pull for pull in waiting if pull.round < course.round)


def ago(pull: Pending, now: datetime) -> str:
    """How long ago a pull was made: ``8 days ago``."""
    seconds = (microseconds(now) - pull.at) // 1_000_000
    for unit, length in _UNITS:
        count = seconds // length
        if count >= 1:
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
