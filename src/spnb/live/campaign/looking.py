"""What is on offer and what was answered, for whoever only looks: nothing is decided here."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from spnb.base.errors import DataError, MissingError
from spnb.live import clock
from spnb.live.campaign.asking import known
from spnb.live.campaign.campaign import Campaign
from spnb.live.campaign.certainty import conclusion
from spnb.live.campaign.change import Case, Change
from spnb.live.campaign.course import Course
from spnb.live.campaign.offers import Decision, Meant, meant
from spnb.live.campaign.reference import Reference
from spnb.live.schedule import Schedule
from spnb.live.store import Transaction


@dataclass(frozen=True, slots=True)
class Look:
    """A campaign at one moment.

    ``decided`` is the answer to what is on offer (without a schedule: the latest answer), with what
    became of it; ``offer`` is what may be asked about now, ``choices`` what else could be, by round
    and arm, and ``quiet`` says why there is nothing to ask about. ``coming`` is when that changes
    by the clock; ``lost_after`` (minutes) is how long a reward is waited for.
    """

    decided: Decision | None
    case: Case | None
    offer: Meant | None
    choices: tuple[tuple[int, str], ...]
    quiet: str | None
    coming: datetime | None
    lost_after: int | None


def look(campaign: Campaign) -> Look:
    """What there is to see without asking."""
    with campaign.store.reading() as tx:
        change = _unchanged(campaign, tx)
        if campaign.config.schedule is None:
            return _by_name(change, campaign.uid)
        return _by_clock(change, campaign.config.schedule, campaign.uid)


def cases(campaign: Campaign, decisions: Iterable[int]) -> dict[int, Case]:
    """These pulls, and what is known of their rewards."""
    with campaign.store.reading() as tx:
        change = _unchanged(campaign, tx)
        return {number: change.case(Reference(number)) for number in decisions}


def _unchanged(campaign: Campaign, tx: Transaction) -> Change:
    """A change that will not be made."""
    who = tx.named(campaign.uid)
    if who is None:
        raise MissingError(f"there is no campaign {campaign.name!r}")
    seen = tx.snapshot(who.number)
    course = Course.from_json(campaign.config, seen.version, seen.hash, seen.body)
    return Change(tx, who.number, course, campaign.actor)


def _by_clock(change: Change, schedule: Schedule, uid: str) -> Look:
    course, now = change.course, clock.now()
    coming, limit = schedule.coming(now, course.slots), course.lost_after
    try:
        offer = meant(course, None, None, now, ahead=True)
    except DataError as error:  # the clock is years ahead
        return Look(None, None, None, (), str(error), coming, limit)
    answer, quiet = _answer(change, offer, uid)
    open_ = offer if isinstance(offer, Meant) and answer is None and quiet is None else None
    return Look(answer, _case(change, answer), open_, (), quiet, offer.until or coming, limit)


def _by_name(change: Change, uid: str) -> Look:
    course = change.course
    here = max(course.round, 1)
    rest = [(here, arm.label) for arm in course.arms_in(here)[course.last + 1 :]]
    choices = tuple(rest + [(here + 1, arm.label) for arm in course.arms_in(here + 1)])
    round_, label = choices[0]
    place = course.last + 1 if rest else 0
    offer = Meant(round_, label, place, past=False)
    _, quiet = _answer(change, offer, uid)
    latest = _latest(change, uid)
    asked_for = offer if quiet is None else None
    return Look(latest, _case(change, latest), asked_for, choices, quiet, None, course.lost_after)


def _answer(
    change: Change, offer: Meant | Decision, uid: str
) -> tuple[Decision | None, str | None]:
    """The decision that was taken about this offer, or why there is none to take."""
    if isinstance(offer, Decision):
        return None, offer.reason
    if change.course.decided and change.course.status == "running":
        return None, conclusion(change.course)
    try:
        answer = known(change, offer, uid)
    except DataError as error:  # the clock was set back: it went by without being asked about
        return None, str(error)
    if answer is not None and answer.id is None:
        return None, answer.reason
    return answer, None


def _latest(change: Change, uid: str) -> Decision | None:
    """The answer to the arm that was asked about last."""
    course = change.course
    if not 0 <= course.last < len(course.arms):
        return None
    label = course.arms[course.last].label
    answer, _ = _answer(change, Meant(course.round, label, course.last, past=True), uid)
    return answer


def _case(change: Change, answer: Decision | None) -> Case | None:
    if answer is None or answer.id is None or not answer.pull:
        return None
    return change.case(Reference(answer.id))
