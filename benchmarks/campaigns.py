"""What a live campaign costs: ``python -m benchmarks.campaigns [--events 1000000] [FOLDER]``.

Everything is a ratio of two things measured in turns on the same disk: asks and tells against
bare durable commits, a one-shot command against its imports, a long campaign against a new one.
"""

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.progress import track

from benchmarks.run import target_table
from benchmarks.targets import Target
from spnb.live.campaign import Campaign
from spnb.live.campaign.course import Course
from spnb.live.store import Event, Pending, Store

ARMS = [f"{hour:02d}:00" for hour in range(0, 24, 2)]
AGENT = "Seq(TS)"


def main() -> int:
    """Measure and print; the exit code says nothing of the targets: disks differ."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.campaigns")
    parser.add_argument(
        "folder", nargs="?", help="where the stores are made, on the disk in question"
    )
    parser.add_argument("--events", type=int, default=1_000_000, help="of the long campaign")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        targets = [
            *commits(Path(folder)),
            one_shot(Path(folder)),
            *long_campaign(Path(folder), options.events),
        ]
    Console().print(target_table(targets))
    return 0


def commits(folder: Path, pairs: int = 400) -> list[Target]:
    """Ask and tell beside two bare commits of a small row, with the same settings."""
    bare = sqlite3.connect(folder / "bare.db", isolation_level=None)
    bare.execute("PRAGMA journal_mode = WAL")
    bare.execute("PRAGMA synchronous = FULL")
    bare.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")

    def commit() -> None:
        for _ in range(2):
            bare.execute("BEGIN IMMEDIATE")
            bare.execute("INSERT INTO t (b) VALUES (?)", ("x" * 100,))
            bare.execute("COMMIT")

    campaign = Campaign.create(f"sqlite:///{folder}/c.db", "c", arms=ARMS, agent="Uniform+", seed=1)
    offers = ((arm, round_) for round_ in range(1, 10_000) for arm in ARMS)

    def ask_and_tell() -> None:
        arm, round_ = next(offers)
        campaign.tell(campaign.ask(arm, at=round_), reward=1)

    ours, theirs = in_turns(ask_and_tell, commit, pairs)
    return [
        Target("SQLite: rate of ask + tell / rate of two bare commits", "at least", 0.5,
               theirs / ours),
    ]  # fmt: skip


def one_shot(folder: Path, times: int = 7) -> Target:
    """``spnb ask`` in a new process beside the imports it cannot do without."""
    url = f"sqlite:///{folder}/shot.db"
    Campaign.create(url, "c", arms=ARMS, agent=AGENT, seed=1).store.close()
    environment = {**os.environ, "SPNB_STORE": url}
    command = [sys.executable, "-c", "from spnb.cli import main; main()"]
    offers = ((arm, round_) for round_ in range(1, 100) for arm in ARMS)

    def ask() -> None:
        arm, round_ = next(offers)
        words = ["ask", "c", "--arm", arm, "--round", str(round_)]
        subprocess.run([*command, *words], env=environment, stdout=subprocess.DEVNULL, check=False)

    def imports() -> None:
        subprocess.run([sys.executable, "-c", "import numpy, sqlalchemy"], check=True)

    ours, theirs = in_turns(ask, imports, times)
    return Target("one-shot spnb ask / import numpy, sqlalchemy", "at most", 3.0, ours / theirs)


def long_campaign(folder: Path, size: int) -> list[Target]:
    """A campaign of many events beside a new one, in the same store."""
    with Store(f"sqlite:///{folder}/long.db") as store:
        new = Campaign.create(store, "new", arms=ARMS, agent=AGENT, seed=1)
        old = Campaign.create(store, "old", arms=ARMS, agent=AGENT, seed=1)
        rounds = fill(store, old, size)
        turns = {
            name: ((arm, round_) for round_ in range(first, first + 1000) for arm in ARMS)
            for name, first in (("new", 1), ("old", rounds + 1))
        }

        def asker(campaign: Campaign, fresh: bool) -> Callable[[], None]:
            def ask() -> None:
                arm, round_ = next(turns[campaign.name])
                # A process of its own has no campaign in memory: it reads the snapshot.
                asked = Campaign.open(store, campaign.name) if fresh else campaign
                asked.ask(arm, at=round_)

            return ask

        ratios = {}
        for fresh in (False, True):
            long, short = in_turns(asker(old, fresh), asker(new, fresh), 400)
            ratios["opened anew" if fresh else "kept open"] = long / short
        start = perf_counter()
        verdict = old.verify()
        rate = verdict.events / (perf_counter() - start)
        assert verdict.ok, verdict.problem
    targets = [
        Target(f"ask, {size:,} events / new campaign, {how}", "at most", 1.2, ratio)
        for how, ratio in ratios.items()
    ]
    return [*targets, Target(f"verify, {size:,} events", "at least", 10_000, rate, " events/s")]


def fill(store: Store, campaign: Campaign, size: int) -> int:
    """Write a long log as a campaign would have, but in one transaction; the last round."""
    course = Course.new(campaign.config)
    pending: dict[int, Pending] = {}
    course.apply(next(iter(campaign.events())))

    def lived() -> Iterator[Event]:
        for number in track(range(size // 13), "living", console=Console(stderr=True)):
            for place, arm in enumerate(ARMS):
                course.enter(number + 1)
                pull = course.wants(place)
                ask = Event(course.version + 1, 0, "ask", None, number + 1, arm, pull, None,
                            '{"reason": "it was so"}')  # fmt: skip
                yield done(ask)
                if pull:
                    pending[ask.seq] = Pending(ask.seq, number + 1, arm, 0)
                    reward = float((number * 7 + place) % (3 + place) == 0)
                    tell = Event(course.version + 1, 0, "tell", ask.seq, number + 1, arm, None,
                                 reward)  # fmt: skip
                    yield done(tell)
                    del pending[ask.seq]

    def done(event: Event) -> Event:
        course.apply(event)
        return event

    with store.writing() as tx:
        number = tx.find(campaign.name)
        assert number is not None
        tx.append(number, lived())
        tx.await_reward(number, pending.values())
        tx.replace_snapshot(number, course.version, course.to_json(), expected=1)
    return course.round


def in_turns(
    first: Callable[[], None], second: Callable[[], None], times: int
) -> tuple[float, float]:
    """The median time of each; whatever disturbs the machine disturbs both."""
    taken: tuple[list[float], list[float]] = ([], [])
    first()  # once each to warm up
    second()
    for _ in range(times):
        for act, times_of in zip((first, second), taken, strict=True):
            start = perf_counter()
            act()
            times_of.append(perf_counter() - start)
    return median(taken[0]), median(taken[1])


if __name__ == "__main__":
    raise SystemExit(main())
