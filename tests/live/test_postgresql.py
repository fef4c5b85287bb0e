"""A server: nothing waits without end, nothing needs more rights than it must, one clear line."""

import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from alembic import command
from sqlalchemy import create_engine, inspect

from live.conftest import fresh_schema
from live.helpers import ARMS
from spnb.base.errors import StoreError
from spnb.live.campaign import Campaign
from spnb.live.store import Store, connect
from spnb.live.store.migrate import alembic_config, migrate_store

GOLDEN = Path(__file__).parent.parent / "golden"
OLD_TABLES = ("spnb_campaigns", "spnb_events", "spnb_snapshots", "spnb_pending")


@pytest.fixture
def url(postgres: str) -> str:
    return fresh_schema(postgres)


@contextmanager
def engine_of(url: str) -> Iterator[Any]:
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        yield engine
    finally:
        engine.dispose()


def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = connect._SESSION.replace("60s", "300ms")
    assert quick != connect._SESSION
    monkeypatch.setattr(connect, "_SESSION", quick)


def test_nothing_waits_without_end(url: str) -> None:
    strict = url + "%20-cdefault_transaction_isolation%3Dserializable%20-clock_timeout%3D0"
    with Store(strict) as store, store._engine.connect() as connection:
        found = {
            name: connection.exec_driver_sql(f"SHOW {name}").scalar()
            for name in (
                "lock_timeout",
                "statement_timeout",
                "idle_in_transaction_session_timeout",
                "transaction_isolation",
            )
        }
        driver: Any = connection.connection.driver_connection
        settings = driver.info.get_parameters()
    assert found == {
        "lock_timeout": "1min",
        "statement_timeout": "2min",
        "idle_in_transaction_session_timeout": "2min",
        "transaction_isolation": "read committed",
    }
    assert (settings["keepalives_idle"], settings["keepalives_count"]) == ("30", "3")
    assert settings["connect_timeout"] == "10"


def test_a_row_that_another_program_holds_is_told(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    impatient(monkeypatch)
    with Store(url) as store, psycopg.connect(url) as other:
        campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", seed=1)
        other.execute("SELECT * FROM spnb_snapshots FOR UPDATE")
        with pytest.raises(StoreError, match="another program has held it") as caught:
            campaign.ask("a")
        assert "\n" not in str(caught.value)
        other.rollback()
        assert campaign.ask("a").pull


def test_one_stuck_row_does_not_drain_the_pool(url: str) -> None:
    with Store(url) as store, psycopg.connect(url) as other:
        stuck = Campaign.create(store, "stuck", arms=ARMS, agent="Uniform+", seed=1)
        free = Campaign.create(store, "free", arms=ARMS, agent="Uniform+", seed=1)
        number = stuck._who.number
        other.execute("SELECT * FROM spnb_snapshots WHERE campaign = %s FOR UPDATE", [number])
        answers: list[object] = []

        def ask() -> None:
            answers.append(Campaign.open(store, "stuck").ask("a", at=1))

        crowd = [threading.Thread(target=ask) for _ in range(60)]
        for each in crowd:
            each.start()
        time.sleep(0.3)
        assert free.ask("a").pull  # with 60 waiting for 30 connections
        assert free.status().events == 2
        assert answers == []
        other.rollback()
        for each in crowd:
            each.join()
        assert len(answers) == 60
        assert len(set(answers)) == 1


def test_all_connections_busy_is_one_line(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connect, "PATIENCE", 0.2)
    with Store(url) as store:
        held = [store._engine.raw_connection() for _ in range(30)]
        with pytest.raises(StoreError, match="all connections are busy") as caught, store.reading():
            pass
        assert "\n" not in str(caught.value)
        for connection in held:
            connection.close()


def test_reading_makes_no_tables(url: str) -> None:
    with pytest.raises(StoreError, match="there is no store at .*'spnb campaign new' makes one"):
        Campaign.open(url, "water")
    with engine_of(url) as engine:
        assert inspect(engine).get_table_names() == []


def test_tables_of_an_older_spnb_are_migrated_by_a_command_of_its_own(url: str) -> None:
    with engine_of(url) as engine, engine.begin() as connection:
        command.upgrade(alembic_config(connection), "0001")
        with closing(sqlite3.connect(GOLDEN / "store-0001.db")) as old:
            for table in OLD_TABLES:
                cursor = old.execute(f"SELECT * FROM {table}")
                names = [column[0] for column in cursor.description]
                rows = [dict(zip(names, row, strict=True)) for row in cursor]
                for row in rows:
                    if row.get("pull") is not None:
                        row["pull"] = bool(row["pull"])
                values = ", ".join(f"%({name})s" for name in names)
                into = f"INSERT INTO {table} ({', '.join(names)}) VALUES ({values})"
                connection.exec_driver_sql(into, rows)
    for create in (False, True):
        with pytest.raises(StoreError, match="is of an older spnb .*say 'spnb store migrate'"):
            Store(url, create=create)
    assert migrate_store(url) == ("0001", "0003")
    assert migrate_store(url) == ("0003", "0003")
    with Store(url, create=False) as store:
        for name in ("water", "pages"):
            campaign = Campaign.open(store, name)
            assert campaign.verify().problem is None
            campaign.ask(campaign.config.arms[0].label, at=campaign.outline().round + 1)
            assert campaign.verify().ok


def test_who_asks_and_tells_needs_no_right_to_change_tables(url: str) -> None:
    role, schema = f"r_{secrets.token_hex(4)}", url.rpartition("%3D")[2]
    migrate_store(url)
    with engine_of(url) as engine, engine.begin() as connection:
        for right in (
            f"CREATE ROLE {role}",
            f"GRANT USAGE ON SCHEMA {schema} TO {role}",
            f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role}",
            f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
        ):
            connection.exec_driver_sql(right)
    with Store(f"{url}%20-crole%3D{role}") as store:
        campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", seed=1)
        campaign.tell(campaign.ask("a"), reward=1)
        campaign.correct(2, reward=0)
        campaign.ask("b")
        assert campaign.verify().ok
        with pytest.raises(StoreError, match="this user may not do that"), store.writing() as tx:
            tx._cursor.execute("DROP TABLE spnb_events")


def test_a_connection_cut_in_the_middle_is_one_line_and_work_goes_on(url: str) -> None:
    with Store(url) as store, psycopg.connect(url, autocommit=True) as other:
        campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", seed=1)

        def cut_in_the_middle() -> None:
            with store.writing() as tx:
                tx.snapshot(campaign._who.number, lock=True)
                mine = tx._cursor.connection.info.backend_pid
                other.execute("SELECT pg_terminate_backend(%s)", [mine])
                tx.snapshot(campaign._who.number)

        with pytest.raises(StoreError) as caught:
            cut_in_the_middle()
        assert "\n" not in str(caught.value)
        assert campaign.ask("a").pull
