from math import exp, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spnb
from spnb import theory
from spnb.theory import kl

MEANS = (0.4, 0.5, 0.3)
GAPS = (0.1, 0.2)


def test_complexities_and_their_conventions() -> None:
    assert theory.h1(MEANS) == pytest.approx(125)
    assert theory.h1_with_best(MEANS) == pytest.approx(225)
    assert theory.h2(MEANS) == pytest.approx(200)
    assert theory.log_bar(4) == pytest.approx(0.5 + 1 / 2 + 1 / 3 + 1 / 4)


def test_complexities_at_the_edges() -> None:
    assert theory.h1((0.5,)) == 0
    assert theory.h1_with_best((0.5,)) == 0
    assert theory.h2((0.5,)) == 0
    assert theory.h1((0.5, 0.5)) == 0, "both are best"
    assert theory.h1_with_best((0.5, 0.5)) == 0
    assert theory.h2((0.5, 0.5)) == 0
    assert theory.one_pull_constant((0.5, 0.5)) == 0
    assert theory.lower_bound_constant((0.5, 0.5)) == 0


def test_arms_that_share_the_best_mean_are_no_gaps() -> None:
    tied = (0.5, 0.3, 0.5, 0.4)
    assert theory.gaps(tied) == pytest.approx([0, 0.2, 0, 0.1])
    assert theory.h1(tied) == pytest.approx(1 / 0.04 + 1 / 0.01)
    assert theory.h1_with_best(tied) == pytest.approx(1 / 0.04 + 2 / 0.01)
    assert theory.h2(tied) == pytest.approx(max(3 / 0.01, 4 / 0.04))
    expected = theory.lower_bound_constant((0.5, 0.3, 0.4))
    assert theory.lower_bound_constant(tied) == pytest.approx(expected)
    both = np.array([tied, (0.1, 0.2, 0.3, 0.4)])
    assert theory.h1(both) == pytest.approx([theory.h1(row) for row in both])
    assert theory.h2(both) == pytest.approx([theory.h2(row) for row in both])


unit = st.floats(0, 1)


@given(p=unit, q=unit)
def test_kl_is_the_bernoulli_divergence(p: float, q: float) -> None:
    def term(a: float, b: float) -> float:
        return 0.0 if a == 0 else np.inf if b == 0 else a * (log(a) - log(b))

    expected = term(p, q) + term(1 - p, 1 - q)
    found = float(kl(np.array(p), np.array(q)))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_lower_bounds_are_sums_over_suboptimal_arms() -> None:
    divergence = [float(kl(np.array(0.5 - gap), np.array(0.5))) for gap in GAPS]
    any_agent = sum(gap / d for gap, d in zip(GAPS, divergence, strict=True))
    one_pull = sum((0.5 + gap) / d for gap, d in zip(GAPS, divergence, strict=True))
    assert theory.lower_bound_constant(MEANS) == pytest.approx(any_agent)
    assert theory.one_pull_constant(MEANS) == pytest.approx(one_pull)
    both = theory.lower_bound_constant(np.array([MEANS, MEANS]))
    assert both == pytest.approx([any_agent, any_agent])


def test_theorems_1_and_2_differ_by_the_logarithm_of_the_arms() -> None:
    slope, level = theory.ucb1_constants(MEANS)
    assert slope == pytest.approx([800, 200])
    assert level == pytest.approx([1 + pi**2 / 3] * 2)
    classical = theory.classical_regret(MEANS, 1000, slope, level)
    by_hand = sum((0.5 + gap) * (8 / gap**2 * log(1000) + 1 + pi**2 / 3) for gap in GAPS)
    assert classical == pytest.approx(by_hand)
    seq = theory.seq_regret(MEANS, 1000, slope, level)
    assert seq - classical == pytest.approx(sum((0.5 + g) * 8 / g**2 * log(3) for g in GAPS))


def test_the_leading_term_of_thompson_sampling_is_the_one_pull_bound() -> None:
    slope, level = theory.kl_constants(MEANS)
    bound = theory.classical_regret(MEANS, np.array([10, 1000]), slope, level)
    assert bound == pytest.approx(theory.one_pull_constant(MEANS) * np.log([10, 1000]))
    wider, _ = theory.kl_constants(MEANS, epsilon=0.5)
    assert wider == pytest.approx(1.5 * slope)


