"""What the benchmarks are to show, and whether they did."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from benchmarks.costs import Costs
from benchmarks.speed import BEYOND, SPNB, WITH_BEYOND, Row
from benchmarks.starts import Starts

Sense = Literal["at least", "at most"]
Table = dict[tuple[str, int], Row]

OVER_RIVALS = {"UCB1": 30.0, "TS": 12.0, "bUCB": 10.0}
BUCB_OVER_PYMAB = 15.0
OVER_LIMIT = {"UCB1": 8.0, "UCBE": 8.0, "TS": 4.0}
# Of Seq(TS)'s time per pull. Track and Stop solves for its shares now and then, and a Gaussian
# process moves all arms at once: both are dear.
MOST = 5.0
OVER_TS = {
    **dict.fromkeys(("UCBE(plugin)", "Pack", "T3C", "TTTS", "KLLUCB", *BEYOND), MOST),
    "TrackAndStop": 15.0, "GPUCB": 15.0, "GPTS": 15.0,
}  # fmt: skip
AIM = 3.0  # times the C loop: hoped for, not demanded
MEMORY_MIB = 1024.0
GROWTH = 1.25
IMPORT_SECONDS = 0.3
MINUTE = 60.0
COMPILE_SECONDS, LOAD_SECONDS, COMMAND_SECONDS = 6.0, 1.0, 2.0


@dataclass(frozen=True)
class Target:
    """One claim: ``measured`` is None where something it needs is not installed."""

    claim: str
    sense: Sense
    limit: float
    measured: float | None
    unit: str = "x"

    @property
    def met(self) -> bool | None:
        if self.measured is None:
            return None
        if self.sense == "at least":
            return self.measured >= self.limit
        return self.measured <= self.limit

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"met": self.met}


def check(rows: Sequence[Row], costs: Costs) -> list[Target]:
    """Every target beside what was measured."""
    table = {(row.policy, row.size.arms): row for row in rows}
    return [
        *_against_rivals(table),
        *_against_limit(table),
        *_among_agents(table),
        *_costs(costs),
    ]


def _against_rivals(table: Table) -> list[Target]:
    bucb = table["bUCB", 10].us
    pymab = bucb["pymab"] / bucb[SPNB] if "pymab" in bucb else None
    return [
        Target("bUCB, 10 arms: pymab / spnb", "at least", BUCB_OVER_PYMAB, pymab),
        *_over_rivals(table),
    ]


def _over_rivals(table: Table) -> list[Target]:
    return [
        Target(
            f"{policy}, {arms} arms: fastest rival / spnb",
            "at least", least, table[policy, arms].over_rivals,
        )
        for policy, least in OVER_RIVALS.items()
        for arms in (10, 25)
    ]  # fmt: skip


def _against_limit(table: Table) -> list[Target]:
    return [
        Target(
            f"{policy}, {arms} arms: spnb / C (aim {AIM:g})",
            "at most", most, table[policy, arms].over_limit,
        )
        for policy, most in OVER_LIMIT.items()
        for arms in (10, 20)
    ]  # fmt: skip


def _among_agents(table: Table) -> list[Target]:
    def ratio(policy: str, arms: int) -> float:
        return table[policy, arms].us[SPNB] / table["TS", arms].us[SPNB]

    challenge = [
        Target(f"Challenge / Seq(TS), {arms} arms", "at most", 2.0, ratio("Challenge", arms))
        for arms in (10, 25, 50)
    ]
    newer = [
        Target(f"{policy} / Seq(TS), {arms} arms", "at most", most, ratio(policy, arms))
        for policy, most in OVER_TS.items()
        for arms in WITH_BEYOND
    ]
    bucb = Target("bUCB / TS, 25 arms", "at most", 6.0, ratio("bUCB", 25))
    return [bucb, *challenge, *newer]


def _costs(costs: Costs) -> list[Target]:
    long, shorter = costs.long_run["rounds"], costs.shorter_run["rounds"]
    return [
        Target("one worker / two workers", "at least", 1.7, costs.workers.gain),
        _memory("10,000 arms, 2 runs", costs.many_arms),
        _memory("10,000 arms, 1,000 runs", costs.many_cells),
        _memory(f"{long:,} rounds", costs.long_run),
        Target(f"peak, {long:,} / {shorter:,} rounds", "at most", GROWTH, costs.growth),
        _memory("10,000 arms, 1,000 runs of Challenge", costs.many_challenges),
        Target("Challenge, 10,000 arms, 1,000 runs, CPU", "at most", MINUTE,
               costs.many_challenges["cpu"], " s"),
        *_starts(costs.starts),
        Target("import spnb", "at most", IMPORT_SECONDS, costs.import_spnb, " s"),
        Target("heavy modules import spnb brings", "at most", 0.0, float(len(costs.heavy)), ""),
    ]  # fmt: skip


def _starts(starts: Starts) -> list[Target]:
    found = []
    for spec in starts.cold:
        kept = starts.kept[spec]
        found += [
            Target(f"{spec}: compiled, CPU", "at most", COMPILE_SECONDS, starts.cold[spec], " s"),
            Target(f"{spec}: code read from disk, CPU", "at most", LOAD_SECONDS, kept, " s"),
        ]
    with_compiler = [
        "numba" in loads for loads in (starts.command_loads, *starts.live_loads.values())
    ]
    with_scipy = [
        "scipy" in loads for spec, loads in starts.live_loads.items() if "bUCB" not in spec
    ]
    return [
        *found,
        Target("first small spnb simulate", "at most", COMMAND_SECONDS, starts.command, " s"),
        Target("small starts that load Numba", "at most", 0.0, float(sum(with_compiler)), ""),
        Target("first live answers that load SciPy (not bUCB)", "at most", 0.0,
               float(sum(with_scipy)), ""),
    ]  # fmt: skip


def _memory(what: str, answer: dict[str, Any]) -> Target:
    return Target(f"peak, {what}", "at most", MEMORY_MIB, answer["mib"], " MiB")
