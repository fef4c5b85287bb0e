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
    UniqueConstraint,
    text,
)

HEAD = "0003"  # the newest migration; known here so that opening a store need not load Alembic
VERSION_TABLE = "spnb_version"
LONGEST_NAME = 200

metadata = MetaData()

# ``uid`` names a campaign in the ids of its decisions; ``salt`` begins the chain of hashes, so
# that nobody can work out an id from what may be known of a campaign.
campaigns = Table(
    "spnb_campaigns",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("owner", String(LONGEST_NAME), nullable=False),
    Column("name", String(LONGEST_NAME), nullable=False),
    Column("uid", String(32), nullable=False),
    Column("salt", String(64), nullable=False),
    UniqueConstraint("owner", "name", name="spnb_one_name_per_owner"),
    UniqueConstraint("uid", name="spnb_one_campaign_per_uid"),
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
    Column("actor", Text, nullable=False),
    Column("hash", String(64), nullable=False),
)

# Of one offer there may be several decisions, all but the last of them voided; but the database
# itself sees to it that no offer is ever pulled twice.
Index(
    "spnb_decisions_about_an_offer",
    events.c.campaign,
    events.c.round,
    events.c.arm,
    sqlite_where=text("kind = 'ask'"),
    postgresql_where=text("kind = 'ask'"),
)
Index(
    "spnb_one_pull_per_offer",
    events.c.campaign,
    events.c.round,
    events.c.arm,
    unique=True,
    sqlite_where=text("pull"),
    postgresql_where=text("pull"),
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
    Column("hash", String(64), nullable=False),  # of that event
    Column("body", Text, nullable=False),
)

# What the learner knew at some events, so that a correction need not begin from the first one.
# All of this can be had from the log again.
checkpoints = Table(
    "spnb_checkpoints",
    metadata,
    _campaign(),
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("lasting", Boolean, nullable=False),  # or thinned out when it is no longer recent
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

# Who may use the service. Of a token only a hash is kept; ``campaigns`` is a list of names in
# JSON, or nothing for all of the owner's.
tokens = Table(
    "spnb_tokens",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("owner", String(LONGEST_NAME), nullable=False),
    Column("name", String(LONGEST_NAME), nullable=False),
    Column("hash", String(64), nullable=False),
    Column("scope", String(8), nullable=False),
    Column("campaigns", Text),
    Column("created", BigInteger, nullable=False),
    Column("expires", BigInteger),
    Column("revoked", BigInteger),
)

# What was answered to a request that may be repeated: written in the transaction that did it.
requests = Table(
    "spnb_requests",
    metadata,
    Column("owner", String(LONGEST_NAME), primary_key=True),
    Column("key", String(LONGEST_NAME), primary_key=True),
    Column("mark", String(64), nullable=False),  # of what was asked for
    Column("status", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Column("at", BigInteger, nullable=False, index=True),
)

# Where alerts about a campaign are sent, and those alerts; ``due`` is empty once one was delivered.
hooks = Table(
    "spnb_hooks",
    metadata,
    _campaign(),
    Column("url", Text, nullable=False),
    Column("secret", String(64), nullable=False),
)
alerts = Table(
    "spnb_alerts",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("campaign", Integer, ForeignKey("spnb_campaigns.id"), nullable=False),
    Column("kind", String(16), nullable=False),
    Column("subject", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    Column("due", BigInteger, index=True),
    Column("tries", Integer, nullable=False),
    UniqueConstraint("campaign", "kind", "subject", name="spnb_one_alert_per_subject"),
)
