"""Tokens and alerts of the service, and its answers to requests that may be repeated."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Four tables more; nothing of what is there changes."""
    op.create_table(
        "spnb_tokens",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("owner", sa.String(200), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("campaigns", sa.Text),
        sa.Column("created", sa.BigInteger, nullable=False),
        sa.Column("expires", sa.BigInteger),
        sa.Column("revoked", sa.BigInteger),
    )
    op.create_table(
        "spnb_requests",
        sa.Column("owner", sa.String(200), primary_key=True),
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("mark", sa.String(64), nullable=False),
        sa.Column("status", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False, index=True),
    )
    op.create_table(
        "spnb_hooks",
        sa.Column(
            "campaign",
            sa.Integer,
            sa.ForeignKey("spnb_campaigns.id"),
            primary_key=True,
            autoincrement=False,
        ),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("secret", sa.String(64), nullable=False),
    )
    op.create_table(
        "spnb_alerts",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("campaign", sa.Integer, sa.ForeignKey("spnb_campaigns.id"), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("subject", sa.BigInteger, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("due", sa.BigInteger, index=True),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.UniqueConstraint("campaign", "kind", "subject", name="spnb_one_alert_per_subject"),
    )


def downgrade() -> None:
    """Nobody can sign in any more, and nobody hears of anything."""
    op.drop_table("spnb_alerts")
    op.drop_table("spnb_hooks")
    op.drop_table("spnb_requests")
    op.drop_table("spnb_tokens")
