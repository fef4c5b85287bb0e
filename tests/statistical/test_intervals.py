"""Intervals cover what they should, of skewed values and few of them, too."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spnb.engine.arrays import FloatArray
from spnb.simulation.intervals import Sample

TRIALS = 3000
Draw = Callable[[np.random.Generator, tuple[int, int]], FloatArray]

# Name -> (draws, true mean, the largest share of misses on either side at 30 and at 300 values).
# Student's interval misses exponential values 6.4 % and log-normal ones 11 % of the time, from
# below, at 30 of them.
UNBOUNDED: dict[str, tuple[Draw, float, float, float]] = {
    "normal": (lambda luck, shape: luck.normal(size=shape), 0.0, 0.025, 0.025),
    "uniform": (lambda luck, shape: luck.random(shape), 0.5, 0.026, 0.025),
    "exponential": (lambda luck, shape: luck.exponential(size=shape), 1.0, 0.037, 0.027),
    "log-normal": (
        lambda luck, shape: luck.lognormal(0, 1, shape), float(np.exp(0.5)), 0.071, 0.041,
    ),
}  # fmt: skip


def misses(samples: FloatArray, mean: float, **ends: float) -> tuple[float, float]:
    """Shares of intervals that lie above and below the true mean."""
    found = np.array([Sample.of(row, **ends).interval() for row in samples])
    return float((found[:, 0] > mean).mean()), float((found[:, 1] < mean).mean())


def allowed(share: float) -> float:
    return share + 5 * float(np.sqrt(share * (1 - share) / TRIALS))


@pytest.mark.parametrize("name", UNBOUNDED)
@pytest.mark.parametrize("count", [30, 300])
def test_intervals_of_skewed_values_cover(name: str, count: int, seed: int) -> None:
    draw, mean, few, many = UNBOUNDED[name]
    luck = np.random.default_rng(seed)
    for side in misses(draw(luck, (TRIALS, count)), mean):
        assert side < allowed(few if count == 30 else many)


@pytest.mark.parametrize("share", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("count", [20, 100, 1000])
def test_rare_outcomes_that_a_sample_missed_are_not_taken_for_impossible(
    share: float, count: int, seed: int
) -> None:
    luck = np.random.default_rng(seed)
    values = (luck.random((TRIALS, count)) < share).astype(float)
    for side in misses(values, share, least=0.0, most=1.0):
        assert side < allowed(0.032)


def test_a_mean_decided_by_rare_large_values_is_covered(seed: int) -> None:
    """As for the water study: most runs differ little, a few by nearly the whole horizon."""
    luck = np.random.default_rng(seed)
    rare = luck.random((TRIALS, 80)) < 0.03
    values = np.where(rare, luck.uniform(200, 494, rare.shape), luck.normal(-10, 20, rare.shape))
    mean = 0.03 * 347 - 0.97 * 10
    for side in misses(values, mean, least=-494.0, most=494.0):
        assert side < allowed(0.025)


values = st.lists(st.floats(-50, 50), min_size=2, max_size=20)


@given(values, st.floats(0.5, 0.999))
def test_tails_and_intervals_say_the_same(listed: list[float], confidence: float) -> None:
    sample = Sample.of(np.array(listed))
    low, high = sample.interval(confidence)
    assert low <= sample.mean <= high
    if sample.sd > 1e-6:
        assert sample.above(low) == pytest.approx((1 - confidence) / 2, abs=1e-6)
        assert sample.below(high) == pytest.approx((1 - confidence) / 2, abs=1e-6)


@given(values)
def test_no_interval_is_narrower_than_students(listed: list[float]) -> None:
    sample = Sample.of(np.array(listed))
    plain = Sample(sample.count, sample.mean, sample.sd)
    assert sample.interval()[0] <= plain.interval()[0] + 1e-9
    assert sample.interval()[1] >= plain.interval()[1] - 1e-9


def test_bounds_are_kept() -> None:
    assert Sample.of(np.zeros(10), 0.0, 1.0).interval()[0] == 0.0
    assert 0 < Sample.of(np.zeros(10), 0.0, 1.0).interval()[1] < 0.5
    assert Sample.of(np.ones(10), 0.0, 1.0).interval()[1] == 1.0
