"""Changes of many campaigns that become durable in one commit.

A commit waits for the disk, a statement for the server. So what is written waits until the end and
then goes out together, one kind of row after the other. Each change still is all or nothing: one
that fails takes back what it wrote, and nothing else.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from spnb.base.errors import ConflictError
from spnb.live.store.events import Event
from spnb.live.store.statements import DAILY
from spnb.live.store.transaction import (
    Identity,
    Pending,
    Snapshot,
    Transaction,
    event_of,
    event_row,
    pending_row,
)

_ORDER = (*DAILY, "forget", "keep", "thin", "keep_answer")
_Answer = tuple[str, int, str]


class Later(Exception):  # noqa: N818 - nothing went wrong
    """What would hold many others up: it is to be done by itself."""


class SharedTransaction(Transaction):
    """One transaction for many changes, one after the other, in one thread."""

    crowded = False  # whether many wait for it

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._snapshots: dict[int, Snapshot] = {}
        self._queue: list[tuple[str, int, dict[str, Any]]] = []  # what is still to be written
        self._written: set[int] = set()  # the campaigns in the queue
        self._held: dict[tuple[str, str], Identity] = {}  # by owner and uid
        self._told: dict[tuple[int, int], list[Event]] = {}  # what was read in advance
        self._tokens: dict[str, Sequence[Any] | None] = {}
        self._guarded: bool | None = None  # whether there is any token
        self._answers: dict[tuple[str, str], _Answer] = {}  # those in the queue
        self._before: dict[int, Snapshot | None] = {}  # the present change, to be taken back
        self._mark = 0  # where in the queue the present change begins
        self._saved = False  # whether the present change can be taken back in the database
        self._spoilt: BaseException | None = None  # what cannot be taken back: nothing may happen

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

    def take(self, places: Collection[tuple[str, str]]) -> dict[tuple[str, str], Identity]:
        """Lock the campaigns of these owners and uids, as far as nobody else holds them now."""
        if self._sql.take is not None and places:
            owners, uids = map(list, zip(*places, strict=True))
            for row in self._do(self._sql.take, owners=owners, uids=uids).fetchall():
                owner, number, name, uid, salt, version, hash_, body = row
                self._held[owner, uid] = Identity(number, name, uid, salt)
                self._snapshots[number] = Snapshot(version, hash_, body, uid)
        return self._held

    def recall(self, decisions: Sequence[tuple[int, int]]) -> None:
        """Read at once what was said of many decisions (campaign, number)."""
        if self._sql.about_many is None or not decisions:
            return
        self._told = {pair: [] for pair in decisions}
        campaigns, numbers = map(list, zip(*self._told, strict=True))
        rows = self._do(self._sql.about_many, campaigns=campaigns, ids=numbers).fetchall()
        for campaign, number, *row in rows:
            self._told[campaign, number].append(event_of(row))

    def about(self, campaign: int, decision: int) -> list[Event]:
        known = self._told.get((campaign, decision))
        if known is None or campaign in self._written:
            return super().about(campaign, decision)
        return sorted(known, key=lambda event: event.seq)

    def named_many(self, uids: Sequence[str]) -> list[Identity]:
        held = [self._held.get((self._owner, uid)) for uid in uids]
        known = [who for who in held if who is not None]
        return known if len(known) == len(held) else super().named_many(uids)

    def token(self, id_: str) -> Sequence[Any] | None:
        if id_ not in self._tokens:
            self._tokens[id_] = super().token(id_)
        return self._tokens[id_]

    def any_token(self) -> bool:
        if self._guarded is None:
            self._guarded = super().any_token()
        return self._guarded

    def seen_by(self, owner: str) -> "SharedTransaction":
        """The same transaction, as this owner sees the store."""
        self._owner = owner
        return self

    @contextmanager
    def change(self, owner: str) -> Iterator["SharedTransaction"]:
        """One change, made for this owner; on an error it has not happened."""
        self.seen_by(owner)
        self._mark, self._saved = len(self._queue), False
        self._before.clear()
        try:
            yield self
        except BaseException:
            self._take_back()
            raise
        if self._saved:
            self._saved = False
            self._said("RELEASE SAVEPOINT spnb_change")
        self._mark = len(self._queue)

    def _take_back(self) -> None:
        for kind, _, row in self._queue[self._mark :]:
            if kind == "keep_answer":
                del self._answers[row["owner"], row["key"]]
        del self._queue[self._mark :]
        self._written = {number for _, number, _ in self._queue}
        for campaign, snapshot in self._before.items():
            if snapshot is None:
                self._snapshots.pop(campaign, None)
            else:
                self._snapshots[campaign] = snapshot
        if self._saved:
            self._saved = False  # should this fail, there is no way back
            self._said("ROLLBACK TO SAVEPOINT spnb_change")

    def flush(self) -> None:
        """Write what is still to be written, unless something went wrong that was not taken back.

        A server would then commit nothing at all, and say so to nobody.
        """
        if self._spoilt is not None:
            raise self._spoilt
        queue, self._queue, self._mark = self._queue, [], 0
        self._written.clear()
        self._write(queue)

    def create(
        self, name: str, body: str, uid: str | None = None, salt: str | None = None
    ) -> Identity:
        who = super().create(name, body, uid, salt)
        self._stands(who.number, Snapshot(0, who.salt, body, who.uid))
        return who

    def delete(self, campaign: int) -> None:
        self._before.setdefault(campaign, self._snapshots.pop(campaign, None))
        self._held = {at: who for at, who in self._held.items() if who.number != campaign}
        super().delete(campaign)

    def snapshot(self, campaign: int, *, lock: bool = False) -> Snapshot:
        found = self._snapshots.get(campaign)
        if found is not None:
            return found
        if lock and self.crowded and self._sql.take is not None:
            raise Later  # somebody else holds it
        found = super().snapshot(campaign, lock=lock)
        if lock:
            self._snapshots[campaign] = found
        return found

    def _stands(self, campaign: int, snapshot: Snapshot) -> None:
        self._before.setdefault(campaign, self._snapshots.get(campaign))
        self._snapshots[campaign] = snapshot

    def _later(self, kind: str, campaign: int, row: dict[str, Any]) -> None:
        self._queue.append((kind, campaign, row))
        self._written.add(campaign)

    def append(self, campaign: int, new: Iterable[Event]) -> None:
        for event in new:
            self._later("append", campaign, event_row(campaign, event))

    def await_reward(self, campaign: int, new: Iterable[Pending]) -> None:
        for pull in new:
            self._later("wait", campaign, pending_row(campaign, pull))

    def arrived(self, campaign: int, decision: int) -> None:
        self._later("arrived", campaign, {"campaign": campaign, "id": decision})

    def replace_snapshot(
        self, campaign: int, version: int, hash_: str, body: str, *, expected: int
    ) -> None:
        held = self.snapshot(campaign, lock=True)
        if held.version != expected:
            raise ConflictError(f"campaign {campaign} moved past version {expected}")
        self._stands(campaign, Snapshot(version, hash_, body, held.uid))
        values = {"new_version": version, "new_hash": hash_, "new_body": body}
        self._later("replace", campaign, {"which": campaign, "expected": expected, **values})

    def keep_checkpoint(self, campaign: int, seq: int, body: str, *, lasting: bool) -> None:
        self._later("forget", campaign, {"campaign": campaign, "since": seq})
        values = {"campaign": campaign, "seq": seq, "lasting": lasting, "body": body}
        self._later("keep", campaign, values)

    def thin_checkpoints(self, campaign: int, since: int, until: int) -> None:
        self._later("thin", campaign, {"campaign": campaign, "since": since, "until": until})

    def answer(self, key: str) -> _Answer | None:
        return self._answers.get((self._owner, key)) or super().answer(key)

    def keep_answer(self, key: str, mark: str, status: int, body: str, at: int) -> None:
        values = {"mark": mark, "status": status, "body": body, "at": at}
        self._later("keep_answer", 0, {"owner": self._owner, "key": key, **values})
        self._answers[self._owner, key] = mark, status, body

    def _do(self, statement: str, **values: Any) -> Any:
        """Whatever else is said to the database comes after what was written to the campaign."""
        if values.get("campaign") in self._written or not statement.startswith("SELECT"):
            self._settle()
        return self._said(statement, **values)

    def _said(self, statement: str, **values: Any) -> Any:
        """What fails outside of a change that can be taken back spoils everything."""
        try:
            return super()._do(statement, **values)
        except BaseException as error:
            self._spoil(error)
            raise

    def _spoil(self, error: BaseException) -> None:
        if not self._saved and self._spoilt is None:
            self._spoilt = error

    def _settle(self) -> None:
        """Write what waits, so that the present change alone can still be taken back."""
        self._told.clear()  # from here on the database knows better
        own, earlier = self._queue[self._mark :], self._queue[: self._mark]
        self._queue, self._mark = [], 0
        self._written.clear()
        self._answers.clear()
        self._write(earlier)
        if not self._saved:
            self._said("SAVEPOINT spnb_change")
            self._saved = True
        self._write(own)

    def _write(self, queue: list[tuple[str, int, dict[str, Any]]]) -> None:
        try:
            self._write_each(queue)
        except BaseException as error:
            self._spoil(error)
            raise

    def _write_each(self, queue: list[tuple[str, int, dict[str, Any]]]) -> None:
        rows: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _ORDER}
        for kind, _, row in queue:
            rows[kind].append(row)
        self._write_daily({kind: rows.pop(kind) for kind in DAILY})
        self._keep_answers(rows.pop("keep_answer"))
        for kind, rest in rows.items():
            self._all(kind, rest)

    def _write_daily(self, rows: dict[str, list[dict[str, Any]]]) -> None:
        rows["replace"] = _last(rows["replace"])
        together = self._sql.at_once.get("daily")
        if together is None:
            for kind in DAILY:
                self._all(kind, rows[kind])
        elif any(rows.values()):
            self._cursor.execute(together, {kind: json.dumps(rows[kind]) for kind in DAILY})
        if rows["replace"] and self._cursor.rowcount != len(rows["replace"]):
            raise ConflictError("a campaign was changed by somebody else meanwhile: try again")

    def _keep_answers(self, rows: list[dict[str, Any]]) -> None:
        try:
            # In one order, so that nobody waits in a circle.
            self._all("keep_answer", sorted(rows, key=lambda row: (row["owner"], row["key"])))
        except self._clash:
            raise ConflictError("such a request is being answered: try again") from None


def _last(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of a campaign that was changed several times only the last snapshot is written."""
    last: dict[int, dict[str, Any]] = {}
    for row in rows:
        first = last.get(row["which"], row)
        last[row["which"]] = row | {"expected": first["expected"]}
    return list(last.values())
