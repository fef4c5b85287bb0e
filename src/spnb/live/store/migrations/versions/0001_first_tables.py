"""The first tables: campaigns, events, snapshots, pending rewards."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create them."""
    op.create_table(
        "spnb_campaigns",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
    )
    op.create_table(
        "spnb_events",
        _campaign(),
        sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("decision", sa.BigInteger),
        sa.Column("round", sa.BigInteger),
        sa.Column("arm", sa.Text),
        sa.Column("pull", sa.Boolean),
        sa.Column("reward", sa.Double),
        sa.Column("note", sa.Text),
    )
    _partial_index("spnb_one_decision_per_offer", ["campaign", "round", "arm"], "kind = 'ask'")
    _partial_index("spnb_events_of_a_decision", ["campaign", "decision"], "decision IS NOT NULL")
    op.create_table(
        "spnb_snapshots",
        _campaign(),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "spnb_pending",
        _campaign(),
        sa.Column("decision", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("round", sa.BigInteger, nullable=False),
        sa.Column("arm", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("spnb_pending", "spnb_snapshots", "spnb_events", "spnb_campaigns"):
        op.drop_table(table)


def _campaign() -> "sa.Column[int]":
    owner = sa.ForeignKey("spnb_campaigns.id")
    return sa.Column("campaign", sa.Integer, owner, primary_key=True, autoincrement=False)


def _partial_index(name: str, columns: list[str], where: str) -> None:
    op.create_index(
        name,
        "spnb_events",
        columns,
        unique=name.startswith("spnb_one"),
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )
