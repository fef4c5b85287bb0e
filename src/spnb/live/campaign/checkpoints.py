"""Checkpoints in the store: how they are found, kept, thinned out and made up for.

Any of them may be missing: what it holds can be had from the log.
"""

from contextlib import suppress

from spnb.base.errors import StoreError
from spnb.live.campaign.course import Course
from spnb.live.campaign.learning import DENSE, LASTING, Checkpoint
from spnb.live.store import Event, Store, Transaction


def latest(tx: Transaction, campaign: int) -> Checkpoint | None:
    """The latest checkpoint: no correction since has made it wrong."""
    text = tx.checkpoint(campaign)
    return None if text is None else Checkpoint.from_json(text)


def distance(start: Checkpoint | None, course: Course) -> int:
    """The events and rounds to go through from a checkpoint to where a course stands."""
    labels = tuple(arm.label for arm in course.arms)
    if start is None or start.arms != labels:
        return course.version + course.round
    return course.version - start.seq + course.round - start.round


def keep(tx: Transaction, campaign: int, checkpoint: Checkpoint, *, lasting: bool) -> None:
    """One more checkpoint; of those that are no longer recent, only the lasting ones stay."""
    tx.keep_checkpoint(campaign, checkpoint.seq, checkpoint.to_json(), lasting=lasting)
    recent = checkpoint.seq - LASTING
    tx.thin_checkpoints(campaign, recent - LASTING, recent)


def wrong_since(event: Event) -> int | None:
    """The event from which on an event makes checkpoints wrong, if it does."""
    if event.kind == "correct":
        extra = event.extra()
        entry: int = extra["entry"]
        same = (event.reward, event.trials) == (extra["was"], extra.get("was_trials", 1))
        return None if same else entry  # only the raw value was wrong
    return event.decision if event.kind == "void" else None


def caught_up(store: Store, campaign: int, course: Course, round_: int) -> Course:
    """A course whose learner is taught anew for this round, while others go on.

    What was learnt is kept for whoever asks next.
    """
    with store.reading() as tx:
        start = latest(tx, campaign)
    fresh = course.successor(round_)
    far = distance(start, fresh)
    found: list[Checkpoint] = []
    fresh.relearn(lambda after, until: store.history(campaign, after, until), start, found.append)
    if far > DENSE:
        found.append(fresh.checkpoint())
        with suppress(StoreError):  # who may only read has learnt it for himself
            _keep_all(store, campaign, course, found)
    return fresh


def _keep_all(store: Store, campaign: int, course: Course, found: list[Checkpoint]) -> None:
    """Keep those checkpoints that nothing has made wrong since the course was read."""
    with store.writing(campaign) as tx:
        now = tx.snapshot(campaign, lock=True)
        missed = list(tx.history(campaign, course.version, now.version))
        if any(event.kind == "ask" for event in missed):
            return  # somebody else has learnt it by now
        wrong = [since for event in missed if (since := wrong_since(event)) is not None]
        right = [each for each in found if each.seq < min(wrong, default=now.version + 1)]
        for checkpoint in right:
            keep(tx, campaign, checkpoint, lasting=checkpoint.seq % LASTING == 0)
