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
from itertools import cycle
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.progress import track

from benchmarks.run import target_table
from benchmarks.targets import Target
from spnb.live.campaign import Campaign
from spnb.live.campaign.checkpoints import keep
from spnb.live.campaign.course import Course
from spnb.live.campaign.learning import LASTING
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

        def asker(campaign: Campaign, fresh: bool, tell: bool = False) -> Callable[[], None]:
            def ask() -> None:
                arm, round_ = next(turns[campaign.name])
                # A process of its own has no campaign in memory: it reads the snapshot.
                asked = Campaign.open(store, campaign.name) if fresh else campaign
                decision = asked.ask(arm, at=round_)
                if tell and decision.pull:
                    asked.tell(decision, reward=1)

            return ask

        ratios = {}
        for fresh in (False, True):
            long, short = in_turns(asker(old, fresh), asker(new, fresh), 400)
            ratios["opened anew" if fresh else "kept open"] = long / short
        extra = corrections(old, asker(old, fresh=False, tell=True))
        start = perf_counter()
        verdict = old.verify()
        rate = verdict.events / (perf_counter() - start)
        assert verdict.ok, verdict.problem
    targets = [
        Target(f"ask, {size:,} events / new campaign, {how}", "at most", 1.2, ratio)
        for how, ratio in ratios.items()
    ]
    return [
        *targets,
        *extra,
        Target(f"verify, {size:,} events", "at least", 10_000, rate, " events/s"),
    ]


def fill(store: Store, campaign: Campaign, size: int) -> int:
    """Write a long log as a campaign would have, but in one transaction; the last round."""
    pending: dict[int, Pending] = {}
    with store.writing() as tx:
        who = tx.find(campaign.name)
        assert who is not None
        course = Course.new(campaign.config, who.salt)
        course.apply(tx.events(who.number)[0])

        def done(*what: Any) -> Event:
            event = Event(course.version + 1, 0, *what).sealed(course.hash)
            course.apply(event)
            return event

        def lived() -> Iterator[Event]:
            for number in track(range(size // 13), "living", console=Console(stderr=True)):
                for place, arm in enumerate(ARMS):
                    course.enter(number + 1)
                    pull = course.wants(place)
                    note = '{"reason": "it was so"}'
                    ask = done("ask", None, number + 1, arm, pull, None, note)
                    yield ask
                    if pull:
                        pending[ask.seq] = Pending(ask.seq, number + 1, arm, 0)
                        reward = float((number * 7 + place) % (3 + place) == 0)
                        yield done("tell", ask.seq, number + 1, arm, None, reward)
                        del pending[ask.seq]
                if course.version % LASTING < 2 * len(ARMS):  # about as often as by itself
                    keep(tx, who.number, course.checkpoint(), lasting=True)

        tx.append(who.number, lived())
        tx.await_reward(who.number, pending.values())
        tx.replace_snapshot(who.number, course.version, course.hash, course.to_json(), expected=1)
    return course.round


def corrections(campaign: Campaign, ask: Callable[[], None]) -> list[Target]:
    """The ask after a correction, of a recent reward and of the oldest, beside an ordinary one."""
    for pull in campaign.pending():
        campaign.tell(pull.decision, reward=1)
    pulls = [event.seq for event in campaign.store.history(2, until=100) if event.pull]
    wrong = cycle([0.25, 0.75])

    def correct_recent() -> None:
        last = next(
            event.decision
            for event in reversed(list(campaign.events(campaign.outline().events - 200)))
            if event.kind == "tell" and event.decision is not None
        )
        campaign.correct(last, reward=next(wrong))

    after = []
    for _ in range(100):
        correct_recent()
        start = perf_counter()
        ask()
        after.append(perf_counter() - start)
    plain, _ = in_turns(ask, lambda: None, 200)
    campaign.correct(pulls[0], reward=0.5)
    start = perf_counter()
    campaign.recommend()
    oldest = perf_counter() - start
    start = perf_counter()
    campaign.recommend()
    again = perf_counter() - start
    return [
        Target("ask after a recent correction / ask", "at most", 5, median(after) / plain),
        Target("recommend after a correction of the oldest reward", "at most", 60, oldest, " s"),
        Target("the same once more", "at most", 0.1, again, " s"),
    ]


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
