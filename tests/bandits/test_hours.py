"""Arms on a circle: the posterior against scikit-learn's, and what resemblance is worth."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import spnb
from spnb.bandits.policies.hours import LENGTHS, SCALES
from spnb.engine.dice import generator
from spnb.engine.state import Layout


def taught(spec: str, arms: int, rewards: int, seed: int) -> tuple[Any, Any, list[Any]]:
    policy: Any = spnb.policy(spec)
    state = Layout.of(policy.State, policy, {"arms": arms}).fresh()
    policy.start(state, None)
    luck, seen = generator(seed, "rewards"), []
    for _ in range(rewards):
        arm = int(luck.integers(arms - 1))  # the last one is never pulled
        mean = 0.5 + 0.4 * np.cos(2 * np.pi * arm / arms)
        seen.append((arm, float(luck.random() < mean)))
        policy.learn(state, *seen[-1], 1.0)
    return policy, state, seen


def kernel_of(state: Any) -> tuple[float, float]:
    """Length and scale, read off the kernel that was chosen."""
    arms = len(state.pulls)
    for length in (*LENGTHS, 0.5):
        for scale in SCALES:
            first = scale**2 * np.exp(-2 * (np.sin(np.pi / arms) / length) ** 2)
            if np.allclose([state.kernel[0], state.kernel[1]], [scale**2, first], rtol=1e-12):
                return length, scale
    raise AssertionError("no length and scale of the list")


@pytest.mark.parametrize("rewards", [5, 23, 400, 3000])
def test_the_posterior_is_that_of_scikit_learn(rewards: int, seed: int) -> None:
    process = pytest.importorskip("sklearn.gaussian_process", reason="no scikit-learn here")
    arms = 8
    _, state, seen = taught("GPUCB", arms, rewards, seed)
    length, scale = kernel_of(state)
    kernel = process.kernels.ConstantKernel(scale**2) * process.kernels.ExpSineSquared(
        length_scale=length, periodicity=1.0
    )
    pulls, sums = np.array(state.pulls), np.array(state.sums)
    pulled = pulls > 0
    places = np.arange(arms)[:, None] / arms
    model = process.GaussianProcessRegressor(
        kernel, alpha=state.noise / pulls[pulled], optimizer=None
    )
    model.fit(places[pulled], sums[pulled] / pulls[pulled] - state.constant)
    mean, cov = model.predict(places, return_cov=True)
    assert np.allclose(state.belief, mean + state.constant, atol=1e-8)
    assert np.allclose(np.array(state.cov), cov, atol=1e-8)
    assert len(seen) == state.total


def test_parameters_are_those_of_the_largest_likelihood(seed: int) -> None:
    """Against the density of all rewards as one normal vector."""
    _, state, seen = taught("GPUCB", 6, 40, seed)
    state.fit()
    chosen, arms = kernel_of(state), np.array([arm for arm, _ in seen])
    rewards = np.array([reward for _, reward in seen])
    likelihood = {}
    for length in LENGTHS:
        for scale in SCALES:
            wave = np.sin(np.pi * (arms[:, None] - arms) / 6) / length
            cov = scale**2 * np.exp(-2 * wave**2) + state.noise * np.eye(len(arms))
            law = stats.multivariate_normal(np.full(len(arms), state.constant), cov)
            likelihood[length, scale] = law.logpdf(rewards)
    assert likelihood[chosen] == pytest.approx(max(likelihood.values()), abs=1e-8)


@pytest.mark.parametrize(("arms", "draws"), [(4, 4000), (60, 150)])  # 60: close to singular
def test_draws_have_the_posterior_covariance(arms: int, draws: int, seed: int) -> None:
    policy, state, _ = taught("GPTS", arms, 80, seed)
    state.dice.key = seed
    paths = []
    for _ in range(draws):
        policy.refresh(state)
        paths.append(list(state.path))
    spread, cov = np.array(paths) - np.array(state.belief), np.array(state.cov)
    error = np.sqrt((np.outer(np.diag(cov), np.diag(cov)) + cov**2) / draws)
    assert (np.abs(spread.T @ spread / draws - cov) < 12 * error + 1e-6).all()
    assert (np.abs(spread.mean(axis=0)) < 8 * np.sqrt(np.diag(cov) / draws)).all()


def may_be_best(policy: Any, state: Any, leader: int) -> set[int]:
    """The leader, and the arms whose score reaches its mean: said once more, over all arms."""
    common = policy.common(state, state.total + 1.0)
    scores = np.array([policy.score(state, arm, common) for arm in range(len(state.pulls))])
    return {leader, *np.flatnonzero(scores >= state.posterior_mean(leader)).tolist()}


@pytest.mark.parametrize("spec", ["GPUCB", "GPTS", "UTS"])
def test_arms_that_may_be_best_are_pulled_in_the_order_of_offers(spec: str, seed: int) -> None:
    policy, state, _ = taught(spec, 12, 30, seed)
    state.dice.key, luck, several = seed, generator(seed, "more"), 0
    for _ in range(200):
        arm, before = policy.choose(state), state.ahead
        best = np.array(state.belief) == max(state.belief) if spec != "UTS" else None
        top = [state.leader] if best is None else np.flatnonzero(best).tolist()
        leader = min(top, key=lambda each: (each - before) % 12)  # of several, the one offered next
        means = [state.posterior_mean(each) for each in range(12)]
        assert means[leader] == max(means)
        tied = may_be_best(policy, state, leader)
        several += len(tied) > 1
        assert arm == min(tied, key=lambda each: (each - before) % 12)
        policy.learn(state, arm, float(luck.random() < 0.5), 1.0)
    assert several > 0


@pytest.mark.parametrize("spec", ['GPUCB(ties="first")', 'GPTS(ties="random")'])
def test_with_other_ties_the_best_score_is_pulled(spec: str, seed: int) -> None:
    policy, state, _ = taught(spec, 12, 30, seed)
    state.dice.key, luck, passed = seed, generator(seed, "more"), 0
    for _ in range(100):
        arm, common = policy.choose(state), policy.common(state, state.total + 1.0)
        scores = [policy.score(state, each, common) for each in range(12)]
        assert scores[arm] == max(scores)
        tied = may_be_best(policy, state, int(np.argmax(state.belief)))
        passed += arm != min(tied, key=lambda each: (each - state.ahead) % 12)
        policy.learn(state, arm, float(luck.random() < 0.5), 1.0)
    assert passed > 0  # it is not the order of offers that chose


@pytest.mark.parametrize("spec", ["UTS", 'UTS(ties="random")'])
def test_unimodal_sampling_looks_only_around_its_leader(spec: str, seed: int) -> None:
    learner = spnb.Learner(f"Seq({spec})", 12, seed=seed)
    luck = generator(seed, "rewards")
    state: Any = learner.state
    for _ in range(300):
        arm = state.target
        if state.policy.total > 0:
            assert (arm - state.policy.leader) % 12 in (11, 0, 1)
        learner.pulled(arm)
        learner.observe(arm, float(luck.random() < 0.5 + 0.4 * np.cos(2 * np.pi * arm / 12)))
        learner.next_round()


def test_unimodal_sampling_pulls_its_leader_every_third_time(seed: int) -> None:
    policy, state, _ = taught('UTS(ties="random")', 6, 40, seed)
    luck = generator(seed, "rewards")
    for _ in range(200):
        arm = policy.choose(state)
        assert arm == state.leader or state.led[state.leader] % 3 != 0
        policy.learn(state, arm, float(luck.random() < 0.5), 1.0)
    passed = sum(policy.choose(state) != state.leader for _ in range(200))
    assert passed > 0  # and not every time


@pytest.mark.soak
def test_resemblance_saves_regret_and_costs_little_where_there_is_none(seed: int) -> None:
    agents = ["Seq(TS)", "Seq(GPUCB)", "Seq(GPTS)", "Challenge(GPUCB)", "Challenge(GPTS)"]
    for problem, most in ((spnb.DailyMeans(24), 0.7), (spnb.RandomMeans(24), 1.3)):
        result = spnb.simulate(problem, agents, rounds=700, runs=150, seed=seed)
        regret = {spec: runs.regret.mean() for spec, runs in result.agents.items()}
        for spec in agents[1:]:
            assert regret[spec] < most * regret["Seq(TS)"], (type(problem).__name__, spec)
