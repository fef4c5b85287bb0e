from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, t

import spnb
from spnb import testing
from spnb.engine.play import Played
from spnb.simulation import metrics
from spnb.simulation.metrics import Estimate, Goal

MEANS = np.array([[0.2, 0.9, 0.5]])


def told(table: Any, goal: Goal) -> Played:
    """What the engine would note of these pulls [rounds, K] of one run."""
    gained, shared = 0.0, 0
    for pulled in np.asarray(table, dtype=bool):
        filled = 0
        for arm in np.flatnonzero(pulled):
            if not goal.worth.tied[0, arm]:
                gained += goal.worth.pull[0, arm]
            elif filled < goal.worth.places[0]:
                gained += goal.worth.pull[0, arm]
                filled += 1
        shared += filled
    pulls, nothing = np.asarray(table).sum(axis=0)[None], np.zeros((1, 0))
    return Played(
        pulls, np.array([len(table)]), np.array([gained]), np.array([shared]), np.array([0]),
        np.array([0]), nothing, nothing, nothing.astype(int), np.zeros(pulls.shape, bool),
        np.array([False]),
    )  # fmt: skip


def by_definition(means: Any, table: Any, best: int = 1, tolerance: float = 0.0) -> float:
    """Round by round: what the best places would have paid, and what was pulled too much."""
    lost = 0.0
    bar = sorted(means, reverse=True)[best - 1]
    for pulled in table:
        places = best - sum(mean > bar for mean in means)
        for mean, pull in zip(means, pulled, strict=True):
            if mean > bar:
                lost += 0.0 if pull else mean
            elif mean < bar - tolerance:
                lost += (bar - mean) * pull
        level = sum(p for m, p in zip(means, pulled, strict=True) if bar - tolerance <= m <= bar)
        lost += bar * max(places - level, 0)
    return lost


def table_of(pulls: list[int], rounds: int) -> Any:
    return np.array([[i < n for n in pulls] for i in range(rounds)])


def test_regret_is_gaps_of_pulls_plus_missed_rounds_of_the_best() -> None:
    goal = Goal.of(MEANS)
    played = told(table_of([3, 6, 2], 10), goal)
    assert goal.regret(10.0, played.gained)[0] == pytest.approx(3 * 0.7 + 2 * 0.4 + 4 * 0.9)


def test_regret_against_the_two_best_slots() -> None:
    goal = Goal.of(MEANS, best=2)
    played = told(table_of([3, 6, 2], 10), goal)
    expected = 0.9 * (10 - 6) + 0.5 * (10 - 2) + (0.5 - 0.2) * 3
    assert goal.regret(10.0, played.gained)[0] == pytest.approx(expected)


shares = st.sampled_from([0.0, 0.1, 0.5, 0.5, 0.9, 1.0]) | st.floats(0, 1)


@given(
    st.lists(shares, min_size=1, max_size=5),
    st.data(),
    st.sampled_from([0.0, 0.05, 0.5]),
)
def test_regret_is_its_definition_round_by_round_and_never_negative(
    means: list[float], data: st.DataObject, tolerance: float
) -> None:
    day = st.lists(st.booleans(), min_size=len(means), max_size=len(means))
    table = data.draw(st.lists(day, min_size=1, max_size=8))
    best = data.draw(st.integers(1, len(means)))
    goal = Goal.of(np.array([means]), best, tolerance)
    value = goal.regret(float(len(table)), told(table, goal).gained)[0]
    assert value >= 0
    assert value == pytest.approx(by_definition(means, table, best, tolerance), abs=1e-9)


def test_shares_of_the_best_arm() -> None:
    goal, played = Goal.of(MEANS), told(table_of([3, 6, 2], 10), Goal.of(MEANS))
    assert metrics.pulls_per_round(played.pulls, 10) == pytest.approx(1.1)
    assert goal.optimal_share(played) == pytest.approx(6 / 11)
    assert goal.optimal_rounds(played, 10) == pytest.approx(0.6)
    two = Goal.of(MEANS, best=2)
    played = told(table_of([3, 6, 2], 10), two)
    assert two.optimal_rounds(played, 10) == pytest.approx(8 / 20)
    idle = told(np.zeros((4, 3), dtype=bool), goal)
    assert goal.optimal_share(idle) == 0


def test_several_best_arms_share_every_metric() -> None:
    means = np.array([[0.5, 0.1, 0.5]])
    goal = Goal.of(means)
    both, one, none = [[1, 0, 1]], [[0, 0, 1]], [[0, 1, 0]]
    for table, lost, opti in ((both, 0.0, 1.0), (one, 0.0, 1.0), (none, 0.9, 0.0)):
        played = told(table, goal)
        assert goal.regret(1.0, played.gained)[0] == pytest.approx(lost)
        assert goal.optimal_rounds(played, 1)[0] == opti
    assert goal.optimal_share(told([[1, 1, 1]], goal))[0] == pytest.approx(2 / 3)


