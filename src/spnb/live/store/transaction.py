"""What may be read and written together: what a campaign needs, and nothing about what it means."""

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from spnb.base.errors import ConflictError, GoneError
from spnb.live.store.events import Event
from spnb.live.store.statements import Statements

_CHUNK = 5000  # events read or written at a time
LATEST = 2**62  # later than any event and any time
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pending:
    """A pull whose reward is still to come."""

    decision: int
    round: int
    arm: str
    at: int


class Identity(NamedTuple):
    """A campaign in its store: its number there, and what names it anywhere."""

    number: int
    name: str
    uid: str
    salt: str


class Snapshot(NamedTuple):
    """Where a campaign stands: the last event, its hash, and all that is needed to go on."""

    version: int
    hash: str
    body: str
    uid: str  # the campaign's


class Transaction:
    """All of it happens, or nothing; campaigns of other owners are not seen."""

    def __init__(self, cursor: Any, sql: Statements, clash: type[Exception], owner: str) -> None:
        self._cursor, self._sql, self._clash, self._owner = cursor, sql, clash, owner

    def _do(self, statement: str, **values: Any) -> Any:
        self._cursor.execute(statement, values)
        return self._cursor

    def names(self) -> list[str]:
        """The owner's campaigns, in the order of Python: each database has one of its own."""
        return sorted(row[0] for row in self._do(self._sql.names, owner=self._owner).fetchall())

    def find(self, name: str) -> Identity | None:
        """The owner's campaign of this name."""
        row = self._do(self._sql.find, owner=self._owner, name=name).fetchone()
        return Identity(*row) if row else None

    def named(self, uid: str) -> Identity | None:
        """The owner's campaign of this uid."""
        row = self._do(self._sql.named, owner=self._owner, uid=uid).fetchone()
        return Identity(*row) if row else None

    def versions(self) -> list[tuple[str, int]]:
        """The owner's campaigns, each with its last event, in the same order."""
        rows = self._do(self._sql.versions, owner=self._owner).fetchall()
        return sorted((row[0], row[1]) for row in rows)

    def version(self, uid: str) -> int | None:
        """The last event of the owner's campaign of this uid."""
        row = self._do(self._sql.version, owner=self._owner, uid=uid).fetchone()
        return int(row[0]) if row else None

    def named_many(self, uids: Sequence[str]) -> list[Identity]:
        """The owner's campaigns of these uids, as far as there are any."""
        if self._sql.named_many is None or len(uids) == 1:
            return [who for uid in uids if (who := self.named(uid)) is not None]
        rows = self._do(self._sql.named_many, owner=self._owner, uids=list(uids)).fetchall()
        return [Identity(*row) for row in rows]

    def create(
        self, name: str, body: str, uid: str | None = None, salt: str | None = None
    ) -> Identity:
        """A new campaign with nothing in its log and this snapshot; a uid in use is not taken."""
        if uid is None or self._do(self._sql.taken, uid=uid).fetchone():
            uid = secrets.token_hex(8)
        marks = {"uid": uid, "salt": salt or secrets.token_hex(16)}
        try:
            row = self._do(self._sql.create, owner=self._owner, name=name, **marks).fetchone()
        except self._clash:
            raise ConflictError(f"there is a campaign {name!r} already") from None
        number: int = row[0]
        self._do(self._sql.begin, campaign=number, version=0, hash=marks["salt"], body=body)
        return Identity(number, name, **marks)

    def snapshot(self, campaign: int, *, lock: bool = False) -> Snapshot:
        """The snapshot; locked, nobody else changes it meanwhile."""
        statement = self._sql.locked if lock else self._sql.snapshot
        row = self._do(statement, campaign=campaign).fetchone()
        if row is None:
            raise GoneError("the campaign is no longer there: was the store replaced?")
        return Snapshot(*row)

    def append(self, campaign: int, new: Iterable[Event]) -> None:
        """Add events to the end of the log."""
        for chunk in batched(new, _CHUNK):
            self._all("append", [event_row(campaign, each) for each in chunk])

    def replace_snapshot(
        self, campaign: int, version: int, hash_: str, body: str, *, expected: int
    ) -> None:
        """Put the snapshot of ``version`` in the place of that of ``expected``."""
        values = {"new_version": version, "new_hash": hash_, "new_body": body, "expected": expected}
        # Two workers may tell at once: the loser starts again, nobody's reward is lost.
        if self._do(self._sql.replace, which=campaign, **values).rowcount != 1:
            raise ConflictError(f"campaign {campaign} moved past version {expected}")

    def events(self, campaign: int, after: int = 0, until: int = LATEST) -> list[Event]:
        """The next few events of the log; an empty list means there are no more."""
        bounds = {"after": after, "until": min(until, after + _CHUNK)}
        rows = self._do(self._sql.events, campaign=campaign, **bounds).fetchall()
        return [event_of(row) for row in rows]

    def history(self, campaign: int, after: int = 0, until: int = LATEST) -> Iterator[Event]:
        """The log, in order; however long, only a few events are in memory at a time."""
        while chunk := self.events(campaign, after, until):
            yield from chunk
            after = chunk[-1].seq

    def asked(self, campaign: int, round_: int, arm: str) -> list[Event]:
        """The decisions about this offer, in order: more than one only if the others are void."""
        # Sorted here: told to do it, SQLite would rather walk the log in order than use the index.
        return _in_order(self._do(self._sql.asked, campaign=campaign, round=round_, arm=arm))

    def about(self, campaign: int, decision: int) -> list[Event]:
        """A decision and all that was said of it, in order."""
        return _in_order(self._do(self._sql.about, campaign=campaign, id=decision))

    def await_reward(self, campaign: int, new: Iterable[Pending]) -> None:
        """These pulls have been made; their rewards will come."""
        self._all("wait", [pending_row(campaign, pull) for pull in new])

    def arrived(self, campaign: int, decision: int) -> None:
        """Nobody waits for this reward any longer."""
        self._do(self._sql.arrived, campaign=campaign, id=decision)

    def pending(self, campaign: int, before: int = LATEST) -> list[Pending]:
        """The pulls still without a reward, of those made until ``before``."""
        rows = self._do(self._sql.pending, campaign=campaign, before=before).fetchall()
        return [Pending(*row) for row in rows]

    def count_pending(self) -> int:
        """How many pulls of the owner's campaigns are still without a reward."""
        return int(self._do(self._sql.count_pending, owner=self._owner).fetchone()[0])

    def checkpoint(self, campaign: int) -> str | None:
        """The latest checkpoint."""
        row = self._do(self._sql.checkpoint, campaign=campaign).fetchone()
        return row[0] if row else None

    def keep_checkpoint(self, campaign: int, seq: int, body: str, *, lasting: bool) -> None:
        """One more checkpoint; those after it, and another at the same event, make room."""
        self.forget_checkpoints(campaign, since=seq)
        self._do(self._sql.keep, campaign=campaign, seq=seq, lasting=lasting, body=body)

    def forget_checkpoints(self, campaign: int, *, since: int) -> None:
        """Checkpoints from this event on are no longer right."""
        self._do(self._sql.forget, campaign=campaign, since=since)

    def thin_checkpoints(self, campaign: int, since: int, until: int) -> None:
        """Of the checkpoints between two events only the lasting ones stay."""
        self._do(self._sql.thin, campaign=campaign, since=since, until=until)

    def delete(self, campaign: int) -> None:
        """Take a campaign out of the store, with everything that was said of it."""
        self.forget_checkpoints(campaign, since=0)
        sql = self._sql
        tables = (
            sql.delete_events, sql.delete_pending, sql.delete_snapshot, sql.drop_hook,
            sql.delete_alerts, sql.delete_campaign,
        )  # fmt: skip
        for statement in tables:
            self._do(statement, campaign=campaign)

    def add_token(self, row: dict[str, Any]) -> None:
        """One more who may use the service."""
        self._do(self._sql.add_token, **row)

    def token(self, id_: str) -> Sequence[Any] | None:
        """The token of this id, whoever owns it."""
        row: Sequence[Any] | None = self._do(self._sql.token, id=id_).fetchone()
        return row

    def tokens(self) -> list[Sequence[Any]]:
        """The owner's tokens, the oldest first."""
        return list(self._do(self._sql.tokens, owner=self._owner).fetchall())

    def any_token(self) -> bool:
        """Whether anybody has ever been given a token."""
        return self._do(self._sql.any_token).fetchone()[0] is not None

    def revoke_token(self, id_: str, at: int) -> bool:
        """Whether the owner had such a token; now it is good for nothing."""
        values = {"owner": self._owner, "id": id_, "at": at}
        return bool(self._do(self._sql.revoke, **values).rowcount == 1)

    def add_hook(self, campaign: int, url: str, secret: str) -> None:
        """Alerts about the campaign go there."""
        self._do(self._sql.add_hook, campaign=campaign, url=url, secret=secret)

    def drop_hook(self, campaign: int) -> None:
        """Alerts about the campaign go nowhere."""
        self._do(self._sql.drop_hook, campaign=campaign)

    def hook(self, campaign: int) -> str | None:
        """Where alerts about the campaign go."""
        row = self._do(self._sql.hook, campaign=campaign).fetchone()
        return row[0] if row else None

    def hooks(self) -> list[Sequence[Any]]:
        """Every campaign that has a hook: its owner and its identity."""
        return list(self._do(self._sql.hooks).fetchall())

    def add_alert(self, row: dict[str, Any]) -> None:
        """An alert to be delivered; one that there is already changes nothing."""
        self._do(self._sql.add_alert, **row)

    def due_alerts(self, now: int) -> list[Sequence[Any]]:
        """The alerts that should have been delivered by now, with where and how."""
        return list(self._do(self._sql.due_alerts, now=now).fetchmany(100))

    def claim_alert(self, id_: str, expected: int, again: int) -> bool:
        """Whether nobody else has claimed it meanwhile; it is due again at that time."""
        values = {"which": id_, "expected": expected, "again": again}
        return bool(self._do(self._sql.claim_alert, **values).rowcount == 1)

    def settle_alert(self, id_: str) -> None:
        """It is never due again."""
        self._do(self._sql.settle_alert, which=id_)

    def answer(self, key: str) -> tuple[str, int, str] | None:
        """What was answered to the owner's request of this key: its mark, status and body."""
        row = self._do(self._sql.answer, owner=self._owner, key=key).fetchone()
        return (row[0], row[1], row[2]) if row else None

    def keep_answer(self, key: str, mark: str, status: int, body: str, at: int) -> None:
        """Remember what was answered, for whoever repeats the request."""
        values = {"mark": mark, "status": status, "body": body, "at": at}
        try:
            self._do(self._sql.keep_answer, owner=self._owner, key=key, **values)
        except self._clash:
            raise ConflictError("the same request is being answered: try again") from None

    def forget_answers(self, before: int) -> None:
        """Answers from before a point in time are no longer needed."""
        self._do(self._sql.forget_answers, before=before)

    def _all(self, name: str, rows: list[dict[str, Any]]) -> None:
        """Say the same of many rows."""
        at_once = self._sql.at_once.get(name)
        if len(rows) == 1:
            self._cursor.execute(getattr(self._sql, name), rows[0])
        elif rows and at_once is not None:
            self._cursor.execute(at_once, {"rows": json.dumps(rows)})
        elif rows:
            self._cursor.executemany(getattr(self._sql, name), rows)


_EVENT = tuple(field.name for field in fields(Event))
_PENDING = tuple(field.name for field in fields(Pending))


def _row(campaign: int, what: Event | Pending, names: tuple[str, ...]) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(what, name) for name in names}
    row["campaign"] = campaign
    return row


def event_row(campaign: int, event: Event) -> dict[str, Any]:
    """An event as a row of its table."""
    return _row(campaign, event, _EVENT)


def pending_row(campaign: int, pull: Pending) -> dict[str, Any]:
    """A pull without a reward as a row of its table."""
    return _row(campaign, pull, _PENDING)


def _in_order(cursor: Any) -> list[Event]:
    return sorted(map(event_of, cursor.fetchall()), key=lambda event: event.seq)


def event_of(row: Sequence[Any]) -> Event:
    """The event of a row of its table."""
    seq, at, kind, decision, round_, arm, pull, reward, note, actor, hash_ = row
    truth = bool(pull) if pull in (0, 1) else pull  # SQLite keeps 0 and 1
    return Event(seq, at, kind, decision, round_, arm, truth, reward, note, actor, hash_)


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of so many items; the last one may be shorter."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk
