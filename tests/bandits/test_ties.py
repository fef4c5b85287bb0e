"""Which of several equal arms is pulled, recommended, dropped."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import spnb
from spnb.bandits.policies import UCB1
from spnb.engine.dice import stream_keys

from .helpers import started, with_history

NEVER = 1e-8  # a p-value below this happens once in a hundred million tests
TIES: Any = ["random", "first", "ahead"]


@given(
    score=st.lists(st.sampled_from([0.0, 0.25, 0.5, float("inf")]), min_size=1, max_size=8),
    ties=st.sampled_from(TIES),
    ahead=st.integers(0, 7),
    key=st.integers(0, 2**64 - 1),
)
def test_the_pick_is_a_largest_one_as_ties_say(
    score: list[float], ties: Any, ahead: int, key: int
) -> None:
    policy = UCB1(ties=ties)
    state = started(policy, len(score), key=key)
    state.ahead = ahead % len(score)
    top = [arm for arm, value in enumerate(score) if value == max(score)]
    arm = policy.pick(state, score)
    assert arm in top
    if ties == "first":
        assert arm == top[0]
    if ties == "ahead":
        assert arm == min(top, key=lambda k: (k - state.ahead) % len(score))
    # One number is drawn if there is something to settle, and none otherwise.
    assert state.dice.drawn == (ties == "random" and len(top) > 1)


def settled(spec: str, pulls: list[int], sums: list[float], seed: int) -> Counter[int]:
    policy = spnb.policy(spec)
    state = with_history(policy, pulls, sums)
    chosen: Counter[int] = Counter()
    for key in stream_keys(seed, spec, range(3000)).tolist():
        state.dice.key, state.dice.drawn = key, 0
        chosen[policy.choose(state)] += 1
    return chosen


@pytest.mark.parametrize("spec", ["UCB1", "KLUCB", "KLUCB+", "IMED", "MOSS", "UCBE(c=2)", "Greedy"])
def test_random_ties_are_uniform(spec: str, seed: int) -> None:
    chosen = settled(spec, [9, 4, 4, 9, 4], [1, 4, 4, 1, 4], seed)
    assert set(chosen) == {1, 2, 4}
    assert chisquare(list(chosen.values())).pvalue > NEVER


def test_random_ties_of_bucb_are_uniform_from_its_prior_on(seed: int) -> None:
    assert chisquare(list(settled("bUCB", [0] * 4, [0] * 4, seed).values())).pvalue > NEVER
    later = settled("bUCB", [0, 6, 0, 6], [0, 0, 0, 0], seed)
    assert set(later) == {0, 2}
    assert chisquare(list(later.values())).pvalue > NEVER


def test_ahead_is_the_tie_offered_soonest_after_the_last_pull() -> None:
    policy = UCB1(ties="ahead")
    state = started(policy, 4)
    for arm in (0, 1, 2, 3, 2, 1, 3, 0):  # two losses each, arm 0 pulled last
        policy.learn(state, arm, 0.0, 1.0)
    assert policy.choose(state) == 1
    policy.learn(state, 1, 0.0, 1.0)
    assert policy.choose(state) == 2
    policy.learn(state, 3, 0.0, 1.0)
    assert policy.choose(state) == 0


def test_elimination_drops_any_of_the_worst(seed: int) -> None:
    for spec in ("SR", "SH"):
        policy: Any = spnb.policy(spec)
        kept: Counter[int] = Counter()
        for key in stream_keys(seed, spec, range(2000)).tolist():
            state = started(policy, 4, 4, key=key)
            for arm in range(4):
                policy.learn(state, arm, 0.0, 1.0)
            kept.update(arm for arm in range(4) if state.alive[arm])
            assert state.left == (1 if spec == "SR" else 2)
        # The arms of a run exclude each other, so their counts vary less than this takes for sure.
        assert chisquare([kept[arm] for arm in range(4)]).pvalue > NEVER


@pytest.mark.parametrize("spec", ["Greedy", "EpsGreedy(eps=0)", "SR", "TS", "Seq(UCB1)"])
def test_the_recommended_arm_is_any_of_the_best_means(spec: str, seed: int) -> None:
    found: Counter[int] = Counter()
    for number in range(2000):
        learner = spnb.Learner(spec, 3, horizon=1000, seed=(seed + number) % 2**32)
        for arm, reward in ((0, 1.0), (1, 0.0), (2, 1.0)):
            learner.found(arm, reward)
        found[learner.recommend()] += 1
    assert set(found) == {0, 2}
    assert chisquare(list(found.values())).pvalue > NEVER


def test_ahead_saves_rounds_of_identification_and_nothing_else(seed: int) -> None:
    # Against random ties the saving is more than ten times its standard error.
    agents = ["Seq(UCBE(c=2))", 'Seq(UCBE(c=2, ties="ahead"))']
    problem = spnb.experiment(4)
    result = spnb.identify(problem, agents, budget=600, runs=400, seed=seed)
    assert result.paired("rounds", agents[1], agents[0]).high < 0
    assert abs(result.paired("error", *agents).mean) < 0.2
