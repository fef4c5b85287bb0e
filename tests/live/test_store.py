"""The contract of a store, the same on every database."""

import re
import threading
from dataclasses import asdict

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine

from spnb.base.errors import ConflictError, DataError, StoreError
from spnb.live.store import Event, Pending, Store
from spnb.live.store.events import microseconds
from spnb.live.store.migrate import alembic_config
from spnb.live.store.tables import HEAD, VERSION_TABLE, metadata

FIRST = Event(1, 5, "create", note='{"a": "ü"}', actor="me", hash="h")


def campaign(store: Store, name: str = "one") -> int:
    with store.writing() as tx:
        number = tx.create(name, "{}").number
        tx.append(number, [FIRST])
        tx.replace_snapshot(number, 1, "h", '{"x": 1}', expected=0)
    return number


def test_what_was_written_is_read_back(store: Store) -> None:
    number = campaign(store)
    event = Event(2, 7, "ask", None, 3, "08:00", True, 0.1 + 0.2, '{"reason": "–"}')
    with store.writing() as tx:
        tx.append(number, [event])
        tx.replace_snapshot(number, 2, "h2", "ü", expected=1)
    with store.reading() as tx:
        assert tx.names() == ["one"]
        who = tx.find("one")
        assert who is not None
        assert (who.number, who.name) == (number, "one")
        assert tx.named(who.uid) == who
        assert tx.find("two") is None
        assert tx.snapshot(number) == (2, "h2", "ü", who.uid)
        assert tx.events(number) == [FIRST, event]
        assert tx.asked(number, 3, "08:00") == [event]
        assert tx.asked(number, 3, "09:00") == []


def test_an_error_undoes_the_whole_transaction(store: Store) -> None:
    number = campaign(store)

    def half_a_change() -> None:
        with store.writing() as tx:
            tx.append(number, [Event(2, 7, "pause")])
            tx.await_reward(number, [Pending(2, 1, "a", 5)])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half_a_change()
    with store.reading() as tx:
        assert tx.events(number) == [FIRST]
        assert tx.pending(number) == []


def test_a_name_is_taken_once(store: Store) -> None:
    campaign(store)
    with pytest.raises(ConflictError, match="there is a campaign 'one' already"):
        campaign(store)
    assert campaign(store, "two") > 0


def test_an_event_number_is_used_once(store: Store) -> None:
    number = campaign(store)
    with pytest.raises(StoreError), store.writing() as tx:
        tx.append(number, [Event(1, 9, "pause")])


def test_an_offer_is_pulled_once(store: Store) -> None:
    number = campaign(store)
    ask = {"kind": "ask", "round": 1, "arm": "a", "pull": True}
    with store.writing() as tx:
        tx.append(number, [Event(2, 7, **ask), Event(3, 7, "tell", 2, 1, "a", None, 1.0)])  # type: ignore[arg-type]
    with pytest.raises(StoreError), store.writing() as tx:
        tx.append(number, [Event(4, 7, **ask)])  # type: ignore[arg-type]


def test_a_snapshot_replaces_only_the_version_it_was_made_from(store: Store) -> None:
    number = campaign(store)
    with pytest.raises(ConflictError, match="moved past version 0"), store.writing() as tx:
        tx.replace_snapshot(number, 2, "h2", "new", expected=0)
    with store.reading() as tx:
        assert tx.snapshot(number)[:3] == (1, "h", '{"x": 1}')


def test_a_long_log_is_read_in_order_and_whole(store: Store) -> None:
    number = campaign(store)
    new = [Event(seq, seq, "pause") for seq in range(2, 12_002)]
    with store.writing() as tx:
        tx.append(number, new)
    assert [event.seq for event in store.history(number)] == list(range(1, 12_002))
    assert [event.seq for event in store.history(number, 11_000, 11_003)] == [
        11_001,
        11_002,
        11_003,
    ]


def test_everything_about_a_decision_is_found(store: Store) -> None:
    number, other = campaign(store), campaign(store, "two")
    ask = Event(2, 7, "ask", None, 1, "a", True)
    tell = Event(4, 8, "tell", 2, 1, "a", None, 1.0)
    with store.writing() as tx:
        tx.append(number, [ask, Event(3, 8, "pause"), tell])
        tx.append(other, [ask])
    with store.reading() as tx:
        assert tx.about(number, 2) == [ask, tell]
        assert tx.about(other, 2) == [ask]
        assert tx.about(number, 99) == []


def test_pending_pulls_come_and_go(store: Store) -> None:
    number = campaign(store)
    old, young = Pending(2, 1, "a", 100), Pending(3, 1, "b", 200)
    with store.writing() as tx:
        tx.await_reward(number, [old, young])
    with store.writing() as tx:
        assert tx.pending(number) == [old, young]
        assert tx.pending(number, before=100) == [old]
        tx.arrived(number, 2)
    with store.reading() as tx:
        assert tx.pending(number) == [young]


def test_writers_take_turns(store: Store) -> None:
    number = campaign(store)

    def count(times: int) -> None:
        for _ in range(times):
            with store.writing() as tx:
                version = tx.snapshot(number, lock=True).version
                tx.append(number, [Event(version + 1, 0, "pause")])
                tx.replace_snapshot(number, version + 1, "", "", expected=version)

    threads = [threading.Thread(target=count, args=(25,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.reading() as tx:
        assert tx.snapshot(number)[0] == 101
        assert len(tx.events(number)) == 101


def test_the_migrations_lead_to_the_tables(store: Store) -> None:
    engine = store._engine
    with engine.connect() as connection:
        options = {"version_table": VERSION_TABLE}
        context = MigrationContext.configure(connection, opts=options)
        assert context.get_current_revision() == HEAD
        assert compare_metadata(context, metadata) == []
        scripts = ScriptDirectory.from_config(alembic_config(connection))
        assert scripts.get_current_head() == HEAD


_WHOLE_TABLE = ("names", "tokens", "any_token", "hooks")


def test_no_search_walks_through_the_whole_log() -> None:
    with Store("sqlite://") as store, store._engine.connect() as connection:
        for name, sql in asdict(store._sql).items():
            if not sql:  # said to servers only
                continue
            values = dict.fromkeys(re.findall(r":(\w+)", sql), 1)
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values).fetchall()
            for *_, step in plan:
                assert name in _WHOLE_TABLE or not step.startswith("SCAN"), (name, step)
                if "spnb_events " in step and not name.startswith(("create", "delete")):
                    assert "AND" in step, (name, step)  # not by the campaign alone


def test_an_event_survives_the_way_through_json() -> None:
    event = Event(2, 1_700_000_000_123_456, "tell", 1, 3, "a", None, 1 / 3, '{"value": 1e-300}')
    assert Event.from_dict(event.to_dict()) == event
    assert microseconds(event.time) == event.at


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"seq": 1, "at": "2026-01-01T00:00:00+00:00", "kind": "dance"},
        {"seq": 1, "at": "yesterday", "kind": "ask"},
        {"seq": 1, "at": "2026-01-01T00:00:00+00:00", "kind": "ask", "colour": "red"},
    ],
)
def test_what_is_no_event_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(DataError, match="this is no event of a campaign"):
        Event.from_dict(data)


def test_others_may_live_in_the_same_server(postgres: str) -> None:
    from live.conftest import fresh_schema

    url = fresh_schema(postgres)
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE mine (a INTEGER)")
    engine.dispose()
    with Store(url) as store:
        assert campaign(store) > 0
