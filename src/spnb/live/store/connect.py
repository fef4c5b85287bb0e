"""One engine for SQLite and PostgreSQL, and one place where their errors become ours."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event, exc, make_url
from sqlalchemy.pool import QueuePool, StaticPool

from spnb.base.errors import SpecError, StoreError

DEFAULT_URL = "sqlite:///spnb.db"
PATIENCE = 60  # seconds to wait for another writer before giving up


def chosen_url(url: str | None) -> str:
    """The store to use: the one given, else that of SPNB_STORE, else a file in this folder."""
    return url or os.environ.get("SPNB_STORE") or DEFAULT_URL


def connect(text: str, *, create: bool) -> Engine:
    """An engine for the store of this URL; nothing is opened yet."""
    url = _checked(text)
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, create=create)
    try:
        # Asked for a sign of life first, so that work goes on after the server was restarted.
        return create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": 10})
    except ModuleNotFoundError as error:
        raise StoreError(f"{shown(url)} needs {error.name}: install spnb[postgres]") from error


def _checked(text: str) -> URL:
    try:
        url = make_url(text)
    except exc.ArgumentError:
        rule = "sqlite:///file.db or postgresql://user@host/database"
        raise SpecError(f"a store is {rule}, got {text!r}") from None
    if url.drivername in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    if url.drivername not in ("sqlite", "postgresql+psycopg"):
        raise SpecError(f"a store is in SQLite or PostgreSQL, got {url.drivername!r}")
    return url


def _sqlite(url: URL, *, create: bool) -> Engine:
    memory = url.database in (None, "", ":memory:")
    if not memory:
        file = Path(str(url.database))
        if not file.parent.is_dir():
            raise StoreError(f"cannot open {shown(url)}: the folder {file.parent} does not exist")
        if not create and not file.exists():
            raise StoreError(f"there is no store {shown(url)}: 'spnb campaign new' makes one")
    # A store in memory is one connection, whoever uses it.
    arguments: dict[str, Any] = {"poolclass": StaticPool if memory else QueuePool}
    engine = create_engine(
        url,
        paramstyle="named",
        connect_args={"timeout": PATIENCE, "check_same_thread": False},
        **arguments,
    )
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def _prepare(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where we say, not where sqlite3 guesses
    if connection.execute("PRAGMA journal_mode").fetchone()[0] not in ("wal", "memory"):
        connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def begin(cursor: Any, dialect: Dialect, *, writes: bool) -> None:
    """Begin a transaction; PostgreSQL's driver does so by itself."""
    if dialect.name == "sqlite":
        # A writer takes the write lock before it reads: it waits its turn here instead of finding
        # out at the end that somebody else was faster.
        cursor.execute("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin(connection: Connection) -> None:
    writes = bool(connection.get_execution_options().get("writes"))
    begin(connection.connection.cursor(), connection.dialect, writes=writes)


def shown(url: URL) -> str:
    """A URL that may be printed."""
    return url.render_as_string(hide_password=True)


@contextmanager
def translated(url: URL, *kinds: type[Exception]) -> Iterator[None]:
    """What the database says, as one line of ours; ``kinds`` are the driver's own errors."""
    try:
        yield
    except kinds as error:
        raise StoreError(f"cannot use {shown(url)}: {_advice(str(error))}") from error
    except exc.DBAPIError as error:
        raise StoreError(f"cannot use {shown(url)}: {_advice(str(error.orig))}") from error
    except exc.SQLAlchemyError as error:
        raise StoreError(f"cannot use {shown(url)}: {_first_line(str(error))}") from error


_ADVICE = {
    "disk is full": "the disk is full; nothing was half written, make room and try again",
    "no space left": "the disk is full; nothing was half written, make room and try again",
    "readonly": "it is read-only",
    "read-only": "it is read-only",
    "database is locked": f"another program has held it for {PATIENCE} seconds; try again",
    "not a database": "this file is not a database",
    "malformed": "the file is damaged; take it from a backup (the docs say how to make one)",
    "unable to open": "it cannot be opened; does the folder exist, may you write there?",
}


def _advice(message: str) -> str:
    lower = message.lower()
    said = next((advice for sign, advice in _ADVICE.items() if sign in lower), None)
    return said or _first_line(message)


def _first_line(message: str) -> str:
    return next((line.strip() for line in message.splitlines() if line.strip()), "no reason given")
