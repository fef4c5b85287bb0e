"""Microseconds per pull of every policy at every number of arms, for everybody who has it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from time import process_time
from typing import Any

from benchmarks import limit as c
from benchmarks import subject
from benchmarks.rivals import RIVALS, Duel, present
from benchmarks.timing import Effort, Measure, in_turns, means_of

AGENTS = {
    "UCB1": "Seq(UCB1)",
    "TS": "Seq(TS)",
    "bUCB": "Seq(bUCB)",
    "KLUCB": "Seq(KLUCB)",
    "UCBE": "Seq(UCBE(c=2))",
    "Challenge": "Challenge",
    "UCBE(plugin)": "Seq(UCBE(c=2, plugin))",
    "Pack": "Pack",
    "T3C": "Seq(T3C)",
    "TTTS": "Seq(TTTS)",
    "KLLUCB": "Seq(KLLUCB)",
    "TrackAndStop": "Seq(TrackAndStop)",
}
# Measured at the numbers of arms that have targets; a Gaussian process has no business with 1000.
BEYOND = {
    "Stakes": "Stakes",
    "Stakes(horizon)": "Stakes(c=0.8, horizon)",
    "Worth": "Worth(cost=0.5)",
    "DTS": "Challenge(DTS(discount=0.995))",
    "SWTS": "Challenge(SWTS(window=200))",
    "DUCB": "Challenge(DUCB(discount=0.99))",
    "SWUCB": "Challenge(SWUCB(window=200))",
    "GLRKLUCB": "Challenge(GLRKLUCB)",
    "UTS": "Seq(UTS)",
    "GPUCB": "Seq(GPUCB)",
    "GPTS": "Seq(GPTS)",
    "Race": "Race",
    "LUCB": "Seq(LUCB)",
    "CR-A+": "CR-A+",
    "CR-C+": "CR-C+",
    "APT": "Seq(APT(level=0.5))",
    "Above": "Above(level=0.5)",
}
ARMS = (10, 20, 25, 50, 1000)
WITH_BEYOND = (10, 25)
MANY_ARMS = 100
SPNB, LIMIT = "spnb", "C"


@dataclass(frozen=True)
class Size:
    """The problem of one group of rows."""

    arms: int
    rounds: int
    runs: int

    @classmethod
    def of(cls, arms: int, effort: Effort) -> "Size":
        # With very many arms a few runs fill the vectors.
        return cls(arms, effort.rounds, runs=20 if arms > MANY_ARMS else 1000)


@dataclass(frozen=True)
class Row:
    """One policy on one problem: microseconds per pull of everybody measured."""

    policy: str
    size: Size
    us: dict[str, float]

    @property
    def rivals(self) -> dict[str, float]:
        return {name: us for name, us in self.us.items() if name in RIVALS}

    @property
    def over_rivals(self) -> float | None:
        """How many times spnb's time the fastest rival takes."""
        return min(self.rivals.values()) / self.us[SPNB] if self.rivals else None

    @property
    def over_limit(self) -> float | None:
        """How many times the C loop's time spnb takes."""
        return self.us[SPNB] / self.us[LIMIT] if LIMIT in self.us else None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {
            "fastest_rival_over_spnb": self.over_rivals,
            "spnb_over_c": self.over_limit,
        }


def measure(
    effort: Effort, limit: c.Limit | None, note: Callable[[str], None] = lambda text: None
) -> list[Row]:
    """All rows. Whatever has the same number of arms is measured in turns."""
    rows = []
    for arms in ARMS:
        note(f"{arms} arms")
        rows += _rows_of(Size.of(arms, effort), effort, limit)
    return rows


def _rows_of(size: Size, effort: Effort, limit: c.Limit | None) -> list[Row]:
    agents = AGENTS | (BEYOND if size.arms in WITH_BEYOND else {})
    measures: dict[tuple[str, str], Measure] = {}
    for policy, spec in agents.items():
        for who, task in _measures_of(policy, spec, size, effort, limit).items():
            measures[policy, who] = task
    least = in_turns(measures, effort.repeats, effort.patience)
    return [
        Row(policy, size, {who: us for (owner, who), us in least.items() if owner == policy})
        for policy in agents
    ]


def _measures_of(
    policy: str, spec: str, size: Size, effort: Effort, limit: c.Limit | None
) -> dict[str, Measure]:
    """spnb, the C loop and the rivals, side by side; rivals are warmed up here."""
    means = means_of(size.arms)
    subject.warm_up(spec, means)
    tasks: dict[str, Measure] = {
        SPNB: partial(subject.microseconds, spec, means, size.rounds, size.runs)
    }
    if limit is not None and policy in c.POLICIES:
        tasks[LIMIT] = partial(limit_microseconds, limit, policy, size)
    for name in present():
        if policy in RIVALS[name]:
            duel = Duel.start(RIVALS[name][policy], means)
            tasks[name] = partial(duel.microseconds, effort.rival_seconds / effort.repeats)
    return tasks


def limit_microseconds(limit: c.Limit, policy: str, size: Size) -> float:
    """CPU time per pull of the C loop."""
    means = means_of(size.arms)
    start = process_time()
    pulls = limit.pulls_of_arms(policy, means, size.rounds, size.runs, subject.SEED)
    return 1e6 * (process_time() - start) / sum(pulls)
