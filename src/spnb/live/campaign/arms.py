"""Arms that come and go between rounds."""

from spnb.base.errors import ConflictError, DataError, SpecError
from spnb.base.words import listed, shown
from spnb.live.campaign.change import Change
from spnb.live.campaign.config import Arm, check_labels
from spnb.live.campaign.course import Course
from spnb.live.schedule import Schedule


def arm_added(change: Change, label: str, before: str | None, slot: str | None) -> None:
    """From the next round on there is one arm more."""
    course = change.course
    arms, schedule = course.coming or course.arms, course.config.schedule
    if schedule is not None:
        if before is not None:
            raise SpecError("a schedule puts its arms in order: say when the arm comes, not where")
        minute = _minute(schedule, slot or label)
        place = sum((arm.slot or 0) < minute for arm in arms)
    else:
        if slot is not None:
            raise SpecError(f"this campaign has no schedule: it has no slot {slot!r}")
        minute, place = None, len(arms) if before is None else _place(arms, before)
    check_added(course, label, minute, place)
    change.record("add", arm=label, note={"place": place, "slot": minute})


def arm_retired(change: Change, label: str) -> None:
    """From the next round on there is one arm less."""
    check_retired(change.course, label)
    change.record("retire", arm=label)


def check_added(course: Course, label: str, minute: int | None, place: int) -> None:
    """Refuse an arm that may not be added; live and in a log that is replayed."""
    _check_open(course)
    _check_paid(course)
    arms, schedule = course.coming or course.arms, course.config.schedule
    if any(arm.label == label for arm in arms):
        raise ConflictError(f"there is an arm {label!r} already")
    check_labels([*arms, Arm(label, minute)])
    if schedule is None:
        fits = minute is None and 0 <= place <= len(arms)
    else:
        if any(arm.slot == minute for arm in arms):
            raise ConflictError(f"there is an arm at {schedule.label(minute or 0)} already")
        fits = minute is not None and schedule.holds(minute)
        fits = fits and place == sum((arm.slot or 0) < (minute or 0) for arm in arms)
    if not fits:
        raise DataError(f"{label!r} cannot come at place {place} and slot {shown(minute)}")


def check_retired(course: Course, label: str) -> None:
    """Refuse to retire an arm that is not there, or the only one."""
    _check_open(course)
    _check_paid(course)
    arms = course.coming or course.arms
    _place(arms, label)
    if len(arms) == 1:
        raise DataError(f"{label!r} is the only arm: close the campaign instead")


def _check_open(course: Course) -> None:
    if course.status == "closed":
        raise ConflictError("the campaign is closed")


def _check_paid(course: Course) -> None:
    """Every change of arms teaches the learner the whole log anew."""
    missing = course.shortfall(course.version + course.round)
    if missing > 0 and course.coming is None:
        raise ConflictError(
            f"the arms have changed too often: they can change again after {missing} more events"
        )


def _minute(schedule: Schedule, text: str) -> int:
    parsed = Schedule.parse(text, schedule.zone)
    if len(parsed.slots) != 1 or parsed.weekly != schedule.weekly:
        kind = "one weekday with a time" if schedule.weekly else "one time of day"
        raise SpecError(f"a slot of this campaign is {kind}, got {text!r}")
    return parsed.slots[0]


def _place(arms: tuple[Arm, ...], label: str) -> int:
    labels = [arm.label for arm in arms]
    if label not in labels:
        raise DataError(f"there is no arm {shown(label)}; there are {listed(labels)}")
    return labels.index(label)
