"""Bring a store to the newest schema. Alembic is loaded only when there is something to do."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from spnb.base.errors import StoreError
from spnb.live.store.address import shown
from spnb.live.store.connect import chosen_url, connect, translated
from spnb.live.store.tables import HEAD, VERSION_TABLE

if TYPE_CHECKING:
    from alembic.config import Config

_LOCK = 0x73706E62  # any number, the same in every process: "spnb"


def migrate_store(url: str | None = None) -> tuple[str | None, str]:
    """Make the tables, or bring them up to date; the schema before (None: no tables) and after."""
    engine = connect(chosen_url(url), create=True)
    try:
        with translated(engine.url):
            with engine.connect() as connection:
                before = _version(connection)
            _bring_up_to_date(engine)
    finally:
        engine.dispose()
    return before, HEAD


def ensure_schema(engine: Engine, *, create: bool) -> None:
    """See that the tables are there and of this version; refuse what is not ours.

    Tables are made only where something is begun (``create``). A file of an older spnb is brought
    up to date; a server's tables change by a command of their own, since who asks and tells there
    need not be allowed to change them.
    """
    with engine.connect() as connection:
        version, server = _version(connection), connection.dialect.name != "sqlite"
    if version == HEAD:
        return
    name = shown(engine.url)
    if version is None and not create:
        raise StoreError(f"there is no store at {name}: 'spnb campaign new' makes one")
    if version is not None and server:
        raise StoreError(
            f"{name} is of an older spnb (schema {version}, this one needs {HEAD}): "
            "say 'spnb store migrate' as a user who may change tables"
        )
    _bring_up_to_date(engine)


def _bring_up_to_date(engine: Engine) -> None:
    with engine.connect().execution_options(writes=True) as connection:
        sqlite = connection.dialect.name == "sqlite"
        if sqlite:  # tables are written anew, those that others refer to as well
            connection.connection.cursor().execute("PRAGMA foreign_keys = OFF")
        try:
            with connection.begin():
                if not sqlite:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
                    connection.execute(text("SET LOCAL statement_timeout = 0"))
                if _version(connection) != HEAD:  # somebody may have been faster
                    _upgrade(connection)
        finally:
            if sqlite:
                connection.connection.cursor().execute("PRAGMA foreign_keys = ON")


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
