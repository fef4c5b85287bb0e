"""What a fleet costs: ``python -m benchmarks.fleet [--campaigns 1000000] [--rounds 20]``.

An offer to all campaigns beside passes of ``np.log`` over as many numbers, both in CPU time on one
core, measured in turns; and the memory of the whole process.
"""

import argparse
from dataclasses import dataclass
from time import process_time

import numpy as np
from rich.console import Console

from benchmarks.child import peak_mib
from benchmarks.run import target_table
from benchmarks.targets import Target
from benchmarks.timing import means_of
from spnb.live.fleet import Fleet

ARMS, AGENT = 24, "Challenge"
PASSES, GIGABYTES = 10.0, 2.0


@dataclass(frozen=True)
class Times:
    """CPU seconds."""

    offers: list[float]  # the least of each arm's, rounds after the first
    early: float  # the median of the first two rounds, in which most arms are pulled
    worst: float  # the dearest single offer of all, whatever disturbed it
    pull: float  # to learn a reward, on average
    next_round: float
    late: float  # an offer while the rewards of the ones before are still to come, on average
    round: float  # all of a round, on average
    log: float  # a pass of np.log


def main() -> int:
    """Measure and print; the exit code says nothing of the targets."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fleet")
    parser.add_argument("--campaigns", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    measure(300, 2)  # what has to be compiled is, and loaded
    times, fleet = measure(options.campaigns, options.rounds)
    gigabytes = peak_mib() * 2**20 / 1e9
    many = f"{options.campaigns:,} campaigns of {ARMS} arms, {AGENT}"
    targets = [
        Target(f"{many}: the dearest offer / np.log", "at most", PASSES,
               max(times.offers) / times.log),
        Target("  an offer in the first two rounds, where most arms are pulled", "at most",
               PASSES, times.early / times.log),
        Target("  peak memory of the process", "at most", GIGABYTES, gigabytes, " GB"),
    ]  # fmt: skip
    console = Console()
    console.print(target_table(targets))
    for what, seconds in (
        ("np.log", times.log), ("an offer, on average", float(np.mean(times.offers))),
        ("the dearest single offer of all rounds", times.worst),
        ("an offer while rewards are late", times.late), ("a new round", times.next_round),
        ("a whole round, rewards included", times.round),
    ):  # fmt: skip
        console.print(f"{what}: {1e3 * seconds:.1f} ms, {seconds / times.log:.0f} passes of np.log")
    console.print(
        f"a reward: {1e9 * times.pull:.0f} ns; memory of the fleet: {fleet.nbytes / 1e9:.2f} GB, "
        f"{fleet.bytes_per_arm:.1f} bytes for each campaign and arm"
    )
    return 0


def measure(campaigns: int, rounds: int) -> tuple[Times, Fleet]:
    """Live through some rounds; a campaign's means are those of the next, moved by an arm."""
    luck, numbers = np.random.default_rng(1), np.random.default_rng(2).random(campaigns) + 0.1
    means, log = np.array(means_of(ARMS)), float("inf")
    offers, pulls = np.full((rounds, ARMS), np.inf), 0
    learning, turning = np.zeros(rounds), np.zeros(rounds)
    fleet = Fleet(AGENT, ARMS, campaigns, seed=1)
    for round_ in range(rounds):
        for arm in range(ARMS):
            start = process_time()
            np.log(numbers)
            log, start = min(log, process_time() - start), process_time()
            ids = fleet.wants(arm)
            offers[round_, arm] = process_time() - start
            rewards = (luck.random(len(ids)) < means[(ids + arm) % ARMS]).astype(float)
            pulls, start = pulls + len(ids), process_time()
            fleet.observe(ids, rewards)
            learning[round_] += process_time() - start
        start = process_time()
        fleet.next_round()
        turning[round_] = process_time() - start
    start = process_time()
    for arm in range(ARMS):
        fleet.wants(arm)
    late = (process_time() - start) / ARMS
    whole = offers.sum(axis=1) + learning + turning
    later = offers[1:].min(axis=0)
    return Times(
        later.tolist(), float(np.median(offers[:2])), float(offers.max()),
        float(learning.sum() / pulls),
        float(np.median(turning)), late, float(np.median(whole)), log,
    ), fleet  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
