"""Changes of many campaigns that become durable in one commit.

A commit waits for the disk, a statement for the server. So what is written waits until the end and
then goes out together, one kind of row after the other. Each change still is all or nothing: one
that fails takes back what it wrote, and nothing else.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from spnb.base.errors import ConflictError
from spnb.live.store.events import Event
from spnb.live.store.transaction import (
    Pending,
    Snapshot,
    Transaction,
    event_of,
    event_row,
    pending_row,
)

_ORDER = ("append", "wait", "arrived", "replace")


class SharedTransaction(Transaction):
    """One transaction for many changes, one after the other, in one thread."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._snapshots: dict[int, Snapshot] = {}
        self._queue: list[tuple[str, int, dict[str, Any]]] = []  # what is still to be written
        self._told: dict[tuple[int, int], list[Event]] = {}  # what was read in advance
        self._mark = 0  # where in the queue the present change begins
        self._saved = False  # whether the present change can be taken back in the database

    def lock(self, campaigns: list[int]) -> None:
        """Lock these campaigns, in one order whoever comes: so nobody waits in a circle.

        A server is asked once for all of them.
        """
        if self._sql.locked_many is None:
            for number in campaigns:
                self.snapshot(number, lock=True)
        elif campaigns:
            for number, *row in self._do(self._sql.locked_many, campaigns=campaigns).fetchall():
                self._snapshots[number] = Snapshot(*row)

    def recall(self, decisions: Sequence[tuple[int, int]]) -> None:
        """Read at once what was said of many decisions (campaign, number)."""
        if self._sql.about_many is None or len(decisions) < 2:
            return
        self._told = {pair: [] for pair in decisions}
        campaigns, numbers = map(list, zip(*self._told, strict=True))
        rows = self._do(self._sql.about_many, campaigns=campaigns, ids=numbers).fetchall()
        for campaign, number, *row in rows:
            self._told[campaign, number].append(event_of(row))

    def about(self, campaign: int, decision: int) -> list[Event]:
        known = self._told.get((campaign, decision))
        if known is None or campaign in {number for _, number, _ in self._queue}:
            return super().about(campaign, decision)
        return sorted(known, key=lambda event: event.seq)

    def seen_by(self, owner: str) -> "SharedTransaction":
        """The same transaction, as this owner sees the store."""
        self._owner = owner
        return self

    @contextmanager
    def change(self, owner: str) -> Iterator["SharedTransaction"]:
        """One change, made for this owner; on an error it has not happened."""
        before = dict(self._snapshots)
        self.seen_by(owner)
        self._mark, self._saved = len(self._queue), False
        try:
            yield self
        except BaseException:
            del self._queue[self._mark :]
            self._snapshots = before
            if self._saved:
                self._cursor.execute("ROLLBACK TO SAVEPOINT spnb_change")
            raise
        if self._saved:
            self._cursor.execute("RELEASE SAVEPOINT spnb_change")
            self._saved = False
        self._mark = len(self._queue)

    def flush(self) -> None:
        """Write what is still to be written."""
        queue, self._queue, self._mark = self._queue, [], 0
        self._write(queue)

    def snapshot(self, campaign: int, *, lock: bool = False) -> Snapshot:
        if campaign not in self._snapshots:
            found = super().snapshot(campaign, lock=lock)
            if not lock:
                return found
            self._snapshots[campaign] = found
        return self._snapshots[campaign]

    def append(self, campaign: int, new: Iterable[Event]) -> None:
        self._queue += [("append", campaign, event_row(campaign, event)) for event in new]

    def await_reward(self, campaign: int, new: Iterable[Pending]) -> None:
        self._queue += [("wait", campaign, pending_row(campaign, pull)) for pull in new]

    def arrived(self, campaign: int, decision: int) -> None:
        self._queue.append(("arrived", campaign, {"campaign": campaign, "id": decision}))

    def replace_snapshot(
        self, campaign: int, version: int, hash_: str, body: str, *, expected: int
    ) -> None:
        held = self.snapshot(campaign, lock=True)
        if held.version != expected:
            raise ConflictError(f"campaign {campaign} moved past version {expected}")
        self._snapshots[campaign] = Snapshot(version, hash_, body, held.uid)
        values = {"new_version": version, "new_hash": hash_, "new_body": body}
        self._queue.append(
            ("replace", campaign, {"which": campaign, "expected": expected, **values})
        )

    def _do(self, statement: str, **values: Any) -> Any:
        """Whatever else is said to the database comes after what was written to the campaign."""
        written = values.get("campaign") in {number for _, number, _ in self._queue}
        if written or not statement.startswith("SELECT"):
            self._settle()
        return super()._do(statement, **values)

    def _settle(self) -> None:
        """Write what waits, so that the present change alone can still be taken back."""
        self._told.clear()  # from here on the database knows better
        own, earlier = self._queue[self._mark :], self._queue[: self._mark]
        self._queue, self._mark = [], 0
        self._write(earlier)
        if not self._saved:
            self._cursor.execute("SAVEPOINT spnb_change")
            self._saved = True
        self._write(own)

    def _write(self, queue: list[tuple[str, int, dict[str, Any]]]) -> None:
        for kind in _ORDER:
            rows = [row for each, _, row in queue if each == kind]
            self._all(getattr(self._sql, kind), rows)
            if kind == "replace" and rows and self._cursor.rowcount != len(rows):
                raise ConflictError("a campaign was changed by somebody else meanwhile: try again")
