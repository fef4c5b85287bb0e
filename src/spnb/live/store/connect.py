"""One engine for SQLite and PostgreSQL, and one place where their errors become ours."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event, exc
from sqlalchemy.pool import QueuePool, StaticPool

from spnb.base.errors import StoreError
from spnb.base.extras import need
from spnb.live.store.address import checked, scrubbed, shown

DEFAULT_URL = "sqlite:///spnb.db"
PATIENCE = 60  # seconds to wait for another writer before giving up

# A server's connection must not be lost without a word (keepalives), nor wait without end for a
# lock, an answer or a client that has died in the middle of a transaction. READ COMMITTED is what
# the locking relies on, whatever a database or a role has been set to.
_SESSION = f"""
SET lock_timeout = '{PATIENCE}s';
SET statement_timeout = '{2 * PATIENCE}s';
SET idle_in_transaction_session_timeout = '{2 * PATIENCE}s';
SET default_transaction_isolation = 'read committed'
"""
_KEEPALIVE = {"keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}


def chosen_url(url: str | None) -> str:
    """The store to use: the one given, else that of SPNB_STORE, else a file in this folder."""
    return url or os.environ.get("SPNB_STORE") or DEFAULT_URL


def connect(text: str, *, create: bool) -> Engine:
    """An engine for the store of this URL; nothing is opened yet."""
    url, settings = checked(text)
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, settings, create=create)
    return _postgresql(url, settings)


def _postgresql(url: URL, settings: dict[str, Any]) -> Engine:
    need("postgres")
    arguments = {"connect_timeout": 10, **_KEEPALIVE, **settings}
    # Asked for a sign of life first, so that work goes on after the server was restarted.
    engine = create_engine(
        url,
        pool_pre_ping=True,
        pool_size=10,
        max_overflow=20,
        pool_timeout=PATIENCE / 2,
        connect_args=arguments,
    )

    def prepare(connection: Any, _record: object) -> None:
        connection.execute(_SESSION)
        connection.commit()

    event.listen(engine, "connect", prepare)
    return engine


def _sqlite(url: URL, settings: dict[str, Any], *, create: bool) -> Engine:
    memory = url.database in (None, "", ":memory:")
    if not memory:
        file = Path(str(url.database))
        if not file.parent.is_dir():
            raise StoreError(f"cannot open {shown(url)}: its folder does not exist")
        if not create and not file.exists():
            raise StoreError(f"there is no store {shown(url)}: 'spnb campaign new' makes one")
    # A store in memory is one connection, whoever uses it.
    arguments: dict[str, Any] = {"poolclass": StaticPool if memory else QueuePool}
    engine = create_engine(
        url,
        paramstyle="named",
        connect_args={"timeout": PATIENCE, "check_same_thread": False, **settings},
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


@contextmanager
def translated(url: URL, *kinds: type[Exception]) -> Iterator[None]:
    """What the database says, as one line of ours; ``kinds`` are the driver's own errors."""
    try:
        yield
    except kinds as error:
        raise _refused(url, str(error)) from error
    except exc.DBAPIError as error:
        raise _refused(url, str(error.orig)) from error
    except exc.SQLAlchemyError as error:
        raise _refused(url, str(error)) from error
    except UnicodeError:  # the name of a host, or a text
        raise _refused(url, "a name or a text cannot be encoded") from None


def _refused(url: URL, message: str) -> StoreError:
    return StoreError(f"cannot use {shown(url)}: {_advice(scrubbed(message, url))}")


_LOCKED = f"another program has held it for {PATIENCE} seconds; try again"
_ADVICE = {
    "disk is full": "the disk is full; nothing was half written, make room and try again",
    "no space left": "the disk is full; nothing was half written, make room and try again",
    "readonly": "it is read-only",
    "read-only": "it is read-only",
    "database is locked": _LOCKED,
    "lock timeout": _LOCKED,
    "statement timeout": f"the server has not answered for {2 * PATIENCE} seconds; try again",
    "idle-in-transaction": "the server has closed a transaction that was idle; try again",
    "queuepool limit": "all connections are busy; try again",
    "permission denied": "this user may not do that there",
    "must be owner": "this user may not do that there",
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
