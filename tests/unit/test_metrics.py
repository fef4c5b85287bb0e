from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t

from spnb.simulation import metrics
from spnb.simulation.metrics import Estimate

MEANS = np.array([[0.2, 0.9, 0.5]])


def test_regret_is_gaps_of_pulls_plus_missed_rounds_of_the_best() -> None:
    pulls = np.array([[3, 6, 2]])
    assert metrics.regret(MEANS, pulls, rounds=10) == pytest.approx(3 * 0.7 + 2 * 0.4 + 4 * 0.9)


def test_regret_against_the_two_best_slots() -> None:
    pulls = np.array([[3, 6, 2]])
    expected = 0.9 * (10 - 6) + 0.5 * (10 - 2) + (0.5 - 0.2) * 3
    assert metrics.regret(MEANS, pulls, rounds=10, best=2) == pytest.approx(expected)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=5),
    st.data(),
)
def test_regret_is_never_negative(means: list[float], data: st.DataObject) -> None:
    pulls = data.draw(st.lists(st.integers(0, 9), min_size=len(means), max_size=len(means)))
    best = data.draw(st.integers(1, len(means)))
    value = metrics.regret(np.array([means]), np.array([pulls]), rounds=9, best=best)
    assert value[0] >= 0


def test_shares_of_the_best_arm() -> None:
    pulls = np.array([[3, 6, 2]])
    assert metrics.pulls_per_round(pulls, 10) == pytest.approx(1.1)
    assert metrics.optimal_share(MEANS, pulls) == pytest.approx(6 / 11)
    assert metrics.optimal_rounds(MEANS, pulls, 10) == pytest.approx(0.6)
    assert metrics.optimal_rounds(MEANS, pulls, 10, best=2) == pytest.approx(8 / 20)
    assert metrics.optimal_share(MEANS, np.zeros((1, 3), dtype=int)) == 0


def test_any_arm_of_the_largest_mean_is_a_right_answer() -> None:
    means = np.array([[0.5, 0.5, 0.1]] * 3)
    assert metrics.wrong(means, np.array([0, 1, 2])).tolist() == [0, 0, 1]


def test_the_interval_of_a_mean_is_students() -> None:
    values = np.array([1.0, 4.0, 2.0, 7.0])
    found = metrics.mean_interval(values)
    half = t.ppf(0.975, 3) * values.std(ddof=1) / 2
    assert (found.mean, found.low, found.high) == pytest.approx((3.5, 3.5 - half, 3.5 + half))


def test_one_run_has_no_interval() -> None:
    found = metrics.mean_interval(np.array([2.0]))
    assert found.mean == 2
    assert isnan(found.low)
    assert found.to_dict() == {"mean": 2.0, "low": None, "high": None}
    assert not found.excludes_zero()


@pytest.mark.parametrize(("hits", "count"), [(0, 10), (3, 10), (10, 10), (1, 1), (500, 1000)])
def test_the_interval_of_a_share_is_wilsons(hits: int, count: int) -> None:
    found = metrics.share_interval(hits, count)
    expected = binomtest(hits, count).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert found.mean == hits / count


def test_an_interval_knows_whether_it_excludes_zero() -> None:
    assert Estimate(1, 0.5, 1.5).excludes_zero()
    assert Estimate(-1, -1.5, -0.5).excludes_zero()
    assert not Estimate(0.1, -0.5, 0.7).excludes_zero()
