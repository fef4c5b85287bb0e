"""One change of a campaign: a transaction, the course it finds, and the events it adds."""

from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any, Literal

from spnb.base.errors import DataError
from spnb.live import clock
from spnb.live.campaign.course import Course
from spnb.live.store import Event, Pending, Transaction
from spnb.live.store.events import microseconds, note_text

_QUIET = ("tell", "lost", "found", "pause", "resume", "close")  # what no learner need fear


@dataclass(frozen=True, slots=True)
class Case:
    """A pull and what is known of its reward; ``entry`` is the event that brought it."""

    ask: Event
    state: Literal["open", "told", "lost"]
    reward: float | None = None
    entry: int | None = None


class Change:
    """All that happens in one transaction; ``save`` makes it so."""

    def __init__(self, tx: Transaction, campaign: int, course: Course) -> None:
        self.tx, self.campaign, self.course = tx, campaign, course
        self._seen = course.version
        self._new: list[Event] = []

    def record(
        self, kind: str, at: datetime | None = None, note: dict[str, Any] | None = None, **what: Any
    ) -> Event:
        """Let something happen and note it."""
        time = microseconds(at or clock.now())
        text = None if note is None else note_text(note)
        event = Event(self.course.version + 1, time, kind, note=text, **what)
        self.course.apply(event)
        self._new.append(event)
        if event.kind == "ask" and event.pull:
            pull = Pending(event.seq, event.round or 0, str(event.arm), time)
            self.tx.await_reward(self.campaign, [pull])
        elif event.kind in ("tell", "lost"):
            self.tx.arrived(self.campaign, event.decision or 0)
        return event

    def save(self) -> None:
        """Write what was recorded, on the condition that nobody else wrote meanwhile."""
        if self._new:
            self.tx.append(self.campaign, self._new)
            body, version = self.course.to_json(), self.course.version
            self.tx.replace_snapshot(self.campaign, version, body, expected=self._seen)

    def adopt(self, fresh: Course | None) -> bool:
        """Go on with a course that was taught anew while others may have gone on, too."""
        if fresh is None:
            return False
        missed = self.tx.events(self.campaign, fresh.version, self._seen)
        for event in chain(missed, self._new):
            if event.kind not in _QUIET:
                return False
            fresh.apply(event)
        if fresh.version != self.course.version:
            return False
        self.course = fresh
        return True

    def case(self, decision: int | None) -> Case:
        """The pull that is meant, the latest one if none is named, and what became of it."""
        number = self.course.latest_pull if decision is None else decision
        if number is None:
            raise DataError("nothing was pulled yet, so there is nothing to tell")
        events = self.tx.about(self.campaign, number)
        if not events or events[0].seq != number or events[0].kind != "ask":
            raise DataError(f"there is no decision {number}")
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
    return Case(case.ask, "told", event.reward, entry)
