"""What else a user pays: waiting for one worker instead of two, memory, and the first time."""

from dataclasses import asdict, dataclass
from typing import Any

from benchmarks import child, starts, subject
from benchmarks.starts import Starts
from benchmarks.timing import Effort, means_of

RUNS = 1000
MANY_ARMS = 10_000
FEW_ROUNDS = 10
IMPORTS = 5


@dataclass(frozen=True)
class Workers:
    """Seconds on the wall clock for the same job."""

    runs: int
    one: float
    two: float

    @property
    def gain(self) -> float:
        return self.one / self.two


@dataclass(frozen=True)
class Costs:
    workers: Workers
    many_arms: dict[str, Any]  # few runs of 10,000 arms, to the end
    many_cells: dict[str, Any]  # 1000 runs of them, as long as we care to look
    many_challenges: dict[str, Any]  # 1000 runs of Challenge with them, to the end
    long_run: dict[str, Any]
    shorter_run: dict[str, Any]  # a tenth of the rounds of the long one
    starts: Starts
    import_spnb: float  # seconds
    import_numpy: float
    heavy: list[str]  # what `import spnb` should not have brought along

    @property
    def growth(self) -> float:
        """How much more memory ten times the rounds take."""
        return float(self.long_run["mib"] / self.shorter_run["mib"])

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"workers_gain": self.workers.gain, "memory_growth": self.growth}


def measure(effort: Effort) -> Costs:
    """Everything but the time per pull."""
    numpy = [child.ask("import", "numpy") for _ in range(IMPORTS)]
    own = [child.ask("import", "spnb") for _ in range(IMPORTS)]
    rounds = effort.long_rounds
    return Costs(
        workers=_workers(effort),
        many_arms=child.ask("memory", "Seq(UCB1)", MANY_ARMS, 2, 2, 0),
        many_cells=child.ask("memory", "Seq(TS)", MANY_ARMS, 2, RUNS, effort.look_seconds),
        many_challenges=child.ask("memory", "Challenge", MANY_ARMS, FEW_ROUNDS, RUNS, 0),
        long_run=child.ask("memory", "Seq(UCB1)", 10, rounds, 10, 0),
        shorter_run=child.ask("memory", "Seq(UCB1)", 10, rounds // 10, 10, 0),
        starts=starts.measure(effort.starts),
        import_spnb=min(answer["seconds"] for answer in own),
        import_numpy=min(answer["seconds"] for answer in numpy),
        heavy=own[0]["heavy"],
    )


def _workers(effort: Effort) -> Workers:
    """One worker and two in turns, on a job sized to take one of them long enough."""
    means, rounds = means_of(25), 1000
    subject.warm_up("Seq(TS)", means)
    sample = subject.seconds("Seq(TS)", means, rounds, RUNS, workers=1)
    runs = RUNS * max(2, round(effort.job_seconds / sample))
    times: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(2):
        for workers, spent in times.items():
            spent.append(subject.seconds("Seq(TS)", means, rounds, runs, workers))
    return Workers(runs, one=min(times[1]), two=min(times[2]))
