"""Bring a store to the newest schema. Alembic is loaded only when there is something to do."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from spnb.base.errors import StoreError
from spnb.live.store.connect import shown
from spnb.live.store.tables import HEAD, VERSION_TABLE

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK = 0x73706E62  # any number, the same in every process: "spnb"


def ensure_schema(engine: Engine) -> None:
    """Create the tables, or bring those of an older spnb up to date; refuse what is not ours."""
    with engine.connect() as connection:
        if _version(connection) == HEAD:
            return
    with engine.connect().execution_options(writes=True) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        if _version(connection) != HEAD:  # somebody may have been faster
            _upgrade(connection)


def _version(connection: Connection) -> str | None:
    names = set(inspect(connection).get_table_names())
    if VERSION_TABLE in names:
        row = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).first()
        version = str(row[0]) if row else "none"
        if version > HEAD:
            raise StoreError(
                f"{shown(connection.engine.url)} was written by a newer spnb (schema {version}, "
                f"this one knows {HEAD}): install a newer spnb"
            )
        return version
    # In a server's database others may live beside us; a file belongs to one program.
    ours = {name for name in names if name.startswith("spnb_")}
    foreign = names if connection.dialect.name == "sqlite" else ours
    if foreign:
        some = ", ".join(sorted(foreign)[:3])
        raise StoreError(f"{shown(connection.engine.url)} is not a store of spnb: it holds {some}")
    return None


def _upgrade(connection: Connection) -> None:
    from alembic import command

    command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection) -> "Config":
    """How Alembic finds the migrations, and the connection it must use."""
    from alembic.config import Config

    config = Config()
    folder = str(Path(__file__).parent / "migrations").replace("%", "%%")
    config.set_main_option("script_location", folder)
    config.attributes["connection"] = connection
    return config
