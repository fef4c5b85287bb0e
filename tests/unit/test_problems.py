from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, binomtest, chisquare, kstest, norm

import spnb
from spnb.base.errors import SpnbError
from spnb.problems import BUDGETS, Estimated, KnownMeans, Problem
from spnb.problems.drawn import DrawnRecords

PROBLEMS: list[Problem] = [
    spnb.Bernoulli((0.2, 0.9, 0.0, 1.0)),
    spnb.BetaRewards((0.2, 0.9, 0.0, 1.0), concentration=3),
    spnb.GaussianRewards((0.2, 0.9, -1.0, 1.4), sd=0.3),
    spnb.Recorded(np.array([[0, 1, 0.5], [1, 1, 0.25]]), replay="resample"),
    spnb.Recorded(np.array([[0, 1, 0.5], [1, 1, 0.25], [1, 0, 0]]), replay="worlds", block=2),
    Estimated((0.2, 0.5, 0.7), (10, 20, 30)),
    DrawnRecords((0.3, 0.6, 0.2), days=11),
    spnb.Synthetic(4),
]


def rewards(problem: Problem, seed: int, runs: int, rounds: int) -> Any:
    """[runs, rounds, K]: everything a world would pay."""
    worlds = problem.worlds(seed, np.arange(runs))
    return np.array(
        [
            [[worlds.law.reward(w, t, k) for k in range(problem.arms)] for t in range(rounds)]
            for w in map(worlds.of_run, range(runs))
        ]
    )


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: type(p).__name__)
def test_rewards_lie_in_the_unit_interval_and_have_the_means_told(
    problem: Problem, seed: int
) -> None:
    runs, rounds = 8, 2500
    paid = rewards(problem, seed, runs, rounds)
    assert paid.min() >= 0
    assert paid.max() <= 1
    means = problem.worlds(seed, np.arange(runs)).means
    # A mean of 2500 rewards in [0, 1] has standard deviation 0.01 at the most.
    assert abs(paid.mean(axis=1) - means).max() < 0.07


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: type(p).__name__)
def test_a_reward_depends_on_seed_run_round_and_arm_alone(problem: Problem, seed: int) -> None:
    whole = rewards(problem, seed, runs=6, rounds=20)
    part = problem.worlds(seed, np.array([4, 1]))
    faced = {4: part.of_run(0), 1: part.of_run(1)}
    # Backwards, over and over, one arm without the others: the answer is always the same.
    for run, round_, arm in ((1, 19, 0), (4, 3, 1), (1, 0, 2), (4, 3, 1), (1, 19, 0), (4, 2, 2)):
        assert part.law.reward(faced[run], round_, arm) == whole[run, round_, arm]
    another = rewards(problem, seed + 1, runs=6, rounds=20)
    assert (another != whole).any() or type(problem).__name__ == "Recorded"


def test_the_hash_is_uniform_and_independent_across_its_addresses(seed: int) -> None:
    centres = (0.5,) * 50
    ndtri_of_luck = rewards(spnb.GaussianRewards(centres, sd=0.05), seed, runs=40, rounds=50)
    luck = norm.cdf(ndtri_of_luck, 0.5, 0.05)
    assert kstest(luck.ravel(), "uniform").pvalue > 1e-7
    for axis in range(3):
        a, b = np.split(luck, [1], axis=axis)[1], np.split(luck, [-1], axis=axis)[0]
        correlation = np.corrcoef(a.ravel(), b.ravel())[0, 1]
        assert abs(correlation) < 6 / np.sqrt(a.size)


NEVER = 1e-8


def test_beta_rewards_have_the_beta_law(seed: int) -> None:
    means, concentration = (0.1, 0.5, 0.9, 0.0, 1.0), 3.0
    paid = rewards(spnb.BetaRewards(means, concentration), seed, runs=4, rounds=3000)
    for arm, mean in enumerate(means[:3]):
        law = beta(concentration * mean, concentration * (1 - mean))
        assert kstest(paid[:, :, arm].ravel(), law.cdf).pvalue > NEVER
    assert (paid[:, :, 3:] == means[3:]).all()


def test_gaussian_rewards_are_clipped_and_their_means_are_those_after_clipping(seed: int) -> None:
    problem = spnb.GaussianRewards((0.1, 0.5, 1.2), sd=0.3)
    paid = rewards(problem, seed, runs=4, rounds=3000)
    for arm, centre in enumerate(problem.centres):
        values = paid[:, :, arm].ravel()
        at_zero, at_one = norm.cdf(-centre / 0.3), norm.sf((1 - centre) / 0.3)
        for hits, chance in (((values == 0).sum(), at_zero), ((values == 1).sum(), at_one)):
            assert binomtest(int(hits), len(values), chance).pvalue > NEVER
        inside = values[(values > 0) & (values < 1)]
        scaled = (norm.cdf(inside, centre, 0.3) - at_zero) / (1 - at_zero - at_one)
        assert kstest(scaled, "uniform").pvalue > NEVER
        assert abs(values.mean() - problem.means[arm]) < 6 * 0.3 / np.sqrt(len(values))


def test_counts_are_binomial_and_their_trials_are_told(seed: int) -> None:
    problem = spnb.CountRewards((0.3, 0.8), trials=(5, 3))
    paid = rewards(problem, seed, runs=4, rounds=3000)
    worlds = problem.worlds(seed, np.arange(1))
    for arm, (trials, mean) in enumerate(((5, 0.3), (3, 0.8))):
        assert worlds.law.trials(worlds.of_run(0), 0, arm) == trials
        seen = np.bincount(paid[:, :, arm].ravel().astype(int), minlength=trials + 1)
        expected = binom.pmf(np.arange(trials + 1), trials, mean) * paid[:, :, arm].size
        assert chisquare(seen, expected * (seen.sum() / expected.sum())).pvalue > NEVER
    assert abs(np.corrcoef(paid[:, :, 0].ravel(), paid[:, :, 1].ravel())[0, 1]) < 6 / np.sqrt(12e3)


@pytest.mark.parametrize("trials", [0, -1, 1.5, True, (1, 2, 3), (1, 0), "2", 10**7])
def test_trials_that_make_no_sense_are_refused(trials: Any) -> None:
    with pytest.raises(spnb.DataError, match="trials must be a whole number from 1"):
        spnb.CountRewards((0.3, 0.8), trials=trials)


@pytest.mark.parametrize("order", ["random", "authors"])
def test_the_synthetic_family_has_its_gap_and_its_order(order: Any, seed: int) -> None:
    family = spnb.Synthetic(10, order)
    means = family.draw_means(seed, np.arange(4000))
    ranked = np.sort(means, axis=1)
    assert ranked[:, -1] - ranked[:, -2] == pytest.approx(np.full(4000, 0.1))
    assert means.min() >= 0
    assert means.max() <= 1
    best = means.argmax(axis=1)
    if order == "authors":
        assert (best == 0).all()
    else:
        # Binomial(4000, 1/10): 120 is 6.3 standard deviations.
        assert abs(np.bincount(best, minlength=10) - 400).max() < 120
    others = np.delete(means, 0, axis=1) if order == "authors" else ranked[:, :-1]
    assert kstest(others.ravel() / 0.9, "uniform").pvalue > 1e-7
    assert family.instance(seed, 7).means == pytest.approx(means[7])


def test_the_seven_identification_problems() -> None:
    assert [spnb.experiment(i).arms for i in range(1, 8)] == [20, 20, 4, 6, 15, 20, 30]
    assert all(spnb.experiment(i).best == 0 for i in range(1, 8))
    assert spnb.experiment(3).means == pytest.approx((0.5, 0.3631, 0.449347, 0.48125839))
    assert spnb.experiment(5).means[1:3] == pytest.approx((0.45, 0.425))
    assert list(BUDGETS.values()) == [2000, 2000, 2000, 600, 4000, 6000, 6000]
    with pytest.raises(spnb.DataError, match="1 to 7, got 8"):
        spnb.experiment(8)


def test_a_problem_tells_what_theory_says_of_it() -> None:
    problem: KnownMeans = spnb.Bernoulli((0.4, 0.5, 0.3))
    assert problem.best == 1
    assert problem.gaps == pytest.approx([0.1, 0.0, 0.2])
    assert problem.h1 == pytest.approx(1 / 0.01 + 1 / 0.04)
    assert problem.h2 == pytest.approx(max(2 / 0.01, 3 / 0.04))
    assert problem.lower_bound_constant < problem.one_pull_constant


def test_a_record_is_repeated_beyond_its_length() -> None:
    table = np.array([[0.0, 1.0], [0.25, 0.5], [1.0, 0.0]])
    problem = spnb.Recorded(table)
    paid = rewards(problem, 0, runs=2, rounds=7)
    assert (paid[0] == table[[0, 1, 2, 0, 1, 2, 0]]).all()
    assert (paid[0] == paid[1]).all()
    assert problem.means == pytest.approx(table.mean(axis=0))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: spnb.Bernoulli(()), "at least 1 number"),
        (lambda: spnb.Bernoulli((0.5, 1.2)), r"mean of arm 1 must lie in \[0, 1\], got 1.2"),
        (lambda: spnb.Bernoulli((float("nan"),)), "mean of arm 0 must lie .* got nan"),
        (lambda: spnb.Bernoulli(("x",)), "means must be numbers"),  # type: ignore[arg-type]
        (lambda: spnb.BetaRewards((0.5,), concentration=0), "concentration must be a number > 0"),
        (lambda: spnb.GaussianRewards((0.5,), sd=-1), "sd must be a number > 0, got -1"),
        (lambda: spnb.GaussianRewards((float("inf"),)), "finite number"),
        (lambda: spnb.Synthetic(1), "Synthetic.arms must be a whole number >= 2, got 1"),
        (lambda: spnb.Synthetic(5, "best"), "order must be one of"),  # type: ignore[arg-type]
        (lambda: spnb.Recorded(np.zeros((0, 3))), "at least 1 x 1"),
        (lambda: spnb.Recorded(np.array([[0, 2.0]])), "reward of day 0, arm 1 .* got 2.0"),
        (lambda: spnb.Recorded(np.zeros((1, 1)), replay="x"), "replay must be"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_problem_is_refused(build: Any, message: str) -> None:
    with pytest.raises(spnb.SpnbError, match=message):
        build()


def test_records_that_can_have_no_single_best_arm_are_refused(seed: int) -> None:
    with pytest.raises(spnb.SpecError, match=r"DrawnRecords\.rates must be such that one arm"):
        DrawnRecords((1.0, 1.0, 0.5))
    hopeless = DrawnRecords((0.5,) * 60, days=1)
    with pytest.raises(spnb.DataError, match="records of 1 day .* give more days"):
        hopeless.worlds(seed, np.arange(3))
    hard = DrawnRecords((0.5,) * 5, days=1)  # most records are drawn again
    means = hard.worlds(seed, np.arange(200)).means
    assert ((means == means.max(axis=1, keepdims=True)).sum(axis=1) == 1).all()


@pytest.mark.parametrize(
    ("kind", "given", "said"),
    [
        (spnb.Recorded, {"table": [["a"]]}, "a record must be days x arms of numbers, got .*'a'"),
        (spnb.Recorded, {"table": [[0.5], [0.5, 0.1]]}, "a record must be days x arms of numbers"),
        (spnb.Recorded, {"table": [[0.5]], "shows": "a"}, "shows must be numbers, got 'a'"),
        (spnb.GaussianRewards, {"centres": "ab"}, "centres must be numbers, got 'ab'"),
        (spnb.Changing, {"stages": None}, r"Changing\.stages must be lists of means, got None"),
        (spnb.Changing, {"stages": [None]}, "means must be"),
        (spnb.Seasonal, {"swing": "a"}, r"Seasonal\.swing must be a number"),
        (Estimated, {"means": (0.5, 0.5), "trials": None}, "means needs trials >= 1, got None"),
        (Estimated, {"means": (0.5, 0.5), "trials": ("a", 1)}, "trials must be numbers, got .*'a'"),
    ],
)
def test_what_is_no_parameter_is_told(kind: Any, given: dict[str, Any], said: str) -> None:
    with pytest.raises(SpnbError, match=said):
        kind(**given)
