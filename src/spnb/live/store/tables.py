"""The tables, as the newest migration leaves them."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    text,
)

HEAD = "0001"  # the newest migration; known here so that opening a store need not load Alembic
VERSION_TABLE = "spnb_version"
LONGEST_NAME = 200

metadata = MetaData()

campaigns = Table(
    "spnb_campaigns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(LONGEST_NAME), nullable=False, unique=True),
)


def _campaign() -> "Column[int]":
    owner = ForeignKey("spnb_campaigns.id")
    return Column("campaign", Integer, owner, primary_key=True, autoincrement=False)


events = Table(
    "spnb_events",
    metadata,
    _campaign(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", BigInteger, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("decision", BigInteger),
    Column("round", BigInteger),
    Column("arm", Text),
    Column("pull", Boolean),
    Column("reward", Double),
    Column("note", Text),
)

# The database itself sees to it that no offer is ever decided twice.
Index(
    "spnb_one_decision_per_offer",
    events.c.campaign,
    events.c.round,
    events.c.arm,
    unique=True,
    sqlite_where=text("kind = 'ask'"),
    postgresql_where=text("kind = 'ask'"),
)
Index(
    "spnb_events_of_a_decision",
    events.c.campaign,
    events.c.decision,
    sqlite_where=text("decision IS NOT NULL"),
    postgresql_where=text("decision IS NOT NULL"),
)

snapshots = Table(
    "spnb_snapshots",
    metadata,
    _campaign(),
    Column("version", BigInteger, nullable=False),  # the last event it contains
    Column("body", Text, nullable=False),
)

# Pulls whose reward is still to come. Part of the snapshot, but a table of its own: there may be
# many, and nobody who asks or tells needs them all.
pending = Table(
    "spnb_pending",
    metadata,
    _campaign(),
    Column("decision", BigInteger, primary_key=True, autoincrement=False),
    Column("round", BigInteger, nullable=False),
    Column("arm", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
