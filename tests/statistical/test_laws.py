"""What must hold in law, for any seed: bounds at a false-alarm rate below one in a million."""

import numpy as np
import pytest
from scipy.stats import beta, kstest

import spnb
from spnb.setting import Setting

SIGMAS = 5.2  # two-sided tail 2e-7


def test_thompson_samples_its_posterior(seed: int) -> None:
    policy, rows, rng = spnb.policy("TS"), np.arange(4000), np.random.default_rng(seed)
    state = policy.init(4000, Setting(2))
    for reward in (1.0, 1.0, 0.0):
        policy.update(state, rows, np.zeros(4000, dtype=np.intp), np.full(4000, reward), rng)
    policy.update(state, rows, np.ones(4000, dtype=np.intp), np.zeros(4000), rng)
    policy.choose(state, rows, rng)
    draws = policy.index(state, rows, np.ones(4000))  # type: ignore[attr-defined]
    assert kstest(draws[:, 0], beta(3, 2).cdf).pvalue > 1e-7
    assert kstest(draws[:, 1], beta(1, 2).cdf).pvalue > 1e-7


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
