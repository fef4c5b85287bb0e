"""Every statement of the store, written once and compiled once for the database in use.

A compiled statement goes straight to the driver: an ask makes five of them, and building each
anew would cost more than the disk does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Dialect,
    Table,
    bindparam,
    delete,
    func,
    insert,
    null,
    select,
    text,
    union_all,
    update,
)
from sqlalchemy.sql import ClauseElement
from sqlalchemy.types import TypeEngine

from spnb.live.store.tables import (
    alerts,
    campaigns,
    checkpoints,
    events,
    hooks,
    pending,
    requests,
    snapshots,
    tokens,
)

_OWNED = campaigns.c.owner == bindparam("owner")
_IDENTITY = select(campaigns.c.id, campaigns.c.name, campaigns.c.uid, campaigns.c.salt).where(
    _OWNED
)
_OF_CAMPAIGN = events.c.campaign == bindparam("campaign")
_EVENT = select(*(column for column in events.c if column.name != "campaign")).where(_OF_CAMPAIGN)
# The campaign's uid comes along: another store may have been put in the place of this one.
_SNAPSHOT = (
    select(snapshots.c.version, snapshots.c.hash, snapshots.c.body, campaigns.c.uid)
    .join_from(snapshots, campaigns)
    .where(snapshots.c.campaign == bindparam("campaign"))
)
_CHECKPOINTS = checkpoints.c.campaign == bindparam("campaign")
_TOKEN_OWNED = tokens.c.owner == bindparam("owner")
_LATEST = select(func.max(checkpoints.c.seq)).where(_CHECKPOINTS).scalar_subquery()


_WRITTEN: dict[str, ClauseElement] = {
    "names": select(campaigns.c.name).where(_OWNED),
    "find": _IDENTITY.where(campaigns.c.name == bindparam("name")),
    "named": _IDENTITY.where(campaigns.c.uid == bindparam("uid")),
    "versions": (
        select(campaigns.c.name, snapshots.c.version).join_from(campaigns, snapshots).where(_OWNED)
    ),
    "version": (
        select(snapshots.c.version)
        .join_from(campaigns, snapshots)
        .where(_OWNED, campaigns.c.uid == bindparam("uid"))
    ),
    "taken": select(campaigns.c.id).where(campaigns.c.uid == bindparam("uid")),
    "create": (
        insert(campaigns)
        .values({c: bindparam(c) for c in ("owner", "name", "uid", "salt")})
        .returning(campaigns.c.id)
    ),
    "snapshot": _SNAPSHOT,
    # SQLite has locked already, and leaves this out
    "locked": _SNAPSHOT.with_for_update(of=snapshots),
    "begin": insert(snapshots).values({c.name: bindparam(c.name) for c in snapshots.c}),
    "replace": (
        update(snapshots)
        .where(snapshots.c.campaign == bindparam("which"))
        .where(snapshots.c.version == bindparam("expected"))
        .values(
            version=bindparam("new_version"),
            hash=bindparam("new_hash"),
            body=bindparam("new_body"),
        )
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
    "count_pending": (select(func.count()).select_from(pending).join(campaigns).where(_OWNED)),
    "checkpoint": select(checkpoints.c.body).where(
        _CHECKPOINTS,
        checkpoints.c.seq == _LATEST,
    ),
    "keep": insert(checkpoints).values({c.name: bindparam(c.name) for c in checkpoints.c}),
    "forget": delete(checkpoints).where(_CHECKPOINTS, checkpoints.c.seq >= bindparam("since")),
    "thin": delete(checkpoints).where(
        _CHECKPOINTS,
        checkpoints.c.seq > bindparam("since"),
        checkpoints.c.seq <= bindparam("until"),
        checkpoints.c.lasting.is_(False),
    ),
    "delete_events": delete(events).where(events.c.campaign == bindparam("campaign")),
    "delete_pending": delete(pending).where(pending.c.campaign == bindparam("campaign")),
    "delete_snapshot": delete(snapshots).where(snapshots.c.campaign == bindparam("campaign")),
    "delete_campaign": delete(campaigns).where(campaigns.c.id == bindparam("campaign")),
    "add_token": insert(tokens).values({c.name: bindparam(c.name) for c in tokens.c}),
    "token": select(*tokens.c).where(tokens.c.id == bindparam("id")),
    "tokens": select(*tokens.c).where(_TOKEN_OWNED).order_by(tokens.c.created, tokens.c.id),
    "any_token": select(func.min(tokens.c.id)),
    "revoke": (
        update(tokens)
        .where(_TOKEN_OWNED, tokens.c.id == bindparam("id"), tokens.c.revoked.is_(None))
        .values(revoked=bindparam("at"))
    ),
    "answer": select(requests.c.mark, requests.c.status, requests.c.body).where(
        requests.c.owner == bindparam("owner"), requests.c.key == bindparam("key")
    ),
    "keep_answer": insert(requests).values({c.name: bindparam(c.name) for c in requests.c}),
    "add_hook": insert(hooks).values({c.name: bindparam(c.name) for c in hooks.c}),
    "drop_hook": delete(hooks).where(hooks.c.campaign == bindparam("campaign")),
    "hook": select(hooks.c.url).where(hooks.c.campaign == bindparam("campaign")),
    "hooks": select(
        campaigns.c.owner, campaigns.c.id, campaigns.c.name, campaigns.c.uid, campaigns.c.salt
    ).join_from(hooks, campaigns),
    # Both databases say it in these words.
    "add_alert": text(
        "INSERT INTO spnb_alerts (id, campaign, kind, subject, body, due, tries) "
        "VALUES (:id, :campaign, :kind, :subject, :body, :due, :tries) ON CONFLICT DO NOTHING"
    ),
    "due_alerts": (
        select(
            alerts.c.id, hooks.c.url, hooks.c.secret, alerts.c.body, alerts.c.due, alerts.c.tries
        )
        .join_from(alerts, hooks, alerts.c.campaign == hooks.c.campaign)
        .where(alerts.c.due <= bindparam("now"))
        .order_by(alerts.c.due)
    ),
    "claim_alert": (
        update(alerts)
        .where(alerts.c.id == bindparam("which"), alerts.c.due == bindparam("expected"))
        .values(due=bindparam("again"), tries=alerts.c.tries + text("1"))
    ),
    "settle_alert": update(alerts).where(alerts.c.id == bindparam("which")).values(due=null()),
    "delete_alerts": delete(alerts).where(alerts.c.campaign == bindparam("campaign")),
    "forget_answers": delete(requests).where(requests.c.at < bindparam("before")),
}


# What a server does for many campaigns at once; in SQLite a statement costs next to nothing.
_EVENT_NAMES = ", ".join(f"e.{column.name}" for column in events.c if column.name != "campaign")
_MANY = {
    "locked_many": (
        "SELECT s.campaign, s.version, s.hash, s.body, c.uid FROM spnb_snapshots s "
        "JOIN spnb_campaigns c ON c.id = s.campaign WHERE s.campaign = ANY(%(campaigns)s) "
        "ORDER BY s.campaign FOR UPDATE OF s"
    ),
    # Who holds a campaign now is not waited for: no two groups wait for each other.
    "take": (
        "SELECT c.owner, c.id, c.name, c.uid, c.salt, s.version, s.hash, s.body "
        "FROM unnest(%(owners)s::text[], %(uids)s::text[]) AS w(owner, uid) "
        "JOIN spnb_campaigns c ON c.owner = w.owner AND c.uid = w.uid "
        "JOIN spnb_snapshots s ON s.campaign = c.id "
        "ORDER BY c.id FOR UPDATE OF s SKIP LOCKED"
    ),
    "named_many": (
        "SELECT id, name, uid, salt FROM spnb_campaigns "
        "WHERE owner = %(owner)s AND uid = ANY(%(uids)s)"
    ),
    "about_many": " UNION ALL ".join(
        f"SELECT w.campaign, w.id, {_EVENT_NAMES} "
        "FROM unnest(%(campaigns)s::int[], %(ids)s::bigint[]) AS w(campaign, id) "
        f"JOIN spnb_events e ON e.campaign = w.campaign AND e.{column} = w.id"
        for column in ("seq", "decision")
    ),
}


def _rows(dialect: Dialect, types: Mapping[str, TypeEngine[Any]]) -> str:
    """Many rows, given as one text in JSON: as a table called r."""
    listed = ", ".join(f"{name} {each.compile(dialect)}" for name, each in types.items())
    return f"json_to_recordset(%(rows)s::json) AS r({listed})"


def _insert(dialect: Dialect, table: Table) -> str:
    names = ", ".join(column.name for column in table.c)
    values = ", ".join(f"r.{column.name}" for column in table.c)
    source = _rows(dialect, {column.name: column.type for column in table.c})
    return f"INSERT INTO {table.name} ({names}) SELECT {values} FROM {source}"


DAILY = ("append", "wait", "arrived", "replace")
"""What asks and tells write; a server is told all of it in one statement, ``daily``."""


def _at_once(dialect: Dialect) -> dict[str, str]:
    """What a server is told of many rows in one statement, by the name of that for one row."""
    held = {"which": snapshots.c.campaign.type, "expected": snapshots.c.version.type}
    held |= {f"new_{name}": snapshots.c[name].type for name in ("version", "hash", "body")}
    pulls = {"campaign": pending.c.campaign.type, "id": pending.c.decision.type}
    since = {"campaign": checkpoints.c.campaign.type, "since": checkpoints.c.seq.type}
    between = since | {"until": checkpoints.c.seq.type}
    found = {
        "append": _insert(dialect, events),
        "wait": _insert(dialect, pending),
        "keep_answer": _insert(dialect, requests),
        "keep": _insert(dialect, checkpoints),
        "forget": (
            f"DELETE FROM spnb_checkpoints c USING {_rows(dialect, since)} "
            "WHERE c.campaign = r.campaign AND c.seq >= r.since"
        ),
        "thin": (
            f"DELETE FROM spnb_checkpoints c USING {_rows(dialect, between)} "
            "WHERE c.campaign = r.campaign AND c.seq > r.since AND c.seq <= r.until "
            "AND NOT c.lasting"
        ),
        "arrived": (
            f"DELETE FROM spnb_pending p USING {_rows(dialect, pulls)} "
            "WHERE p.campaign = r.campaign AND p.decision = r.id"
        ),
        "replace": (
            "UPDATE spnb_snapshots s "
            "SET version = r.new_version, hash = r.new_hash, body = r.new_body "
            f"FROM {_rows(dialect, held)} WHERE s.campaign = r.which AND s.version = r.expected"
        ),
    }
    own = {kind: found[kind].replace("%(rows)s", f"%({kind})s") for kind in DAILY}
    append, wait, arrived, replace = own.values()
    return found | {"daily": f"WITH a AS ({append}), b AS ({wait}), c AS ({arrived}) {replace}"}


@dataclass(frozen=True, slots=True)
class Statements:
    """The text of each statement; parameters go by name."""

    at_once: Mapping[str, str]
    take: str | None
    locked_many: str | None
    named_many: str | None
    about_many: str | None
    names: str
    find: str
    named: str
    versions: str
    version: str
    taken: str
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
    count_pending: str
    checkpoint: str
    keep: str
    forget: str
    thin: str
    delete_events: str
    delete_pending: str
    delete_snapshot: str
    delete_campaign: str
    add_token: str
    token: str
    tokens: str
    any_token: str
    revoke: str
    answer: str
    keep_answer: str
    forget_answers: str
    add_hook: str
    drop_hook: str
    hook: str
    hooks: str
    add_alert: str
    due_alerts: str
    claim_alert: str
    settle_alert: str
    delete_alerts: str


def compiled(dialect: Dialect) -> Statements:
    """The statements as this database's driver takes them."""
    server = dialect.name == "postgresql"
    texts: dict[str, Any] = {name: text if server else None for name, text in _MANY.items()}
    texts["at_once"] = _at_once(dialect) if server else {}
    texts |= {name: str(each.compile(dialect=dialect)) for name, each in _WRITTEN.items()}
    return Statements(**texts)
