"""Logs sealed by hashes, owners of campaigns, actors of events, checkpoints of learners.

Events that are already there are sealed as they are.
"""

import secrets
from collections.abc import Iterator
from itertools import islice

import sqlalchemy as sa
from alembic import op

from spnb.live.store.events import Event, seal

revision = "0002"
down_revision = "0001"

_CHUNK = 5000


def upgrade() -> None:
    """Add what is missing, then seal every log."""
    here = op.get_bind()
    _campaigns(here)
    op.add_column("spnb_events", _text("actor", sa.Text))
    op.add_column("spnb_events", _text("hash", sa.String(64)))
    op.add_column("spnb_snapshots", _text("hash", sa.String(64)))
    op.create_table(
        "spnb_checkpoints",
        sa.Column(
            "campaign",
            sa.Integer,
            sa.ForeignKey("spnb_campaigns.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("lasting", sa.Boolean, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.drop_index("spnb_one_decision_per_offer", "spnb_events")
    _index("spnb_decisions_about_an_offer", "kind = 'ask'", unique=False)
    _index("spnb_one_pull_per_offer", "pull", unique=True)
    for campaign in here.scalars(sa.text("SELECT id FROM spnb_campaigns")).all():
        _seal(here, campaign)


def downgrade() -> None:
    """There is no way back: a sealed log stays sealed."""
    raise NotImplementedError("restore a backup made before the migration")


def _campaigns(here: sa.Connection) -> None:
    """Names are unique for each owner, no longer in the whole store."""
    columns = [
        sa.Column("owner", sa.String(200), nullable=False, server_default=""),
        sa.Column("uid", sa.String(32), nullable=False, server_default=""),
        sa.Column("salt", sa.String(64), nullable=False, server_default=""),
    ]
    if here.dialect.name == "sqlite":
        old = sa.Table(
            "spnb_campaigns",
            sa.MetaData(),
            sa.Column("id", sa.Integer, primary_key=True),
            sa.Column("name", sa.String(200), nullable=False),
        )
        # SQLite knows no other way to drop the old rule than to write the table anew.
        with op.batch_alter_table("spnb_campaigns", copy_from=old, recreate="always") as table:
            for column in columns:
                table.add_column(column)
    else:
        op.drop_constraint("spnb_campaigns_name_key", "spnb_campaigns")
        for column in columns:
            op.add_column("spnb_campaigns", column)
    mark = sa.text("UPDATE spnb_campaigns SET uid = :uid, salt = :salt WHERE id = :id")
    for id_ in here.scalars(sa.text("SELECT id FROM spnb_campaigns")).all():
        values = {"uid": secrets.token_hex(8), "salt": secrets.token_hex(16), "id": id_}
        here.execute(mark, values)
    with op.batch_alter_table("spnb_campaigns") as table:
        table.create_unique_constraint("spnb_one_name_per_owner", ["owner", "name"])
        table.create_unique_constraint("spnb_one_campaign_per_uid", ["uid"])


def _seal(here: sa.Connection, campaign: int) -> None:
    """Hash every event of a campaign together with the one before it."""
    which = {"campaign": campaign}
    last = str(here.scalar(sa.text("SELECT salt FROM spnb_campaigns WHERE id = :campaign"), which))
    write = sa.text("UPDATE spnb_events SET hash = :hash WHERE campaign = :campaign AND seq = :seq")
    events = _events(here, campaign)
    while chunk := list(islice(events, _CHUNK)):
        rows = []
        for event in chunk:
            last = seal(event, last)
            rows.append({**which, "seq": event.seq, "hash": last})
        here.execute(write, rows)
    done = sa.text("UPDATE spnb_snapshots SET hash = :hash WHERE campaign = :campaign")
    here.execute(done, {**which, "hash": last})


def _events(here: sa.Connection, campaign: int) -> Iterator[Event]:
    columns = "seq, at, kind, decision, round, arm, pull, reward, note"
    read = sa.text(
        f"SELECT {columns} FROM spnb_events WHERE campaign = :campaign AND seq > :after "
        f"ORDER BY seq LIMIT {_CHUNK}"
    )
    after = 0
    while rows := here.execute(read, {"campaign": campaign, "after": after}).all():
        for seq, at, kind, decision, round_, arm, pull, reward, note in rows:
            truth = None if pull is None else bool(pull)
            yield Event(seq, at, kind, decision, round_, arm, truth, reward, note)
        after = rows[-1][0]


def _text(name: str, kind: sa.types.TypeEngine[str] | type[sa.Text]) -> "sa.Column[str]":
    return sa.Column(name, kind, nullable=False, server_default="")


def _index(name: str, where: str, *, unique: bool) -> None:
    op.create_index(
        name,
        "spnb_events",
        ["campaign", "round", "arm"],
        unique=unique,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )
