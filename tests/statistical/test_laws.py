"""What must hold in law, for any seed: bounds at a false-alarm rate below one in a million."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import trapezoid
from scipy.stats import beta, kstest

import spnb
from spnb.engine.setting import Setting

SIGMAS = 5.2  # two-sided tail 2e-7


def posteriors(counts: list[tuple[int, int]], batch: int) -> tuple[spnb.Policy[Any], Any]:
    """TS that has seen so many successes and failures of each arm, in every row."""
    policy, row, rng = spnb.policy("TS"), np.arange(1), np.random.default_rng(0)
    state = policy.init(1, Setting(len(counts)))
    for arm, (wins, losses) in enumerate(counts):
        for reward in [1.0] * wins + [0.0] * losses:
            policy.update(state, row, np.array([arm]), np.array([reward]), rng)
    state.keep(np.zeros(batch, dtype=np.intp))
    return policy, state


def test_thompson_samples_its_posterior(seed: int) -> None:
    policy, state = posteriors([(2, 1), (0, 1)], 4000)
    policy.refresh(state, np.arange(4000), np.random.default_rng(seed))  # type: ignore[attr-defined]
    draws = policy.index(state, np.arange(4000), np.ones(4000))  # type: ignore[attr-defined]
    assert kstest(draws[:, 0], beta(3, 2).cdf).pvalue > 1e-7
    assert kstest(draws[:, 1], beta(1, 2).cdf).pvalue > 1e-7


@pytest.mark.parametrize(
    "counts",
    [
        [(1, 0), (0, 1), (0, 2)],
        [(3, 2), (3, 2), (3, 2), (3, 2)],
        [(8, 4), (30, 25), (2, 3), (0, 5), (1, 9)],
        [(60, 40), (0, 1), (40, 36), (5, 5), (25, 20), (3, 0)],
        [(90, 10), (2, 2), (70, 14), (0, 12), (160, 30)],
        [(400, 40), *[(30, 12)] * 300],  # each far behind, all together not
    ],
)
def test_thompson_chooses_each_arm_as_often_as_its_draw_is_the_largest(
    counts: list[tuple[int, int]], seed: int
) -> None:
    batch = min(200_000, 6_000_000 // len(counts))
    policy, state = posteriors(counts, batch)
    chosen = policy.choose(state, np.arange(batch), np.random.default_rng(seed))
    share = np.bincount(chosen, minlength=len(counts)) / batch
    x = np.linspace(0, 1, 20_001)
    laws = [beta(1 + wins, 1 + losses) for wins, losses in counts]
    below = np.array([law.cdf(x) for law in laws])
    for arm, law in enumerate(laws):
        expected = trapezoid(law.pdf(x) * np.delete(below, arm, axis=0).prod(axis=0), x)
        # Five standard errors and more; a share near 0 is Poisson, with a longer tail.
        room = SIGMAS * np.sqrt(expected * (1 - expected) / batch) + 20 / batch
        assert abs(share[arm] - expected) < room, (arm, share[arm], expected)


def test_thompson_turns_a_partial_reward_into_a_trial(seed: int) -> None:
    policy, rows, rng = spnb.policy("TS"), np.arange(10_000), np.random.default_rng(seed)
    state = policy.init(10_000, Setting(1))
    policy.update(state, rows, np.zeros(10_000, dtype=np.intp), np.full(10_000, 0.3), rng)
    assert set(np.unique(state.sums)) <= {0.0, 1.0}
    assert abs(state.sums.mean() - 0.3) < SIGMAS * np.sqrt(0.21 / 10_000)


def test_exploration_of_eps_greedy_and_uniform(seed: int) -> None:
    batch = 20_000
    rows, rng = np.arange(batch), np.random.default_rng(seed)
    for spec, expected in (("EpsGreedy(eps=0.3)", [0.1, 0.8, 0.1]), ("Uniform", [1 / 3] * 3)):
        policy = spnb.policy(spec)
        state = policy.init(batch, Setting(3))
        for arm in range(3):
            reward = np.full(batch, float(arm == 1))
            policy.update(state, rows, np.full(batch, arm), reward, rng)
        share = np.bincount(policy.choose(state, rows, rng), minlength=3) / batch
        assert abs(share - expected).max() < SIGMAS * 0.5 / np.sqrt(batch)


def test_seq_beats_its_classical_twin_and_challenge_beats_both(seed: int) -> None:
    agents = ["TS", "Seq(TS)", "bUCB", "Seq(bUCB)", "UCBrev+", "Challenge"]
    result = spnb.simulate(spnb.Synthetic(25, "authors"), agents, rounds=600, runs=400, seed=seed)
    for better, worse in (
        ("Seq(TS)", "TS"),
        ("Seq(bUCB)", "bUCB"),
        ("Challenge", "Seq(TS)"),
        ("Challenge", "Seq(bUCB)"),
        ("TS", "UCBrev+"),
    ):
        # The true differences lie at least seven standard errors below zero.
        assert result.paired("regret", better, worse).mean < 0, (better, worse)
    assert result.agents["UCBrev+"].opti.mean() > 0.99


@pytest.mark.parametrize("number", [1, 4])
def test_seq_saves_rounds_of_identification(number: int, seed: int) -> None:
    problem, budget = spnb.experiment(number), spnb.problems.BUDGETS[number]
    agent = "Seq(UCBE(c=2))"
    by_pulls = spnb.identify(problem, agent, budget=budget, limit="pulls", runs=150, seed=seed)
    assert 0.03 < 1 - by_pulls.agents[agent].rounds.mean() / budget < 0.18
    by_rounds = spnb.identify(problem, agent, budget=budget, limit="rounds", runs=150, seed=seed)
    assert 0.03 < by_rounds.agents[agent].pulls.mean() / budget - 1 < 0.19


def test_errors_fall_as_the_budget_grows(seed: int) -> None:
    problem = spnb.experiment(4)
    for spec in ("UCBE(c=2)", "UCBE(c=2, adaptive)", "SR+", "SH+", "Pack", "Seq(SR)"):
        small = spnb.identify(problem, spec, budget=60, runs=500, seed=seed).agents[spec].error
        large = spnb.identify(problem, spec, budget=2400, runs=500, seed=seed).agents[spec].error
        assert small.mean() - large.mean() > 0.1, spec
