"""How regret grows in the long run, against the lower bound.

``python -m benchmarks.slopes [RUNS [AGENT ...]]``. The slope is that of mean regret against
ln(round) over the last decade of rounds, divided by the constant of the lower bound; 1 is the least
that an agent which is good everywhere can have in the end, and mu* + Delta_i in the place of
Delta_i is what one pull a round must pay. Beside it: regret after the last round over ln(rounds)
times the same constant.
"""

import sys

import numpy as np

import spnb
from spnb import theory
from spnb.simulation.intervals import Sample

PROBLEMS = ((0.5, 0.4, 0.3), (0.9, 0.8, 0.6), (0.3, 0.25, 0.2, 0.1))
AGENTS = ("Seq(TS)", "Challenge", "Seq(IMED)", "Seq(KLUCB)")
ROUNDS = 1_000_000


def long_run(means: tuple[float, ...], spec: str, runs: int, seed: int) -> tuple[Sample, Sample]:
    """Of each run: the slope over the last nine tenths of the rounds, and all that it lost."""
    early, late = (
        spnb.simulate(spnb.Bernoulli(means), spec, rounds=rounds, runs=runs, seed=seed, workers=1)
        .agents[spec]
        .regret
        for rounds in (ROUNDS // 10, ROUNDS)
    )
    constant = float(theory.lower_bound_constant(means))
    slope = Sample.of((late - early) / (np.log(10) * constant))
    return slope, Sample.of(late / (np.log(ROUNDS) * constant))


def told(found: Sample) -> str:
    low, high = found.interval()
    return f"{found.mean:6.2f} [{low:.2f}, {high:.2f}]"


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    for means in PROBLEMS:
        one = theory.one_pull_constant(means) / theory.lower_bound_constant(means)
        print(f"means {means}, {runs} runs, one pull a round at least {one:.1f}", flush=True)
        for spec in sys.argv[2:] or AGENTS:
            slope, level = long_run(means, spec, runs, seed=1)
            print(f"  {spec:12} slope {told(slope)}   regret {told(level)}", flush=True)


if __name__ == "__main__":
    main()
