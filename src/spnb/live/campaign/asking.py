"""An ask, step by step: what is known already, what is given up, what is decided."""

from datetime import datetime, timedelta

from spnb.base.errors import DataError
from spnb.live.campaign.change import Change
from spnb.live.campaign.course import FEW
from spnb.live.campaign.learning import is_void
from spnb.live.campaign.offers import Decision, Meant
from spnb.live.campaign.reasons import reason
from spnb.live.campaign.waiting import blocked_text, blocking
from spnb.live.store.events import microseconds


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


def give_up_late(change: Change, time: datetime) -> None:
    """Mark as lost what has been waited for too long."""
    if change.course.lost_after is None:
        return
    limit = time - timedelta(minutes=change.course.lost_after)
    for pull in change.tx.pending(change.campaign, before=microseconds(limit)):
        what = {"decision": pull.decision, "round": pull.round, "arm": pull.arm}
        change.record("lost", time, note={"by": "limit"}, **what)


def decide(change: Change, offer: Meant, time: datetime, campaign: str) -> Decision:
    """Pull or pass, noted for good."""
    course = change.course
    before, leaps = [course.round, course.last], offer.round > course.round + FEW
    course.meet(offer.round, offer.place)
    pull = course.wants(offer.place)
    if course.config.goal == "best" and course.learner.stopped:
        best = course.arms[course.learner.recommend()].label
        why = f"the search is over: {best} is held for the best"
    elif not pull and (blocker := blocking(course, lambda: change.tx.pending(change.campaign))):
        why = blocked_text(course, blocker, time)
    else:
        labels = [arm.label for arm in course.arms]
        why = reason(course.learner, offer.place, labels, course.tally[offer.label], pull=pull)
    note = {"reason": why} | ({"from": before} if leaps else {})
    what = {"round": offer.round, "arm": offer.label, "pull": pull}
    return offer.decided(change.record("ask", time, note=note, **what), why, campaign)
