"""Replicas killed while many clients ask and tell: nothing acknowledged is lost or doubled."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from service.conftest import free_port
from spnb.base.errors import StoreError
from spnb.client import AsyncClient, Client
from spnb.client.asynchronous import AsyncRemoteCampaign
from spnb.live.campaign import Campaign
from spnb.live.store import Store

SOAK = os.environ.get("SPNB_SOAK") == "1"
SECONDS, CLIENTS = (60, 64) if SOAK else (8, 12)
ARMS = ["a", "b", "c"]


class Replica:
    """A process of the service that is killed and started again, on the same port."""

    def __init__(self, store: str, log: Path, workers: int = 1) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self._words = ["serve", "--store", store, "--port", str(port), "--workers", str(workers)]
        self._log = log
        self.start()

    def start(self) -> None:
        with self._log.open("a") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "spnb", *self._words], stdout=log, stderr=log
            )

    def wait(self) -> None:
        for _ in range(30):
            try:
                with Client(self.url) as client:
                    list(client.campaigns())
                    return
            except StoreError:
                continue
        raise AssertionError("the service does not start")

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def stop(self) -> int:
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=30)


async def found(client: AsyncClient, name: str) -> AsyncRemoteCampaign:
    while True:
        try:
            return await client.campaign(name)
        except StoreError:
            await asyncio.sleep(0.2)  # it was killed before it could be asked


async def one(url: str, name: str, until: float, told: Counter[tuple[str, int, str]]) -> None:
    """Ask and tell until the time is over; what was acknowledged is noted."""
    async with AsyncClient(url) as client:
        campaign = await found(client, name)
        round_ = 1
        while time.monotonic() < until:
            for arm in ARMS:
                try:
                    decision = await campaign.ask(arm, round_)
                    assert (await campaign.tell(decision, reward=1)).reward == 1
                    told[name, round_, arm] += 1
                except StoreError:
                    await asyncio.sleep(0.2)  # it is away for longer than a client waits
            round_ += 1


async def season(replicas: list[Replica], names: list[str]) -> Counter[tuple[str, int, str]]:
    until, told = time.monotonic() + SECONDS, Counter[tuple[str, int, str]]()

    async def murder() -> None:
        turn = 0
        while time.monotonic() < until - 2:
            await asyncio.sleep(1.5)
            victim = replicas[turn % len(replicas)]
            await asyncio.to_thread(victim.kill)
            victim.start()
            await asyncio.to_thread(victim.wait)  # both serve for a while before the next one
            turn += 1
            await asyncio.sleep(1.0)

    work = [one(replicas[n % len(replicas)].url, each, until, told) for n, each in enumerate(names)]
    await asyncio.gather(murder(), *work)
    return told


def test_what_was_acknowledged_is_there_once(shared_url: str, tmp_path: Path) -> None:
    names = [f"c{n}" for n in range(CLIENTS)]
    with Store(shared_url) as store:
        for name in names:
            Campaign.create(store, name, arms=ARMS, agent="Uniform+", seed=1)
        replicas = [Replica(shared_url, tmp_path / f"{n}.log") for n in (1, 2)]
        try:
            for replica in replicas:
                replica.wait()
            told = asyncio.run(season(replicas, names))
            for replica in replicas:
                replica.wait()
            assert [replica.stop() for replica in replicas] == [0, 0]
        finally:
            for replica in replicas:
                replica.kill()
        assert sum(told.values()) > CLIENTS
        for name in names:
            campaign = Campaign.open(store, name)
            assert campaign.verify().problem is None
            assert _acknowledged(campaign) >= {key[1:] for key in told if key[0] == name}


def _acknowledged(campaign: Campaign) -> set[Any]:
    """The offers that have a reward, each once."""
    events = list(campaign.events())
    asked = Counter((event.round, event.arm) for event in events if event.kind == "ask")
    told = Counter((event.round, event.arm) for event in events if event.kind == "tell")
    assert set(asked.values()) | set(told.values()) <= {1}
    return set(told)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_stop_is_graceful(shared_url: str, tmp_path: Path, workers: int) -> None:
    with Store(shared_url) as store:
        Campaign.create(store, "c", arms=ARMS, agent="Uniform+", seed=1)
    replica = Replica(shared_url, tmp_path / "log", workers)
    try:
        replica.wait()
        with Client(replica.url) as client:
            assert client.campaign("c").ask("a", 1).pull
        assert replica.stop() == 0
    finally:
        replica.kill()
    said = (tmp_path / "log").read_text()
    assert "spnb serves at" in said
    assert "Traceback" not in said
