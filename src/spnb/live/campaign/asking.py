"""An ask, step by step: what is known already, what is given up, what is decided."""

from dataclasses import replace
from datetime import datetime

from spnb.base.errors import DataError
from spnb.base.words import cut
from spnb.live.campaign.certainty import conclusion
from spnb.live.campaign.change import Change
from spnb.live.campaign.course import FEW, Course
from spnb.live.campaign.learning import is_void
from spnb.live.campaign.offers import Decision, Meant
from spnb.live.campaign.reasons import reason
from spnb.live.campaign.rules import LONGEST_REASON
from spnb.live.campaign.waiting import blocked_text, blocking, limit_at


def known(change: Change, offer: Meant, campaign: str) -> Decision | None:
    """What there is to say without deciding anything."""
    course = change.course
    if offer.past:
        asked = change.tx.asked(change.campaign, offer.round, offer.label)
        stands = [ask for ask in asked if not is_void(ask.seq, course.voided)]
        if not stands:
            raise DataError(
                f"{offer.label!r} in round {offer.round} is past and was never asked about: "
                f"the campaign has gone on in round {course.round}"
            )
        return offer.decided(stands[-1], stands[-1].extra()["reason"], campaign)
    if course.open_in(offer.round):
        return None
    if course.status != "running":
        return offer.passed(f"the campaign is {course.status}")
    if course.spent:
        return offer.passed(f"all {course.config.pulls} pulls are made")
    return offer.passed(f"all {course.config.rounds} rounds are over")


def with_a_hint(course: Course, answer: Decision) -> Decision:
    """The answer to somebody who asks by name while offers are not counted.

    Whether a later ask of the same arm means the same offer or the next round can then not be told.
    """
    by_name = course.config.schedule is None and course.round > 0
    if answer.id is not None or course.status != "paused" or not by_name:
        return answer
    hint = "asks are not counted, so name the round when you ask after it is resumed"
    return replace(answer, reason=f"{answer.reason}: {hint}")


def give_up_late(change: Change, time: datetime) -> None:
    """Mark as lost what has been waited for too long."""
    limit = limit_at(change.course, time)
    if limit is None:
        return
    for pull in change.tx.pending(change.campaign, before=limit):
        what = {"decision": pull.decision, "round": pull.round, "arm": pull.arm}
        change.record("lost", time, note={"by": "limit"}, **what)


def decide(change: Change, offer: Meant, time: datetime, campaign: str) -> Decision:
    """Pull or pass, noted for good."""
    course = change.course
    before, leaps = [course.round, course.last], offer.round > course.round + FEW
    course.meet(offer.round, offer.place)
    pull = course.wants(offer.place)
    if course.decided:
        why = conclusion(course)
    elif not pull and (blocker := blocking(course, lambda: change.tx.pending(change.campaign))):
        why = blocked_text(course, blocker, time)
    else:
        labels = [arm.label for arm in course.arms]
        why = reason(course.learner, offer.place, labels, course.tally[offer.label], pull=pull)
    why = cut(why, LONGEST_REASON)  # names of arms may be long, and an answer may list many
    note = {"reason": why} | ({"from": before} if leaps else {})
    what = {"round": offer.round, "arm": offer.label, "pull": pull}
    return offer.decided(change.record("ask", time, note=note, **what), why, campaign)
