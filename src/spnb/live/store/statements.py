"""Every statement of the store, written once and compiled once for the database in use.

A compiled statement goes straight to the driver: an ask makes five of them, and building each
anew would cost more than the disk does.
"""

from dataclasses import dataclass

from sqlalchemy import Dialect, bindparam, delete, insert, select, text, union_all, update
from sqlalchemy.sql import ClauseElement

from spnb.live.store.tables import campaigns, events, pending, snapshots

_OF_CAMPAIGN = events.c.campaign == bindparam("campaign")
_EVENT = select(*(column for column in events.c if column.name != "campaign")).where(_OF_CAMPAIGN)
_SNAPSHOT = select(snapshots.c.version, snapshots.c.body).where(
    snapshots.c.campaign == bindparam("campaign")
)


_WRITTEN: dict[str, ClauseElement] = {
    "names": select(campaigns.c.name).order_by(campaigns.c.name),
    "find": select(campaigns.c.id).where(campaigns.c.name == bindparam("name")),
    "create": insert(campaigns).values(name=bindparam("name")).returning(campaigns.c.id),
    "snapshot": _SNAPSHOT,
    # SQLite has locked already, and leaves this out
    "locked": _SNAPSHOT.with_for_update(),
    "begin": insert(snapshots).values(
        campaign=bindparam("campaign"), version=bindparam("version"), body=bindparam("body")
    ),
    "replace": (
        update(snapshots)
        .where(snapshots.c.campaign == bindparam("owner"))
        .where(snapshots.c.version == bindparam("expected"))
        .values(version=bindparam("new_version"), body=bindparam("new_body"))
    ),
    "append": insert(events).values({c.name: bindparam(c.name) for c in events.c}),
    "events": _EVENT.where(
        events.c.seq > bindparam("after"), events.c.seq <= bindparam("until")
    ).order_by(events.c.seq),
    "asked": _EVENT.where(
        events.c.round == bindparam("round"), events.c.arm == bindparam("arm"), text("kind = 'ask'")
    ),
    # Two searches, each with an index of its own; for an OR SQLite would walk the whole log.
    "about": union_all(
        _EVENT.where(events.c.seq == bindparam("id")),
        _EVENT.where(events.c.decision == bindparam("id")),
    ),
    "wait": insert(pending).values({c.name: bindparam(c.name) for c in pending.c}),
    "arrived": delete(pending).where(
        pending.c.campaign == bindparam("campaign"), pending.c.decision == bindparam("id")
    ),
    "pending": (
        select(pending.c.decision, pending.c.round, pending.c.arm, pending.c.at)
        .where(pending.c.campaign == bindparam("campaign"), pending.c.at <= bindparam("before"))
        .order_by(pending.c.decision)
    ),
}


@dataclass(frozen=True, slots=True)
class Statements:
    """The text of each statement; parameters go by name."""

    names: str
    find: str
    create: str
    snapshot: str
    locked: str
    begin: str
    replace: str
    append: str
    events: str
    asked: str
    about: str
    wait: str
    arrived: str
    pending: str


def compiled(dialect: Dialect) -> Statements:
    """The statements as this database's driver takes them."""
    return Statements(
        **{name: str(statement.compile(dialect=dialect)) for name, statement in _WRITTEN.items()}
    )
