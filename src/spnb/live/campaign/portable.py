"""Campaigns on the move: the whole log as lines of JSON, and back into any store."""

import json
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from spnb.base.errors import DataError
from spnb.engine.blocks import Progress
from spnb.live.campaign.config import Config, check_name
from spnb.live.campaign.course import Course
from spnb.live.campaign.verify import replayed
from spnb.live.store import Event, Store

_FORMAT = "spnb campaign 1"


def exported(store: Store, number: int, name: str) -> Iterator[str]:
    """A header, then one line for each event."""
    with store.reading() as tx:
        version, _ = tx.snapshot(number)
    yield json.dumps({"format": _FORMAT, "name": name, "events": version}) + "\n"
    for event in store.history(number, until=version):
        yield json.dumps(event.to_dict(), ensure_ascii=False) + "\n"


def imported(
    store: Store, lines: Iterable[str], name: str | None, progress: Progress | None
) -> str:
    """Verify what was exported, then write it, all or nothing; the name it goes by."""
    source = iter(lines)
    header = _header(next(source, ""))
    name, total = name or header["name"], int(header["events"])
    check_name("the name of a campaign", name)
    with tempfile.TemporaryDirectory() as folder:
        # The log is read several times, and the store is locked only while it is written.
        spool = Path(folder) / "events"
        with spool.open("w", encoding="utf-8") as file:
            file.writelines(source)

        def history(until: int) -> Iterator[Event]:
            return islice(_events(spool), until)

        config = _config(history(1))
        replay, verdict = replayed(config, history(total), history, total, progress)
        if verdict is not None:
            raise DataError(f"this export does not verify: {verdict.problem}")
        if replay.course.version != total:
            raise DataError(f"this export ends after {replay.course.version} of {total} events")
        with store.writing() as tx:
            number = tx.create(name, Course.new(config).to_json())
            tx.append(number, history(total))
            tx.await_reward(number, replay.waiting.values())
            tx.replace_snapshot(number, total, replay.course.to_json(), expected=0)
    return name


def _header(line: str) -> dict[str, Any]:
    try:
        header: dict[str, Any] = json.loads(line)
        if header["format"] == _FORMAT and isinstance(header["events"], int) and header["name"]:
            return header
    except (ValueError, KeyError, TypeError):
        pass
    raise DataError(f"this is not an exported campaign: it begins with {line[:60]!r}")


def _config(first: Iterator[Event]) -> Config:
    event = next(first, None)
    if event is None or event.kind != "create":
        raise DataError("this export has lost its beginning")
    return Config.from_dict(event.extra())


def _events(spool: Path) -> Iterator[Event]:
    with spool.open(encoding="utf-8") as file:
        for number, line in enumerate(file, start=2):
            try:
                data = json.loads(line)
            except ValueError:
                raise DataError(
                    f"line {number} of this export is not JSON: {line[:60]!r}"
                ) from None
            yield Event.from_dict(data)
