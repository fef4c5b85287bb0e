"""Policies that forget: memory runs on rounds, and is what it says."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import spnb
from spnb.base.errors import SpecError
from spnb.engine.dice import generator
from spnb.engine.state import Layout


def played(spec: str, rounds: int, seed: int, arms: int = 3) -> tuple[Any, list[Any]]:
    """A learner that pulls whatever it wants, and what it saw: (round, arm, reward)."""
    learner, seen = spnb.Learner(spec, arms, seed=seed), []
    luck = generator(seed, "rewards")
    for round_ in range(rounds):
        if round_:
            learner.next_round()
        for arm in range(arms):
            if learner.ask(arm):
                reward = float(luck.random() < 0.3 + 0.2 * arm)
                learner.pulled(arm)
                learner.observe(arm, reward)
                seen.append((round_, arm, reward))
    return learner.state.policy, seen


@pytest.mark.parametrize("outer", ["Seq", "Once", "Challenge"])
@pytest.mark.parametrize("policy", ["SWUCB", "SWTS"])
def test_a_window_holds_the_rewards_of_its_rounds(outer: str, policy: str, seed: int) -> None:
    state, seen = played(f"{outer}({policy}(window=7))", 40, seed)
    for arm in range(3):
        recent = [reward for round_, a, reward in seen if a == arm and round_ > 39 - 7]
        assert (state.pulls[arm], state.sums[arm]) == (len(recent), sum(recent))


@pytest.mark.parametrize("policy", ["DUCB", "DTS"])
def test_a_discount_is_taken_by_the_round(policy: str, seed: int) -> None:
    state, seen = played(f"Challenge({policy}(discount=0.8))", 30, seed)
    for arm in range(3):
        ages = np.array([29 - round_ for round_, a, _ in seen if a == arm])
        gains = np.array([reward for _, a, reward in seen if a == arm])
        assert state.pulls[arm] == pytest.approx(np.sum(0.8**ages))
        assert state.sums[arm] == pytest.approx(np.sum(gains * 0.8**ages))


def test_fractions_leave_nothing_behind_when_the_window_has_passed() -> None:
    learner = spnb.Learner("Challenge(SWUCB(window=3))", 1, seed=1)
    for reward in (0.1, 0.2, 0.3):  # their sum, less each of them, is not 0 but 1e-16
        learner.pulled(0)
        learner.observe(0, reward)
        learner.next_round()
    for _ in range(2):
        learner.next_round()
    assert (learner.state.policy.pulls[0], learner.state.policy.sums[0]) == (0.0, 0.0)
    assert learner.ask(0)


def indices(policy: Any, pulls: list[float], sums: list[float], clock: float) -> list[float]:
    state = Layout.of(policy.State, policy, {"arms": len(pulls)}).fresh()
    state.pulls[:], state.sums[:] = pulls, sums
    common = policy.common(state, clock)
    return [policy.score(state, arm, common) for arm in range(len(pulls))]


def test_indices_are_their_formulas() -> None:
    pulls, sums = [3.0, 5.5], [1.0, 4.0]
    for spec, factor in (("SWUCB(window=9)", 1.0), ("DUCB(discount=0.9)", 2.0)):
        expected = [
            s / n + factor * np.sqrt(0.6 * np.log(9.5) / n)
            for n, s in zip(pulls, sums, strict=True)
        ]
        assert indices(spnb.policy(spec), pulls, sums, 100.0) == pytest.approx(expected)
        # Before the memory is full the clock is what counts.
        first = sums[0] / 3 + factor * np.sqrt(0.6 * np.log(4) / 3)
        assert indices(spnb.policy(spec), pulls, sums, 4.0)[0] == pytest.approx(first)


def test_draws_have_the_law_of_what_is_remembered(seed: int) -> None:
    policy: Any = spnb.policy("DTS(discount=0.9)")
    state = Layout.of(policy.State, policy, {"arms": 1}).fresh()
    state.dice.key, state.pulls[0], state.sums[0] = seed, 4.5, 1.2
    draws = []
    for _ in range(2000):
        policy.refresh(state)
        draws.append(state.sample[0])
    assert stats.kstest(draws, stats.beta(2.2, 4.3).cdf).pvalue > 1e-7


def naive_evidence(rewards: list[float]) -> float:
    def fit(part: list[float]) -> float:
        mean = sum(part) / len(part)
        return float(sum(np.log(mean if reward else 1 - mean) for reward in part))

    whole = fit(rewards)
    cuts = [fit(rewards[:cut]) + fit(rewards[cut:]) for cut in range(1, len(rewards))]
    return max([0.0, *(each - whole for each in cuts)])


def test_evidence_of_change_is_the_likelihood_ratio_over_all_cuts(seed: int) -> None:
    policy: Any = spnb.policy("GLRKLUCB(delta=1e-30)")
    state = Layout.of(policy.State, policy, {"arms": 1}).fresh()
    policy.start(state, None)
    luck, rewards = generator(seed, "rewards"), []
    for number in range(32):  # so many moments are kept
        rewards.append(float(luck.random() < (0.2 if number < 12 else 0.8)))
        policy.learn(state, 0, rewards[-1], 1.0)
        assert state.evidence_of_change(0) == pytest.approx(naive_evidence(rewards), abs=1e-9)
    for _ in range(500):
        rewards.append(float(luck.random() < 0.8))
        policy.learn(state, 0, rewards[-1], 1.0)
        assert state.closed[0] <= 32
    # With every other moment gone, again and again, the best cut may be missed, never overrated.
    assert 0.0 < state.evidence_of_change(0) <= naive_evidence(rewards) + 1e-9


def test_after_a_start_anew_nothing_of_before_counts() -> None:
    policy: Any = spnb.policy("GLRKLUCB")
    state = Layout.of(policy.State, policy, {"arms": 2}).fresh()
    policy.start(state, None)
    for reward in [1.0] * 40 + [0.0] * 40:
        if state.restarts == 0:
            policy.learn(state, 0, reward, 1.0)
    assert state.restarts == 1
    since = [1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0]
    for number, reward in enumerate(since, start=1):
        policy.learn(state, 0, reward, 1.0)
        assert (state.pulls[0], state.closed[0]) == (number, number)
        assert state.evidence_of_change(0) == pytest.approx(naive_evidence(since[:number]))


def restarts(problem: spnb.Problem, rounds: int, seed: int) -> int:
    agent, worlds = spnb.agent("Challenge(GLRKLUCB)"), problem.worlds(seed, np.arange(1))
    learner, w = spnb.Learner(agent, problem.arms, seed=seed), worlds.of_run(0)
    for round_ in range(rounds):
        for arm in range(problem.arms):
            if learner.ask(arm):
                learner.pulled(arm)
                learner.observe(arm, worlds.law.reward(w, round_, arm))
        learner.next_round()
    return int(learner.state.policy.restarts)  # type: ignore[attr-defined]  # GLR's own state


def test_a_change_is_seen_and_none_is_seen_where_there_is_none(seed: int) -> None:
    swapped = spnb.Changing(((0.9, 0.1), (0.1, 0.9)), length=300)
    assert restarts(swapped, 600, seed) >= 1
    alarms = [restarts(spnb.Bernoulli((0.8, 0.3)), 300, seed + run) for run in range(20)]
    assert sum(alarms) <= 6  # each run raises one with probability delta = 0.01, at the most


def test_an_arm_that_is_passed_and_gets_better_is_found(seed: int) -> None:
    """The leader stays as it is: only forced looks can show the change."""
    better = spnb.Changing(((0.6, 0.1), (0.6, 1.0)), length=400)
    result = spnb.simulate(
        better, ["Challenge", "Challenge(GLRKLUCB)"], rounds=800, runs=60, seed=seed
    )
    regrets = {spec: runs.regret.mean() for spec, runs in result.agents.items()}
    assert regrets["Challenge(GLRKLUCB)"] < 0.8 * 400


def test_memory_helps_where_means_change(seed: int) -> None:
    agents = ["Seq(TS)", "Challenge(DTS(discount=0.99))", "Challenge(GLRKLUCB)"]
    result = spnb.simulate(spnb.Abrupt(10), agents, rounds=2000, runs=300, seed=seed)
    means = {spec: runs.regret.mean() for spec, runs in result.agents.items()}
    assert means[agents[1]] < 0.55 * means[agents[0]]
    assert means[agents[2]] < 0.5 * means[agents[0]]


def test_nonsense_is_refused() -> None:
    with pytest.raises(SpecError, match="SWTS.window must be a whole number >= 1, got 0"):
        spnb.policy("SWTS(window=0)")
    with pytest.raises(SpecError, match="DTS.discount must be a number in"):
        spnb.policy("DTS(discount=1.2)")
