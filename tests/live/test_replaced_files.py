"""A store's file is moved away, or another one into its place, while a process has it open."""

import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from spnb.base.errors import DataError, StoreError
from spnb.live.campaign import Campaign
from spnb.live.store import Store
from spnb.live.store.tables import HEAD, VERSION_TABLE

GOLDEN = Path(__file__).parent.parent / "golden"


def backed_up(path: Path) -> Path:
    """What ``sqlite3 s.db ".backup copy.db"`` makes."""
    copy = path.with_name("copy.db")
    with closing(sqlite3.connect(path)) as old, closing(sqlite3.connect(copy)) as new:
        old.backup(new)
    return copy


def without_log(path: Path) -> None:
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink()


def put_in_place(copy: Path, path: Path) -> None:
    """As somebody does on a command line."""
    without_log(path)
    subprocess.run(["mv", copy, path], check=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "s.db"


@pytest.fixture
def living(path: Path) -> Campaign:
    """A campaign with one reward, in a process that goes on."""
    living = Campaign.create(f"sqlite:///{path}", "c", arms=["a", "b"], agent="Uniform+", seed=1)
    living.tell(living.ask("a", at=1), reward=1)
    return living


def in_the_file(path: Path) -> list[str]:
    with Store(f"sqlite:///{path}", create=False) as store:
        campaign = Campaign.open(store, "c")
        assert campaign.verify().ok
        return [event.kind for event in campaign.events()]


def test_work_goes_on_in_the_file_that_was_moved_there(living: Campaign, path: Path) -> None:
    copy = backed_up(path)
    lost = living.ask("b", at=1)
    put_in_place(copy, path)
    with pytest.raises(DataError, match="there is no decision"):
        living.tell(lost, reward=1)
    living.tell(living.ask("a", at=2), reward=0)
    assert in_the_file(path) == ["create", "ask", "tell", "ask", "tell"]
    assert living.outline().round == 2


def test_what_is_read_is_the_file_that_was_moved_there(living: Campaign, path: Path) -> None:
    copy = backed_up(path)
    living.ask("b", at=1)
    put_in_place(copy, path)
    assert living.outline().events == 3


def test_a_log_left_over_from_the_old_file_is_not_taken_for_the_new_files(
    living: Campaign, path: Path
) -> None:
    copy = backed_up(path)
    living.ask("b", at=1)
    subprocess.run(["mv", copy, path], check=True)
    for _ in range(2):
        with pytest.raises(StoreError, match=r"was replaced, but the files -wal and -shm"):
            living.ask("a", at=2)
    without_log(path)
    assert living.ask("a", at=2).pull
    assert in_the_file(path) == ["create", "ask", "tell", "ask"]


def test_a_file_that_is_gone_is_told_and_none_is_made(living: Campaign, path: Path) -> None:
    away = path.with_name("away.db")
    copy = backed_up(path)
    path.rename(away)
    for step in (living.outline, lambda: living.ask("b", at=1)):
        with pytest.raises(StoreError, match="the file is no longer there; put it back"):
            step()
    assert not path.exists()
    without_log(path)
    copy.rename(path)
    living.ask("b", at=1)
    assert in_the_file(path) == ["create", "ask", "tell", "ask"]


def test_nothing_is_answered_for_that_went_into_the_old_file(living: Campaign, path: Path) -> None:
    copy = backed_up(path)

    def write() -> None:
        with living.store.writing() as tx:
            tx.create("new", "")
            put_in_place(copy, path)

    with pytest.raises(StoreError, match="was replaced while this was written: try again"):
        write()
    with living.store.reading() as tx:
        assert tx.names() == ["c"]


def test_who_still_reads_the_old_file_does_no_harm_to_the_new_one(
    living: Campaign, path: Path
) -> None:
    copy = backed_up(path)
    with living.store.reading() as old:
        before = old.names()
        put_in_place(copy, path)
        living.ask("b", at=1)
        assert old.names() == before
    # Its connection was the last one to the old file: SQLite removes such a file's log, by name.
    living.ask("a", at=2)
    assert in_the_file(path) == ["create", "ask", "tell", "ask", "ask"]


def test_a_file_of_an_older_version_is_brought_up_to_date(living: Campaign, path: Path) -> None:
    copy = path.with_name("copy.db")
    shutil.copy(GOLDEN / "store-0001.db", copy)
    put_in_place(copy, path)
    with living.store.reading() as tx:
        assert "water" in tx.names()
    with closing(sqlite3.connect(path)) as file:
        assert file.execute(f"SELECT version_num FROM {VERSION_TABLE}").fetchone() == (HEAD,)


def test_a_file_of_another_program_is_refused_until_it_is_put_right(
    living: Campaign, path: Path
) -> None:
    copy, other = backed_up(path), path.with_name("other.db")
    with closing(sqlite3.connect(other)) as file:
        file.execute("CREATE TABLE customers (name TEXT)")
    put_in_place(other, path)
    for _ in range(2):
        with pytest.raises(StoreError, match="is not a store of spnb: it holds customers"):
            living.ask("b", at=1)
    copy.rename(path)
    assert living.ask("b", at=1).pull
