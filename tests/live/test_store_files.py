"""Files that are not what they should be: a clear line, nothing lost, work goes on afterwards."""

import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from spnb.base.errors import SpecError, StoreError
from spnb.live.campaign import Campaign
from spnb.live.store import Store
from spnb.live.store.connect import chosen_url
from spnb.live.store.tables import HEAD

GOLDEN = Path(__file__).parent.parent / "golden"


def filled(path: Path, asks: int = 3) -> str:
    url = f"sqlite:///{path}"
    campaign = Campaign.create(url, "water", arms=["a", "b"], agent="Uniform+", seed=1)
    for round_ in range(1, asks + 1):
        campaign.tell(campaign.ask("a", at=round_), reward=1)
    campaign.store.close()
    return url


@pytest.mark.parametrize("golden", sorted(GOLDEN.glob("store-*.db")), ids=lambda path: path.stem)
def test_a_store_of_every_older_version_opens_and_goes_on(golden: Path, tmp_path: Path) -> None:
    shutil.copy(golden, tmp_path / "old.db")
    with Store(f"sqlite:///{tmp_path}/old.db") as store:
        with store.reading() as tx:
            names = tx.names()
        assert {"water", "pages"} <= set(names)
        for name in names:
            campaign = Campaign.open(store, name)
            assert campaign.verify().ok
            before = campaign.outline().events
            campaign.ask(arm=campaign.config.arms[0].label, at=900, ahead=True)
            assert campaign.outline().events > before
            assert campaign.verify().ok


def test_what_an_older_learner_decided_stands_and_a_new_one_goes_on(tmp_path: Path) -> None:
    shutil.copy(GOLDEN / "store-0001.db", tmp_path / "old.db")
    with Store(f"sqlite:///{tmp_path}/old.db") as store:
        campaign = Campaign.open(store, "pages")
        before = campaign.outline().events
        assert campaign.verify().stands == before
        for arm in ("red", "green"):
            campaign.ask(arm, at=900, ahead=True)
        kinds = [event.kind for event in campaign.events()]
        assert kinds.count("adopt") == 1, "once, before the first decision of the new form"
        assert kinds[-3:] == ["adopt", "ask", "ask"]
        assert campaign.verify().stands == before + 1
        lines = list(campaign.export())
    with Store(f"sqlite:///{tmp_path}/new.db") as store:
        Campaign.import_(store, lines)
        assert Campaign.open(store, "pages").verify().ok


def test_there_is_a_golden_store_of_the_newest_schema() -> None:
    assert (GOLDEN / f"store-{HEAD}.db").exists()


def test_a_store_is_durable_and_lets_readers_in(tmp_path: Path) -> None:
    with Store(f"sqlite:///{tmp_path}/s.db") as store, store._engine.connect() as connection:
        found = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        }
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "busy_timeout": 60_000,
    }


def test_a_text_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("buy milk\n" * 500)
    with pytest.raises(StoreError, match="this file is not a database"):
        Store(f"sqlite:///{path}")
    assert path.read_text() == "buy milk\n" * 500


def test_the_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE customers (name TEXT)")
    other.close()
    with pytest.raises(StoreError, match="is not a store of spnb: it holds customers"):
        Store(f"sqlite:///{path}")
    with sqlite3.connect(path) as other:
        tables = other.execute("SELECT name FROM sqlite_master").fetchall()
    other.close()
    assert tables == [("customers",)]


def test_a_store_of_a_newer_spnb_is_refused(tmp_path: Path) -> None:
    url = filled(tmp_path / "s.db")
    with sqlite3.connect(tmp_path / "s.db") as database:
        database.execute("UPDATE spnb_version SET version_num = '9999'")
    database.close()
    with pytest.raises(StoreError, match="written by a newer spnb"):
        Store(url)


def test_a_truncated_file_is_told_and_a_backup_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    url = filled(path, asks=200)
    shutil.copy(path, tmp_path / "backup.db")
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 3)
    with pytest.raises(StoreError, match=r"damaged|not a database"):
        Campaign.open(url, "water").verify()
    shutil.copy(tmp_path / "backup.db", path)
    campaign = Campaign.open(url, "water")
    assert campaign.verify().ok
    assert campaign.ask("a", at=201).pull


def test_a_read_only_file_is_told_and_work_goes_on(tmp_path: Path) -> None:
    url = filled(tmp_path / "s.db")
    with Store(url) as store:
        campaign = Campaign.open(store, "water")
        # What the operating system does to a file on a read-only mount, root or not.
        with store._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA query_only = ON")
        with pytest.raises(StoreError, match="it is read-only"):
            campaign.ask("b")
        with store._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA query_only = OFF")
        assert campaign.ask("b").pull
        assert campaign.verify().ok


@pytest.mark.unprivileged
def test_a_file_without_permission_is_told(tmp_path: Path) -> None:
    url = filled(tmp_path / "s.db")
    for file in tmp_path.iterdir():
        file.chmod(0o444)
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(StoreError, match=r"read-only|cannot be opened"):
            Campaign.open(url, "water").ask("b")
    finally:
        tmp_path.chmod(0o755)


def test_a_full_disk_is_told_nothing_is_lost_and_work_goes_on(tmp_path: Path) -> None:
    url = filled(tmp_path / "s.db")
    with Store(url) as store:
        campaign = Campaign.open(store, "water")
        with store._engine.connect() as connection:
            pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
            connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
        told: list[int] = []

        def work_on() -> None:
            for round_ in range(4, 10_000):
                decision = campaign.ask("a", at=round_)
                told.append(campaign.tell(decision, reward=1).decision)

        with pytest.raises(StoreError, match="the disk is full"):
            work_on()
        assert campaign.verify().ok
        with store._engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA max_page_count = 1000000")
        recorded = [event.decision for event in campaign.events() if event.kind == "tell"]
        assert recorded[3:] == told
        assert campaign.ask("b").pull
        assert campaign.verify().ok


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nowhere/s\.db: its folder does not exist"):
        Store(f"sqlite:///{tmp_path}/nowhere/s.db")


def test_opening_a_campaign_makes_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        Campaign.open(f"sqlite:///{tmp_path}/typo.db", "water")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "a store is sqlite:///file.db"),
        ("mysql://here/there", "other databases are not supported"),
    ],
)
def test_what_is_no_store_is_refused(url: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Store(url)


def test_a_password_is_never_shown() -> None:
    with pytest.raises(StoreError) as caught:
        Store("postgresql://me:secret@127.0.0.1:1/db")
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_postgresql_without_its_driver_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImportError, match=r"pip install 'spnb\[postgres\]'"):
        Store("postgresql://me@127.0.0.1:1/db")


def test_the_store_is_the_one_given_then_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPNB_STORE", "sqlite:///env.db")
    assert chosen_url("sqlite://") == "sqlite://"
    assert chosen_url(None) == "sqlite:///env.db"
    monkeypatch.delenv("SPNB_STORE")
    assert chosen_url(None) == "sqlite:///spnb.db"
