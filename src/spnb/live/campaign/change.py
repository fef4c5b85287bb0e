"""One change of a campaign: a transaction, the course it finds, and the events it adds."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from spnb.base.errors import DataError, MissingError
from spnb.live import clock
from spnb.live.campaign import checkpoints
from spnb.live.campaign.course import Course
from spnb.live.campaign.learning import LASTING, Checkpoint
from spnb.live.campaign.reference import Reference
from spnb.live.campaign.rewards import Worth, worth_of
from spnb.live.store import Event, Pending, Transaction
from spnb.live.store.events import microseconds, note_text


@dataclass(frozen=True, slots=True)
class Case:
    """A pull and what is known of its reward; ``entry`` is the event that brought it."""

    ask: Event
    state: Literal["open", "told", "lost"]
    worth: Worth | None = None
    entry: int | None = None


class Change:
    """All that happens in one transaction; ``save`` makes it so."""

    def __init__(self, tx: Transaction, campaign: int, course: Course, actor: str) -> None:
        self.tx, self.campaign, self.course = tx, campaign, course
        self._actor, self._seen = actor, course.version
        self._new: list[Event] = []

    def record(
        self, kind: str, at: datetime | None = None, note: dict[str, Any] | None = None, **what: Any
    ) -> Event:
        """Let something happen and note it."""
        time = microseconds(at or clock.now())
        text = None if note is None else note_text(note)
        plain = Event(self.course.version + 1, time, kind, note=text, actor=self._actor, **what)
        event = plain.sealed(self.course.hash)
        self.course.apply(event)
        self._new.append(event)
        if event.kind == "ask" and event.pull:
            pull = Pending(event.seq, event.round or 0, str(event.arm), time)
            self.tx.await_reward(self.campaign, [pull])
        elif event.kind in ("tell", "lost"):
            self.tx.arrived(self.campaign, event.decision or 0)
        wrong = checkpoints.wrong_since(event)
        if wrong is not None:
            self.tx.forget_checkpoints(self.campaign, since=wrong)
        return event

    def save(self) -> None:
        """Write what was recorded, on the condition that nobody else wrote meanwhile."""
        if self._new:
            course = self.course
            self.tx.append(self.campaign, self._new)
            self.tx.replace_snapshot(
                self.campaign, course.version, course.hash, course.to_json(), expected=self._seen
            )
            if course.due(self._seen):
                lasting = course.version // LASTING != self._seen // LASTING
                checkpoints.keep(self.tx, self.campaign, course.checkpoint(), lasting=lasting)

    def relearn(self, round_: int, *, however_long: bool) -> bool:
        """Teach the learner anew for an ask in this round, unless it would take others' time."""
        start = checkpoints.latest(self.tx, self.campaign)
        fresh = self.course.successor(round_)
        if not however_long and checkpoints.distance(start, fresh) > LASTING:
            return False
        if fresh.arms is not self.course.arms:
            self.tx.forget_checkpoints(self.campaign, since=0)
        self.course = fresh.relearn(self._history, start, self._keep)
        return True

    def _keep(self, checkpoint: Checkpoint) -> None:
        lasting = checkpoint.seq % LASTING == 0
        checkpoints.keep(self.tx, self.campaign, checkpoint, lasting=lasting)

    def _history(self, after: int, until: int) -> Iterator[Event]:
        yield from self.tx.history(self.campaign, after, min(until, self._seen))
        yield from (event for event in self._new if after < event.seq <= until)

    def case(self, meant: Reference) -> Case:
        """The pull that is meant, the latest one if none is named, and what became of it."""
        number = self.course.latest_pull if meant.number is None else meant.number
        if number is None:
            raise DataError("nothing was pulled yet, so there is nothing to tell")
        events = self.tx.about(self.campaign, number)
        if not events or events[0].seq != number or not meant.fits(events[0]):
            raise MissingError(f"there is no decision {meant.text or number}")
        if not events[0].pull:
            raise DataError(f"decision {number} was to pass: there is nothing to tell")
        case = Case(events[0], "open")
        for event in events[1:]:
            case = _after(case, event)
        return case


def _after(case: Case, event: Event) -> Case:
    if event.reward is None:
        return Case(case.ask, "lost")
    entry = case.entry if event.kind == "correct" else event.seq
    return Case(case.ask, "told", worth_of(event), entry)
