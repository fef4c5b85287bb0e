"""Replay a log from its seed and see whether it says what happened."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

from spnb.base.errors import DataError, SpnbError
from spnb.base.words import said, shown
from spnb.engine.blocks import Progress
from spnb.live.campaign import rules
from spnb.live.campaign.config import Config
from spnb.live.campaign.course import Course, Differs, readable
from spnb.live.campaign.learning import History
from spnb.live.campaign.replay import Replay
from spnb.live.learner import FORM
from spnb.live.store import Event, Identity, Store

_STRIDE = 1000  # events between two signs of life


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a replay found; ``problem`` names the first event that differs, ``event`` its number.

    ``hash`` seals the whole log: noted elsewhere, it says later whether the log is still this one.
    Up to event ``stands`` the decisions were those of an older form, and were taken as they stand.
    """

    ok: bool
    events: int
    problem: str | None = None
    event: int | None = None
    hash: str | None = None
    stands: int = 0


def replayed(
    salt: str,
    events: Iterable[Event],
    history: History,
    total: int,
    progress: Progress | None,
    *,
    sealed: bool = True,
    patience: float = float("inf"),
) -> tuple[Replay | None, Verdict | None]:
    """Go through all events; the verdict is there if one of them differs."""
    replay: Replay | None = None
    report = progress or (lambda done, all_of_it: None)
    for done, event in enumerate(events):
        try:
            if replay is None:
                replay = Replay(_begun(event, salt), history, patience, sealed)
            replay.step(event)
        except (Differs, SpnbError) as finding:
            problem = f"event {done + 1} ({_named(event)}): {finding}"
            return replay, Verdict(False, done, problem, done + 1)
        if (done + 1) % _STRIDE == 0:
            report(done + 1, total)
    if replay is None:
        return None, Verdict(False, 0, "event 1: the log has lost its beginning", 1)
    return replay, None


def _begun(first: Event, salt: str) -> Course:
    if (first.seq, first.kind) != (1, "create"):
        raise Differs("a log begins with event 1, which is its create event")
    rules.check(first)
    return Course.new(config_of(first), salt)


def config_of(first: Event) -> Config:
    """What the campaign was created with, as its first event says."""
    try:
        return Config.from_dict(first.extra())
    except (ValueError, RecursionError) as error:
        raise DataError(said(error)) from None


def verify(store: Store, who: Identity, progress: Progress | None) -> Verdict:
    """Whether decisions, snapshot and pending pulls are what the log leads to, bit for bit."""
    with store.reading() as tx:
        snapshot = tx.snapshot(who.number)
        waiting = tx.pending(who.number)

    def history(after: int, until: int) -> Iterable[Event]:
        return store.history(who.number, after, until)

    version = snapshot.version
    replay, verdict = replayed(who.salt, history(0, version), history, version, progress)
    if verdict is not None or replay is None:
        return verdict or Verdict(False, 0)
    done = replay.course.version
    if done != version:
        problem = f"the log ends at event {done}, the snapshot is of event {version}"
        return Verdict(False, done, problem, done + 1)
    if not _same(replay.course, snapshot.body) or replay.course.hash != snapshot.hash:
        return Verdict(False, done, f"the snapshot is not what event {done} leads to", done)
    if replay.waiting() != waiting:
        return Verdict(False, done, "the pulls noted as pending are not those of the log", done)
    stands = replay.stands if replay.course.form == FORM else done
    return Verdict(True, done, hash=replay.course.hash, stands=stands)


def _same(course: Course, body: str) -> bool:
    """Whether a snapshot is that of a course.

    A learner that this version cannot read, or that is of an older form, is left out of it: it is
    taught anew from the log, so nothing is ever done with what stands there.
    """
    text = course.to_json()
    if text == body:
        return True
    try:
        found, saved = json.loads(text), json.loads(body)
    except ValueError:
        return False
    if course.form == FORM and readable(saved):
        # Another version may have written the same things in another order.
        return json.dumps(found, sort_keys=True) == json.dumps(saved, sort_keys=True)
    ours = {"learner", "stale"}
    return isinstance(saved, dict) and all(
        found.get(name) == saved.get(name) for name in {*found, *saved} - ours
    )


def _named(event: Event) -> str:
    try:
        return f"{event.kind} of {event.time:%Y-%m-%d %H:%M}"
    except (TypeError, ValueError, OverflowError):
        return shown(event.kind)
