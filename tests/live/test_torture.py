"""Killed, hammered and cut off: nothing acknowledged is ever lost.

A short form always runs; SPNB_SOAK=1 makes it 300 kills and a minute of hammering.
"""

import json
import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from live.conftest import running_postgres
from spnb.base.errors import StoreError
from spnb.live.campaign import Campaign
from spnb.live.store import Store

SOAK = bool(os.environ.get("SPNB_SOAK"))
HERE = Path(__file__).parent


def torture(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, str(HERE / "torture.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    print(command[2], report, done.stderr)  # noqa: T201 - shown when it fails
    return report


def test_a_killed_process_loses_nothing(shared_url: str) -> None:
    report = torture("kill", shared_url, 300 if SOAK else 20, secrets.randbits(30))
    assert report["acknowledged"] > 0
    assert (report["missing"], report["twice"], report["verify"]) == ([], [], "ok")


@pytest.mark.parametrize("campaigns", [1, 8])
def test_processes_do_not_get_in_each_others_way(shared_url: str, campaigns: int) -> None:
    seconds = 60 if SOAK else 2
    report = torture("hammer", shared_url, 8, seconds, campaigns, secrets.randbits(30))
    assert report["acknowledged"] > 0
    assert report["failed"] == 0
    assert (report["missing"], report["twice"], report["verify"]) == ([], [], ["ok"])


def test_postgresql_is_restarted_in_the_middle() -> None:
    with running_postgres() as server, Store(server.url) as store:
        campaign = Campaign.create(store, "c", arms=["a", "b"], agent="Uniform+", seed=1)
        campaign.tell(campaign.ask("a"), reward=1)
        server.control("-m", "immediate", "stop")
        with pytest.raises(StoreError) as caught:
            campaign.ask("b")
        assert "\n" not in str(caught.value)
        server.control("start")
        decision = campaign.ask("b")
        server.control("-m", "immediate", "restart")
        campaign.tell(decision, reward=0)
        assert [event.kind for event in campaign.events()][1:] == ["ask", "tell"] * 2
        assert campaign.verify().ok


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte, for those who may mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounts a small disk: needs a user who may")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.soak
def test_a_disk_that_is_really_full_or_read_only(small_disk: Path) -> None:
    filler = small_disk / "filler"
    filler.write_bytes(b"x" * 400_000)
    campaign = Campaign.create(
        f"sqlite:///{small_disk}/s.db", "c", arms=["a"], agent="Uniform+", seed=1
    )
    told: list[int] = []

    def work_on() -> None:
        for round_ in range(1, 100_000):
            done = campaign.tell(campaign.ask("a", at=round_), reward=1)
            told.append(done.decision)

    with pytest.raises(StoreError, match="the disk is full"):
        work_on()
    filler.unlink()
    assert [event.decision for event in campaign.events() if event.kind == "tell"] == told
    assert campaign.verify().problem is None
    last = campaign.ask("a", at=campaign.outline().round + 1)
    campaign.store.close()
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(StoreError, match="read-only|cannot be opened"):
        Campaign.open(f"sqlite:///{small_disk}/s.db", "c").tell(last, reward=1)
    subprocess.run(["mount", "-o", "remount,rw", str(small_disk)], check=True)
    campaign = Campaign.open(f"sqlite:///{small_disk}/s.db", "c")
    assert campaign.tell(last, reward=1).new
    assert campaign.verify().problem is None
    campaign.store.close()


def test_a_store_is_made_once_however_many_come_at_once(shared_url: str) -> None:
    code = "import sys; from spnb.live.store import Store; Store(sys.argv[1]).close()"
    crowd = [
        subprocess.Popen([sys.executable, "-c", code, shared_url], stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    said = [process.communicate()[1].decode() for process in crowd]
    assert said == [""] * 4
    with Store(shared_url) as store, store.reading() as tx:
        assert tx.names() == []
