"""This checkout of spnb beside another: ``python -m benchmarks.versions --other PATH``.

A process of each version stands ready; every piece of work is done by one and then by the other,
several times over, and the least CPU time per pull of each counts. What is compiled is compiled
before.
"""

import argparse
import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.child import ROOT
from benchmarks.run import machine, target_table
from benchmarks.targets import Target
from benchmarks.timing import in_turns

CHILD = Path(__file__).with_name("version_child.py")
NOT_SLOWER = 1 / 1.1
ARMS = (10, 25)
AGENTS: dict[str, float] = {
    **dict.fromkeys(
        ("Seq(UCB1)", "UCB1", "Seq(TS)", "TS", "Seq(bUCB)", "bUCB", "Seq(UCBE(c=2))", "Challenge",
         "Challenge(KLUCB)", "Challenge(IMED)"),
        NOT_SLOWER,
    ),
    **dict.fromkeys(
        ("Seq(MOSS)", "Seq(KLUCB)", "Seq(KLUCB+)", "Seq(IMED)", "Seq(UCBE(c=2, adaptive))",
         "Challenge(TS)"),
        2.5,
    ),
    **dict.fromkeys(
        ("Seq(SR)", "SR+", "UCBrev+", "SH+", "Pack(UCBE(c=2))", "Challenge(bUCB)",
         "Challenge(best=2)"),
        4.0,
    ),
}  # fmt: skip
WORLDS = {"GaussianRewards": 2.5, "BetaRewards": 4.0, "Recorded": 4.0, "Recorded worlds": 4.0}
LIVE = (
    "Seq(UCB1)", "Seq(TS)", "Seq(bUCB)", "Challenge", "Seq(KLUCB)", "Pack(UCBE(c=2, adaptive))",
)  # fmt: skip
# Once more after both versions have pulled every arm once, and per offer: the versions may start in
# different ways, one with a thousand cheap pulls, the other with a few dear ones.
LIVE_AGAIN = ("Seq(TS)", "Seq(bUCB)")
LIVE_ARMS = {10: 3.0, 50: 3.0, 1000: 1.0}
LIVENESS = ("live", "live, swept", "live, per offer")
WIDTH = 110
WARM = 1_000_000  # offers, about: enough for the compiler to be called


@dataclass(frozen=True)
class Effort:
    rounds: int
    runs: int
    live_offers: int  # asked for in one turn
    turns: int
    patience: float  # seconds for one piece of work; two turns are made in any case


FULL = Effort(rounds=1000, runs=1000, live_offers=30_000, turns=5, patience=6.0)
QUICK = Effort(rounds=300, runs=300, live_offers=6_000, turns=2, patience=2.0)


