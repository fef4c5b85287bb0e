"""Run by Alembic: migrate over the connection, and inside the transaction, that we are given."""

from alembic import context

from spnb.live.store.tables import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