def test_tolerance_counts_arms_near_the_best_as_best() -> None:
    means = np.array([[0.5, 0.46, 0.4]])
    near, strict = Goal.of(means, tolerance=0.05), Goal.of(means)
    table = [[0, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert near.regret(3.0, told(table, near).gained)[0] == pytest.approx(0.5 + 0.1)
    assert strict.regret(3.0, told(table, strict).gained)[0] == pytest.approx(
        2 * 0.5 + 2 * 0.04 + 0.1
    )
    assert near.wrong(np.array([1])).tolist() == [0]
    assert strict.wrong(np.array([1])).tolist() == [1]
    assert near.top.tolist() == [[True, True, False]]


def test_any_arm_of_the_largest_mean_is_a_right_answer() -> None:
    goal = Goal.of(np.array([[0.5, 0.5, 0.1]] * 3))
    assert goal.wrong(np.array([0, 1, 2])).tolist() == [0, 0, 1]


@pytest.mark.parametrize("spec", ["Seq(TS)", "Challenge", "Uniform+", "UCB1"])
def test_where_all_means_are_equal_there_is_no_regret_to_learn(spec: str, seed: int) -> None:
    result = spnb.simulate(spnb.Bernoulli((0.5,) * 3), spec, rounds=60, runs=20, seed=seed)
    assert (result.agents[spec].regret == 0).all()
    assert (result.agents[spec].opti == 1).all()
    assert (result.agents[spec].opt == 1).all()
    assert result.lower_bound.mean[-1] == 0
    answers = spnb.identify(spnb.Bernoulli((0.5,) * 3), spec, budget=20, runs=20, seed=seed)
    assert (answers.agents[spec].error == 0).all()


def test_simulate_and_identify_take_a_tolerance(seed: int) -> None:
    problem = spnb.Bernoulli((0.8, 0.79, 0.1))
    strict, near = (
        spnb.simulate(problem, "Seq(UCB1)", rounds=200, runs=30, seed=seed, tolerance=e)
        for e in (0.0, 0.02)
    )
    assert near.agents["Seq(UCB1)"].opti.mean() > strict.agents["Seq(UCB1)"].opti.mean()
    assert near.agents["Seq(UCB1)"].regret.mean() < strict.agents["Seq(UCB1)"].regret.mean()
    errors = [
        spnb.identify(problem, "Seq(UCB1)", budget=60, runs=200, seed=seed, tolerance=e)
        .agents["Seq(UCB1)"].error.mean()
        for e in (0.0, 0.02)
    ]  # fmt: skip
    assert errors[1] < errors[0]
    for wrong in (-0.1, 1.5, float("nan")):
        with pytest.raises(spnb.SpecError, match=r"tolerance must be a number in \[0, 1\]"):
            spnb.simulate(problem, "TS", rounds=5, runs=1, tolerance=wrong)


@pytest.mark.parametrize("means", [(0.5, 0.5, 0.2), (0.9, 0.5, 0.5, 0.5, 0.1), (0.3, 0.3)])
@pytest.mark.parametrize("best", [1, 2])
def test_the_engine_counts_as_the_definition_does(
    means: tuple[float, ...], best: int, seed: int
) -> None:
    problem = spnb.Bernoulli(means)
    for spec in ("Seq(TS)", "Challenge(best=2)", "Uniform+"):
        table = testing.pull_table(spnb.agent(spec), problem, 30, seed)
        result = spnb.simulate(problem, spec, rounds=30, runs=1, seed=seed, best=best)
        expected = by_definition(means, table, best)
        assert result.agents[spec].regret[0] == pytest.approx(expected, abs=1e-9)


def test_the_interval_of_a_mean_is_students_where_nothing_is_skewed() -> None:
    values = np.array([1.0, 4.0, 2.0, 5.0])
    found = metrics.mean_interval(values)
    half = t.ppf(0.975, 3) * values.std(ddof=1) / 2
    assert (found.mean, found.low, found.high) == pytest.approx((3.0, 3.0 - half, 3.0 + half))


def test_the_interval_of_a_skewed_mean_reaches_farther_towards_the_tail() -> None:
    values = np.array([1.0, 1.0, 2.0, 2.0, 3.0, 20.0])
    found = metrics.mean_interval(values)
    half = t.ppf(0.975, 5) * values.std(ddof=1) / np.sqrt(6)
    assert found.low == pytest.approx(values.mean() - half)
    assert found.high > values.mean() + 1.1 * half


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
