"""What tests of campaigns share."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from spnb.live.campaign import Campaign
from spnb.live.store import Event
from spnb.live.store.events import seal

ARMS = ["a", "b", "c"]
COLUMNS = "seq, at, kind, decision, round, arm, pull, reward, note, actor, hash"


def kinds(campaign: Campaign) -> list[str]:
    return [event.kind for event in campaign.events()]


def reseal(path: Path) -> None:
    """What somebody would do who changes a log and knows how it is sealed."""
    with closing(sqlite3.connect(path)) as database, database:
        for campaign, salt in database.execute("SELECT id, salt FROM spnb_campaigns").fetchall():
            last = salt
            read = f"SELECT {COLUMNS} FROM spnb_events WHERE campaign = ? ORDER BY seq"
            for row in database.execute(read, (campaign,)).fetchall():
                values = dict(zip(COLUMNS.split(", "), row, strict=True))
                pull = values["pull"]
                event = Event(**values | {"pull": None if pull is None else bool(pull)})
                last = seal(event, last)
                where = (last, campaign, event.seq)
                database.execute(
                    "UPDATE spnb_events SET hash = ? WHERE campaign = ? AND seq = ?", where
                )
            database.execute(
                "UPDATE spnb_snapshots SET hash = ? WHERE campaign = ?", (last, campaign)
            )


def resealed(lines: list[str]) -> list[str]:
    """The same for an export whose events were changed."""
    header = json.loads(lines[0])
    last, sealed = header["salt"], []
    for line in lines[1:-1]:
        data = json.loads(line)
        data["hash"] = last = Event.from_dict(data).sealed(last).hash
        sealed.append(json.dumps(data, ensure_ascii=False) + "\n")
    header["events"] = len(sealed)
    end = json.dumps({"end": len(sealed), "hash": last})
    return [json.dumps(header) + "\n", *sealed, end + "\n"]
