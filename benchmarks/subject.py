"""spnb as the benchmarks see it: the public simulator, and how many pulls it made."""

from time import perf_counter, process_time

import spnb

SEED = 20
WARM = 1_000_000  # offers, about: enough for the compiler to be called


def total_pulls(spec: str, means: tuple[float, ...], rounds: int, runs: int, workers: int) -> int:
    """Simulate one agent through the public interface and count its pulls."""
    results = spnb.simulate(
        spnb.Bernoulli(means), [spec], rounds=rounds, runs=runs, seed=SEED, workers=workers
    )
    return int(results.agents[spec].pulls.sum())


def warm_up(spec: str, means: tuple[float, ...]) -> None:
    """As small a simulation as may be, but what has to be compiled is."""
    runs = 100
    total_pulls(spec, means, max(WARM // runs // len(means), 2), runs, workers=1)


def microseconds(spec: str, means: tuple[float, ...], rounds: int, runs: int) -> float:
    """CPU time per pull on one core, everything that ``simulate`` does included."""
    start = process_time()
    pulls = total_pulls(spec, means, rounds, runs, workers=1)
    return 1e6 * (process_time() - start) / pulls


def seconds(spec: str, means: tuple[float, ...], rounds: int, runs: int, workers: int) -> float:
    """Time on the wall clock: what several workers are meant to save."""
    start = perf_counter()
    total_pulls(spec, means, rounds, runs, workers)
    return perf_counter() - start
