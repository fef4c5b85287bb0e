"""Campaigns on the move: the whole log as lines of JSON, and back into any store."""

import json
import re
import secrets
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from spnb.base.errors import DataError
from spnb.base.words import shown
from spnb.engine.blocks import Progress
from spnb.live.campaign.change import Change
from spnb.live.campaign.config import check_name
from spnb.live.campaign.replay import Replay
from spnb.live.campaign.rules import checked_number
from spnb.live.campaign.spool import LONGEST_LINE, Spool, read_json
from spnb.live.campaign.verify import replayed
from spnb.live.store import Event, Identity, Store

_FORMAT, _UNSEALED = "spnb campaign 2", "spnb campaign 1"
_PATIENCE = 20_000_000  # events and rounds gone through again, before a log is taken to be endless


@dataclass(frozen=True, slots=True)
class _Header:
    name: str
    events: int
    sealed: bool  # logs of the first format had no hashes
    uid: str | None
    salt: str


def exported(store: Store, who: Identity) -> Iterator[str]:
    """A header, one line for each event, and the hash that seals them all."""
    with store.reading() as tx:
        snapshot = tx.snapshot(who.number)
    marks = {"name": who.name, "uid": who.uid, "salt": who.salt, "events": snapshot.version}
    yield json.dumps({"format": _FORMAT} | marks) + "\n"
    for event in store.history(who.number, until=snapshot.version):
        yield json.dumps(event.to_dict(), ensure_ascii=False) + "\n"
    yield json.dumps({"end": snapshot.version, "hash": snapshot.hash}) + "\n"


def imported(
    store: Store, lines: Iterable[str], name: str | None, progress: Progress | None, actor: str
) -> str:
    """Verify what was exported, then write it, all or nothing; the name it goes by."""
    source = iter(lines)
    header = _header(next(source, ""))
    name = header.name if name is None else name
    check_name("the name of a campaign", name)
    try:
        # The log is read several times, and the store is locked only while it is written.
        with tempfile.TemporaryDirectory() as folder:
            spool = Spool(Path(folder) / "events", islice(source, header.events + header.sealed))
            if next(source, "").strip():
                raise DataError(f"this export goes on after its {header.events} events")
            replay = _replayed(spool, header, progress)
            _write(store, spool, header, name, replay, actor)
    except OSError as error:
        raise DataError(f"cannot use the temporary folder: {error.strerror or error}") from error
    return name


def _replayed(spool: Spool, header: _Header, progress: Progress | None) -> Replay:
    total = header.events
    replay, verdict = replayed(
        header.salt,
        spool.events(0, total),
        spool.events,
        total,
        progress,
        sealed=header.sealed,
        patience=max(_PATIENCE, 10 * total),
    )
    if verdict is not None or replay is None:
        raise DataError(f"this export does not verify: {verdict and verdict.problem}")
    if replay.course.version != total:
        raise DataError(f"this export ends after {replay.course.version} of {total} events")
    if header.sealed:
        _check_end(spool, total, replay.course.hash)
    return replay


def _write(
    store: Store, spool: Spool, header: _Header, name: str, replay: Replay, actor: str
) -> None:
    course, total = replay.course, header.events
    with store.writing() as tx:
        who = tx.create(name, "", header.uid, header.salt)
        tx.append(who.number, _sealed(spool.events(0, total), header.salt))
        tx.await_reward(who.number, replay.waiting())
        tx.replace_snapshot(who.number, total, course.hash, course.to_json(), expected=0)
        if course.status == "moved":
            change = Change(tx, who.number, course, actor)
            change.record("arrive", note={"state": replay.was})
            change.save()


def _sealed(events: Iterable[Event], salt: str) -> Iterator[Event]:
    last = salt
    for event in events:
        whole = event.sealed(last)
        last = whole.hash
        yield whole


def _header(line: str) -> _Header:
    data = read_json(line[:LONGEST_LINE])
    form = data.get("format") if isinstance(data, dict) else None
    if form not in (_FORMAT, _UNSEALED):
        raise DataError(f"this is not an exported campaign: it begins with {shown(line)}")
    name, sealed = data.get("name"), form == _FORMAT
    check_name("the name of a campaign", name)
    total = checked_number("the number of events", data.get("events"), 1)
    if not sealed:
        return _Header(name, total, sealed, None, secrets.token_hex(16))
    uid, salt = data.get("uid"), data.get("salt")
    for mark, size in ((uid, 16), (salt, 32)):
        if not isinstance(mark, str) or not re.fullmatch(rf"[0-9a-f]{{{size}}}", mark):
            raise DataError(f"uid and salt of an export are hexadecimal, got {shown(mark)}")
    return _Header(name, total, sealed, uid, salt)


def _check_end(spool: Spool, total: int, hash_: str) -> None:
    line = next(spool.lines(total, total + 1), "")
    if read_json(line) != {"end": total, "hash": hash_}:
        raise DataError(f"this export does not end with the hash of its last event: {shown(line)}")