def test_identification_bounds() -> None:
    assert theory.classical_error(0.01, 5) == pytest.approx(0.05)
    assert theory.classical_error(0.5, 5) == 1
    budget, c = 100_000, 2.0
    expected = 2 * budget * 3 * exp(-2 * c * budget / 125 / 25)
    assert theory.ucbe_error(MEANS, budget, c) == pytest.approx(expected)
    assert theory.ucbe_error(MEANS, 10, c) == 1
    exponent = (5000 - 3) / (theory.log_bar(3) * 200)
    assert theory.sr_error(MEANS, 5000) == pytest.approx(3 * exp(-exponent))
    offers = 3 * 2000
    plus = 3 * exp(-(2 * offers - 1) / (2 * 3 * 200))
    assert theory.sr_plus_error(MEANS, 2000) == pytest.approx(plus)


def test_theorem_4_is_the_bound_of_successive_rejects_at_its_budget() -> None:
    rounds, arms = 2000, 3
    budget = (2 * rounds * arms - 1) * theory.log_bar(arms) / (2 * arms) + arms
    exponent = (budget - arms) / (theory.log_bar(arms) * theory.h2(MEANS))
    assert theory.sr_plus_error(MEANS, rounds) == pytest.approx(3 * exp(-exponent))


def test_theorem_5_adds_large_and_small_gaps() -> None:
    rounds, offers = 1000, 3000

    def large(gap: float) -> float:
        return gap + (32 * log(offers * gap**2) + 96) / gap + 512 * 0.5 / gap**2

    assert theory.ucbrev_plus_regret(MEANS, rounds) == pytest.approx(large(0.1) + large(0.2))
    small = 64 / 0.15 + 512 * 0.5 / 0.15**2 + 0.1 * offers
    mixed = theory.ucbrev_plus_regret(MEANS, rounds, threshold=0.15)
    assert mixed == pytest.approx(large(0.2) + small)
    floor = theory.ucbrev_plus_regret(MEANS, 10, threshold=0.0)
    assert floor == pytest.approx(theory.ucbrev_plus_regret(MEANS, 10, sqrt(np.e / 30)))


def test_measured_regret_respects_its_bounds(seed: int) -> None:
    problem = spnb.Bernoulli(MEANS)
    result = spnb.simulate(
        problem, ["UCB1", "Seq(UCB1)", "UCBrev+"], rounds=300, runs=50, seed=seed
    )
    summary = result.summary()
    constants = theory.ucb1_constants(MEANS)
    assert summary["UCB1"]["regret"].mean < theory.classical_regret(MEANS, 300, *constants)
    assert summary["Seq(UCB1)"]["regret"].mean < theory.seq_regret(MEANS, 300, *constants)
    assert summary["UCBrev+"]["regret"].mean < theory.ucbrev_plus_regret(MEANS, 300)


def test_a_tolerance_counts_arms_as_best_everywhere() -> None:
    """Means (.5, .49, .2) within .02 are as two best arms, in every function and in regret."""
    means, level = (0.5, 0.49, 0.2), (0.5, 0.5, 0.2)
    for function in (theory.gaps, theory.h1, theory.h1_with_best, theory.h2,
                     theory.lower_bound_constant, theory.one_pull_constant):  # fmt: skip
        np.testing.assert_allclose(function(means, 0.02), function(level))
        assert np.any(function(means) != function(level))
    near = spnb.simulate(
        spnb.Bernoulli(means), "Uniform+", rounds=20, runs=3, seed=1, tolerance=0.02
    )
    same = spnb.simulate(spnb.Bernoulli(level), "Uniform+", rounds=20, runs=3, seed=1)
    np.testing.assert_allclose(near.agents["Uniform+"].regret, same.agents["Uniform+"].regret)
    np.testing.assert_allclose(near.lower_bound.mean, same.lower_bound.mean)


def test_equal_means_have_no_regret_to_learn() -> None:
    result = spnb.simulate(spnb.Bernoulli((0.5, 0.5, 0.5)), "Seq(TS)", rounds=50, runs=5, seed=1)
    assert result.agents["Seq(TS)"].regret.max() == 0