@dataclass(frozen=True)
class Work:
    """Something to be done by both, and how many times as fast this version is to be."""

    agent: str
    arms: int
    world: str  # or LIVENESS
    least: float

    @property
    def claim(self) -> str:
        where = self.world if self.world in LIVENESS else "simulated"
        world = f" in {self.world}" if self.world not in (*LIVENESS, "Bernoulli") else ""
        return f"{where} {self.agent}{world}, {self.arms:,} arms: other / this"

    def task(self, effort: Effort) -> dict[str, Any]:
        """What the child is told."""
        told = {"agent": self.agent, "arms": self.arms}
        if self.world in LIVENESS:
            rounds = max(effort.live_offers // self.arms, 3)
            return told | {"what": "live", "rounds": rounds, "how": self.world}
        size = {"rounds": effort.rounds, "runs": effort.runs}
        return told | {"what": "simulate", "world": self.world} | size

    def warm_up(self, effort: Effort) -> dict[str, Any]:
        """As small as may be, but what has to be compiled is."""
        task = self.task(effort)
        if self.world in LIVENESS:
            return task | {"rounds": 2}
        return task | {"rounds": math.ceil(WARM / effort.runs / self.arms)}


@dataclass(frozen=True)
class Pair:
    """CPU microseconds per pull of both versions."""

    work: Work
    other: float
    this: float

    @property
    def target(self) -> Target:
        return Target(self.work.claim, "at least", self.work.least, self.other / self.this)

    def to_dict(self) -> dict[str, Any]:
        figures = {"other_us": self.other, "this_us": self.this}
        return asdict(self.work) | figures | self.target.to_dict()


def works() -> Iterator[Work]:
    """All there is to do."""
    for arms in ARMS:
        for agent, least in AGENTS.items():
            yield Work(agent, arms, "Bernoulli", least)
        for world, least in WORLDS.items():
            for agent in ("Seq(UCB1)", "Seq(TS)"):
                yield Work(agent, arms, world, least)
    for arms, least in LIVE_ARMS.items():
        for agent in LIVE:
            yield Work(agent, arms, "live", least)
        for agent in LIVE_AGAIN:
            for how in LIVENESS[1:]:
                yield Work(agent, arms, how, least)


class Version:
    """A process that runs the spnb of one checkout."""

    def __init__(self, checkout: Path) -> None:
        source = checkout.resolve() / "src"
        environment = {**os.environ, "PYTHONPATH": str(source)}
        self.process = subprocess.Popen(
            [sys.executable, str(CHILD)], env=environment, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        found = self._answer()
        if not Path(found).is_relative_to(source):
            self.close()
            raise SystemExit(f"benchmarks: there is no spnb in {source}, {found} was imported")

    def do(self, task: dict[str, Any]) -> float:
        """Microseconds per pull of one task."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(task) + "\n")
        self.process.stdin.flush()
        return float(self._answer())

    def _answer(self) -> Any:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("benchmarks: the child process ended, see above")
        return json.loads(line)

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def measure(other: Version, this: Version, effort: Effort, chosen: Sequence[Work]) -> list[Pair]:
    """Both versions, in turns."""
    pairs = []
    for work in track(chosen, "measuring", console=Console(stderr=True)):
        task, versions = work.task(effort), {"other": other, "this": this}
        for version in versions.values():
            version.do(work.warm_up(effort))
        measures = {name: partial(version.do, task) for name, version in versions.items()}
        pairs.append(Pair(work, **in_turns(measures, effort.turns, effort.patience)))
    return pairs


def main(argv: Sequence[str] | None = None) -> int:
    """Exit code 0 whether or not the targets are met: a busy machine is not an error."""
    options = _parser().parse_args(argv)
    effort = QUICK if options.quick else FULL
    chosen = [work for work in works() if options.only in work.claim]
    with ExitStack() as stack:
        other, this = Version(options.other), Version(ROOT)
        for version in (other, this):
            stack.callback(version.close)
        pairs = measure(other, this, effort, chosen)
    console = Console(width=max(Console().width, WIDTH))  # for whole names, in a file as well
    console.print(pair_table(pairs))
    missed = [pair.target for pair in pairs if not pair.target.met]
    if missed:
        console.print(target_table(missed))
    console.print(f"{len(pairs) - len(missed)} of {len(pairs)} targets met")
    if options.json is not None:
        answer = machine() | {"quick": options.quick, "pairs": [pair.to_dict() for pair in pairs]}
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(answer, indent=2) + "\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.versions",
        description="Time per pull of this checkout of spnb beside another one.",
    )
    parser.add_argument("--other", type=Path, required=True, help="the root of another checkout")
    parser.add_argument("--quick", action="store_true", help="a rough look")
    parser.add_argument("--only", default="", metavar="TEXT", help="lines that contain this")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    return parser


def pair_table(pairs: Sequence[Pair]) -> Table:
    table = Table(title="CPU microseconds per pull, one core")
    table.add_column("what", no_wrap=True)
    table.add_column("agent", no_wrap=True)
    for head in ("arms", "other", "this", "times as fast", "at least"):
        table.add_column(head, justify="right")
    table.add_column("met")
    for pair in pairs:
        work = pair.work
        table.add_row(
            work.world, work.agent, f"{work.arms:,}", f"{pair.other:.3f}",
            f"{pair.this:.3f}", f"{pair.other / pair.this:.2f}", f"{work.least:.2f}",
            "yes" if pair.target.met else "[bold red]no[/]",
        )  # fmt: skip
    return table


if __name__ == "__main__":
    raise SystemExit(main())
