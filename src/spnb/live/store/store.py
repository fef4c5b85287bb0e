"""Transactions over the tables: what a campaign needs, and nothing about what it means."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from types import TracebackType
from typing import Any, TypeVar

from sqlalchemy.pool import StaticPool

from spnb.base.errors import ConflictError, StoreError
from spnb.live.store.connect import begin, chosen_url, connect, translated
from spnb.live.store.events import Event
from spnb.live.store.migrate import ensure_schema
from spnb.live.store.statements import Statements, compiled

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


class Transaction:
    """What may be read and written together: all of it happens, or nothing."""

    def __init__(self, cursor: Any, sql: Statements, clash: type[Exception]) -> None:
        self._cursor, self._sql, self._clash = cursor, sql, clash

    def _do(self, statement: str, **values: Any) -> Any:
        self._cursor.execute(statement, values)
        return self._cursor

    def names(self) -> list[str]:
        """The campaigns of the store."""
        return [row[0] for row in self._do(self._sql.names).fetchall()]

    def find(self, name: str) -> int | None:
        """The campaign of this name."""
        row = self._do(self._sql.find, name=name).fetchone()
        return row[0] if row else None

    def create(self, name: str, body: str) -> int:
        """A new campaign with nothing in its log and this snapshot."""
        try:
            campaign: int = self._do(self._sql.create, name=name).fetchone()[0]
        except self._clash:
            raise ConflictError(f"there is a campaign {name!r} already") from None
        self._do(self._sql.begin, campaign=campaign, version=0, body=body)
        return campaign

    def snapshot(self, campaign: int, *, lock: bool = False) -> tuple[int, str]:
        """The version and the text of the snapshot; locked, nobody else changes it meanwhile."""
        statement = self._sql.locked if lock else self._sql.snapshot
        version, body = self._do(statement, campaign=campaign).fetchone()
        return version, body

    def append(self, campaign: int, new: Iterable[Event]) -> None:
        """Add events to the end of the log."""
        for chunk in batched(new, _CHUNK):
            self._all(self._sql.append, [_row(campaign, event) for event in chunk])

    def replace_snapshot(self, campaign: int, version: int, body: str, *, expected: int) -> None:
        """Put the snapshot of ``version`` in the place of that of ``expected``."""
        values = {"new_version": version, "new_body": body, "expected": expected}
        # Two workers may tell at once: the loser starts again, nobody's reward is lost.
        if self._do(self._sql.replace, owner=campaign, **values).rowcount != 1:
            raise ConflictError(f"campaign {campaign} moved past version {expected}")

    def events(self, campaign: int, after: int = 0, until: int = LATEST) -> list[Event]:
        """The next few events of the log; an empty list means there are no more."""
        bounds = {"after": after, "until": min(until, after + _CHUNK)}
        rows = self._do(self._sql.events, campaign=campaign, **bounds).fetchall()
        return [_event(row) for row in rows]

    def asked(self, campaign: int, round_: int, arm: str) -> Event | None:
        """The decision about this offer."""
        row = self._do(self._sql.asked, campaign=campaign, round=round_, arm=arm).fetchone()
        return _event(row) if row else None

    def about(self, campaign: int, decision: int) -> list[Event]:
        """A decision and all that was said of it, in order."""
        rows = self._do(self._sql.about, campaign=campaign, id=decision).fetchall()
        return [_event(row) for row in sorted(rows)]

    def await_reward(self, campaign: int, new: Iterable[Pending]) -> None:
        """These pulls have been made; their rewards will come."""
        rows = [
            {
                "campaign": campaign,
                "decision": p.decision,
                "round": p.round,
                "arm": p.arm,
                "at": p.at,
            }
            for p in new
        ]
        self._all(self._sql.wait, rows)

    def arrived(self, campaign: int, decision: int) -> None:
        """Nobody waits for this reward any longer."""
        self._do(self._sql.arrived, campaign=campaign, id=decision)

    def pending(self, campaign: int, before: int = LATEST) -> list[Pending]:
        """The pulls still without a reward, of those made until ``before``."""
        rows = self._do(self._sql.pending, campaign=campaign, before=before).fetchall()
        return [Pending(*row) for row in rows]

    def _all(self, statement: str, rows: list[dict[str, Any]]) -> None:
        if len(rows) == 1:
            self._cursor.execute(statement, rows[0])
        elif rows:
            self._cursor.executemany(statement, rows)


def _event(row: Sequence[Any]) -> Event:
    seq, at, kind, decision, round_, arm, pull, reward, note = row
    truth = None if pull is None else bool(pull)  # SQLite keeps 0 and 1
    return Event(seq, at, kind, decision, round_, arm, truth, reward, note)


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Lists of so many items; the last one may be shorter."""
    source = iter(items)
    while chunk := list(islice(source, size)):
        yield chunk


def _row(campaign: int, event: Event) -> dict[str, Any]:
    return {
        "campaign": campaign,
        "seq": event.seq,
        "at": event.at,
        "kind": event.kind,
        "decision": event.decision,
        "round": event.round,
        "arm": event.arm,
        "pull": event.pull,
        "reward": event.reward,
        "note": event.note,
    }


class Store:
    """Where campaigns live: ``sqlite:///file.db``, ``sqlite://`` (in memory) or PostgreSQL."""

    def __init__(self, url: str | None = None, *, create: bool = True) -> None:
        self._engine = connect(chosen_url(url), create=create)
        self.url = self._engine.url
        self._sql = compiled(self._engine.dialect)
        self._driver: Any = self._engine.dialect.dbapi
        alone = isinstance(self._engine.pool, StaticPool)
        self._turn = threading.RLock() if alone else nullcontext()
        try:
            with translated(self.url), self._turn:
                ensure_schema(self._engine)
        except StoreError:
            self.close()
            raise

    def reading(self) -> AbstractContextManager[Transaction]:
        """See one state of the store."""
        return self._transaction(writes=False)

    def writing(self) -> AbstractContextManager[Transaction]:
        """Change the store; on an error nothing has happened."""
        return self._transaction(writes=True)

    @contextmanager
    def _transaction(self, *, writes: bool) -> Iterator[Transaction]:
        with translated(self.url, self._driver.Error), self._turn:
            connection = self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                begin(cursor, self._engine.dialect, writes=writes)
                yield Transaction(cursor, self._sql, self._driver.IntegrityError)
                connection.commit()
            finally:
                connection.close()  # back to the pool, which rolls back what was not committed

    def history(self, campaign: int, after: int = 0, until: int = LATEST) -> Iterator[Event]:
        """The log, in order; however long, only a few events are in memory at a time."""
        while True:
            with self.reading() as transaction:
                chunk = transaction.events(campaign, after, until)
            if not chunk:
                return
            yield from chunk
            after = chunk[-1].seq

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
