"""Arms that come and go between rounds."""

from spnb.base.errors import ConflictError, DataError, SpecError
from spnb.live.campaign.change import Change
from spnb.live.campaign.config import Arm, check_labels
from spnb.live.schedule import Schedule


def arm_added(change: Change, label: str, before: str | None, slot: str | None) -> None:
    """From the next round on there is one arm more."""
    course = change.course
    _check_open(change)
    arms, schedule = course.coming or course.arms, course.config.schedule
    if schedule is not None:
        if before is not None:
            raise SpecError("a schedule puts its arms in order: say when the arm comes, not where")
        minute = _minute(schedule, slot or label)
        if any(arm.slot == minute for arm in arms):
            raise ConflictError(f"there is an arm at {slot or label} already")
        place = sum((arm.slot or 0) < minute for arm in arms)
    else:
        if slot is not None:
            raise SpecError(f"this campaign has no schedule: it has no slot {slot!r}")
        minute, place = None, len(arms) if before is None else _place(arms, before)
    if any(arm.label == label for arm in arms):
        raise ConflictError(f"there is an arm {label!r} already")
    check_labels([*arms, Arm(label, minute)])
    change.record("add", arm=label, note={"place": place, "slot": minute})


def arm_retired(change: Change, label: str) -> None:
    """From the next round on there is one arm less."""
    _check_open(change)
    arms = change.course.coming or change.course.arms
    _place(arms, label)
    if len(arms) == 1:
        raise DataError(f"{label!r} is the only arm: close the campaign instead")
    change.record("retire", arm=label)


def _check_open(change: Change) -> None:
    if change.course.status == "closed":
        raise ConflictError("the campaign is closed")


def _minute(schedule: Schedule, text: str) -> int:
    parsed = Schedule.parse(text, schedule.zone)
    if len(parsed.slots) != 1 or parsed.weekly != schedule.weekly:
        kind = "one weekday with a time" if schedule.weekly else "one time of day"
        raise SpecError(f"a slot of this campaign is {kind}, got {text!r}")
    return parsed.slots[0]


def _place(arms: tuple[Arm, ...], label: str) -> int:
    labels = [arm.label for arm in arms]
    if label not in labels:
        raise DataError(f"there is no arm {label!r}; there are {', '.join(labels)}")
    return labels.index(label)
