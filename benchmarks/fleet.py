"""What a fleet costs: ``python -m benchmarks.fleet [--campaigns 1000000] [--rounds 20]``.

An offer to all campaigns beside passes of ``np.log`` over as many numbers, both in CPU time on one
core, measured in turns; and the memory of the whole process. Two ways to live: rewards come at
once, or all rewards of a round come after the next one has begun.
"""

import argparse
from time import process_time
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.child import peak_mib
from benchmarks.run import target_table
from benchmarks.targets import Target
from benchmarks.timing import means_of
from spnb.live.fleet import Fleet

ARMS, AGENT = 24, "Challenge"
PASSES, GIGABYTES = 10.0, 2.0


class Stopwatch:
    """CPU seconds of all calls, by what they were."""

    def __init__(self, campaigns: int) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.rewards: dict[str, int] = {}
        self._numbers = np.random.default_rng(2).random(campaigns) + 0.1

    def time(self, what: str, call: Any, *args: Any, **more: Any) -> Any:
        start = process_time()
        result = call(*args, **more)
        self.seconds.setdefault(what, []).append(process_time() - start)
        return result

    def offer(self, what: str, fleet: Fleet, arm: int) -> Any:
        self.time("log", np.log, self._numbers)
        return self.time(what, fleet.wants, arm)

    def passes(self, what: str) -> Any:
        """Each call of this kind in passes of np.log: the least that one of those took."""
        return np.array(self.seconds[what]) / min(self.seconds["log"])


def main() -> int:
    """Measure and print; the exit code says nothing of the targets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet")
    parser.add_argument("--campaigns", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    measure(300, 2)  # what has to be compiled is, and loaded
    watch, fleet = measure(options.campaigns, options.rounds)
    gigabytes = peak_mib() * 2**20 / 1e9
    many = f"{options.campaigns:,} campaigns of {ARMS} arms, {AGENT}"
    targets = [
        Target(f"{many}: an offer / np.log, mean", "at most", PASSES,
               float(watch.passes("offer").mean())),
        Target("  the same while rewards are late", "at most", PASSES,
               float(watch.passes("offer, late").mean())),
        Target("  peak memory of the process", "at most", GIGABYTES, gigabytes, " GB"),
    ]  # fmt: skip
    console = Console()
    console.print(target_table(targets))
    console.print(cost_table(watch))
    console.print(
        f"memory of the fleet: {fleet.nbytes / 1e9:.2f} GB, {fleet.bytes_per_arm:.1f} bytes for "
        f"each campaign and arm; a pass of np.log takes {1e3 * min(watch.seconds['log']):.2f} ms"
    )
    return 0


def cost_table(watch: Stopwatch) -> Table:
    """What every kind of call costs, in passes of np.log."""
    table = Table("call, for all campaigns", "median", "mean", "dearest", "a reward")
    for what in (each for each in watch.seconds if each != "log"):
        passes, rewards = watch.passes(what), watch.rewards.get(what, 0)
        each = f"{1e9 * sum(watch.seconds[what]) / rewards:.0f} ns" if rewards else ""
        table.add_row(what, *(f"{f(passes):.1f}" for f in (np.median, np.mean, np.max)), each)
    return table


def measure(campaigns: int, rounds: int) -> tuple[Stopwatch, Fleet]:
    """Live through some rounds of both kinds."""
    watch, fleet = Stopwatch(campaigns), Fleet(AGENT, ARMS, campaigns, seed=1)
    luck, means = np.random.default_rng(1), np.array(means_of(ARMS))

    def tell(what: str, ids: Any, arm: int) -> None:
        # A campaign's means are those of the next, moved by an arm.
        rewards = (luck.random(len(ids)) < means[(ids + arm) % ARMS]).astype(float)
        watch.rewards[what] = watch.rewards.get(what, 0) + len(ids)
        watch.time(what, fleet.observe, ids, rewards, arm=arm)

    for _ in range(rounds):
        for arm in range(ARMS):
            tell("observe", watch.offer("offer", fleet, arm), arm)
        watch.time("next_round", fleet.next_round)
    for _ in range(rounds):
        pulls = [watch.offer("offer, late", fleet, arm) for arm in range(ARMS)]
        watch.time("next_round, late", fleet.next_round)
        for arm, ids in enumerate(pulls):
            tell("observe, late", ids, arm)
    return watch, fleet


if __name__ == "__main__":
    raise SystemExit(main())
