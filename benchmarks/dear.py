"""What the dearest policies cost beside Thompson sampling: ``python -m benchmarks.dear``.

A Gaussian process moves all arms with every reward, and Track and Stop solves for its shares: the
table tells microseconds of CPU per pull, by the number of arms, as docs/hours.md quotes them.
"""

from functools import partial

from benchmarks import subject
from benchmarks.timing import FULL, Measure, in_turns, means_of

AGENTS = (
    "Seq(TS)", "Seq(GPUCB)", "Challenge(GPUCB)", "Seq(GPTS)", "Challenge(GPTS)", "Seq(UTS)",
    "Seq(TrackAndStop)",
)  # fmt: skip
RUNS = {10: 400, 24: 100, 96: 10}


def main() -> None:
    measures: dict[tuple[str, int], Measure] = {}
    for arms, runs in RUNS.items():
        means = means_of(arms)
        for spec in AGENTS:
            subject.warm_up(spec, means)
            measures[spec, arms] = partial(subject.microseconds, spec, means, FULL.rounds, runs)
    found = in_turns(measures, FULL.repeats, FULL.patience)
    print("microseconds of CPU per pull (over Seq(TS))")
    print(f"{'':20}" + "".join(f"{f'K = {arms}':>16}" for arms in RUNS))
    for spec in AGENTS:
        cells = [f"{found[spec, a]:.2f} ({found[spec, a] / found['Seq(TS)', a]:.1f})" for a in RUNS]
        print(f"{spec:20}" + "".join(f"{cell:>16}" for cell in cells))


if __name__ == "__main__":
    main()
