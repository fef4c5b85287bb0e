"""What can happen to a campaign; the log is a list of these and nothing is ever taken out."""

import json
from dataclasses import dataclass, fields
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from spnb.base.errors import DataError
from spnb.base.words import shown

KINDS = (
    "create", "ask", "tell", "lost", "found", "correct",
    "pause", "resume", "close", "add", "retire", "void", "adopt", "move", "arrive", "limit",
)  # fmt: skip

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of the log.

    ``decision`` is the number (``seq``) of the ask that a tell, loss or correction is about;
    ``at`` is in microseconds since 1970, UTC; ``actor`` is who did it; ``hash`` seals the entry
    and all before it.
    """

    seq: int
    at: int
    kind: str
    decision: int | None = None
    round: int | None = None
    arm: str | None = None
    pull: bool | None = None
    reward: float | None = None
    note: str | None = None  # what else there is to say, as JSON
    actor: str = ""
    hash: str = ""

    @property
    def time(self) -> datetime:
        return instant(self.at)

    def extra(self) -> dict[str, Any]:
        """The note, read."""
        return json.loads(self.note) if self.note else {}

    @property
    def trials(self) -> int:
        """Of how many trials the reward is the sum: 1, but for counts."""
        # Notes of most events say nothing of it, and there may be a million of them.
        return self.extra().get("trials", 1) if '"trials"' in (self.note or "") else 1

    def sealed(self, before: str) -> "Event":
        """The same entry with the hash of its content and of the entry before it."""
        # Written out: an event is made at every ask and every tell.
        return Event(
            self.seq, self.at, self.kind, self.decision, self.round, self.arm, self.pull,
            self.reward, self.note, self.actor, seal(self, before),
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """As it is exported: the time in words, what is not there left out."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        plain = {name: value for name, value in values.items() if value not in (None, "")}
        return plain | {"at": self.time.isoformat()} | ({"note": self.extra()} if self.note else {})

    @classmethod
    def from_dict(cls, data: Any) -> "Event":
        """The event that ``to_dict`` wrote; odd fields are refused, not dropped."""
        try:
            if not set(data) <= _FIELDS or data["kind"] not in KINDS:
                raise KeyError
            extra = data.get("note")
            time = microseconds(datetime.fromisoformat(data["at"]))
            note = None if extra is None else note_text(extra)
            return cls(**{**data, "at": time, "note": note})
        except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
            raise DataError(f"this is no event of a campaign: {shown(data)}") from None


_FIELDS = {field.name for field in fields(Event)}


def seal(event: Event, before: str) -> str:
    """The hash of an entry: of all its fields, and of the hash of the entry before it.

    Hashes are kept for good: what goes into them, and how it is written, never changes.
    """
    said = [
        before, event.seq, event.at, event.kind, event.decision, event.round, event.arm,
        event.pull, event.reward, event.note, event.actor,
    ]  # fmt: skip
    return sha256(json.dumps(said).encode()).hexdigest()


note_text = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
"""What else there is to say, as text."""


def microseconds(time: datetime) -> int:
    """A point in time as the log keeps it."""
    return (time - _EPOCH) // _TICK


def instant(at: int) -> datetime:
    """The point in time that ``microseconds`` wrote."""
    return _EPOCH + at * _TICK
