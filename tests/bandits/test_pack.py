"""Pack: its share of the pulls for each round, and the arms it spends them on."""

from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spnb
from spnb.bandits.agents import Pack
from spnb.bandits.policies import UCB1

from .helpers import started


def test_pack_gives_each_round_its_share_of_the_pulls_left_rounded_up() -> None:
    learner = spnb.Learner("Pack(UCBE(c=2, adaptive), rounds=3, pulls=7)", 5, horizon=7, seed=1)
    made = []
    for round_ in range(4):
        if round_:
            learner.next_round()
        wanted = 0
        for arm in range(5):
            if learner.ask(arm):
                learner.pulled(arm)
                learner.observe(arm, 0.0)
                wanted += 1
        made.append(wanted)
    assert made == [3, 2, 2, 0]
    assert learner.stopped


@settings(deadline=None)
@given(rounds=st.integers(1, 12), pulls=st.integers(1, 60), arms=st.integers(1, 6))
def test_the_quota_is_the_pulls_left_over_the_rounds_left_rounded_up(
    rounds: int, pulls: int, arms: int
) -> None:
    agent = Pack(UCB1(), rounds=rounds, pulls=pulls)
    s = started(agent, arms)
    left = pulls
    for round_ in range(rounds):
        assert s.quota == ceil(left / (rounds - round_))
        made = 0
        for arm in range(arms):
            if agent.wanted(s, arm) == arm:
                agent.pulled(s, arm)
                agent.observe(s, arm, 0.5, 1.0)
                made += 1
        assert made == min(arms, ceil(left / (rounds - round_)))
        left -= made
        assert agent.stopped(s) == (left == 0)
        agent.next_round(s)
    assert agent.stopped(s)
    assert agent.wanted(s, 0) == arms


@settings(max_examples=200, deadline=None)
@given(
    counts=st.lists(st.tuples(st.integers(0, 6), st.floats(0, 1)), min_size=1, max_size=8),
    quota=st.integers(0, 9),
    spec=st.sampled_from(["UCB1", "KLUCB", "bUCB", "Greedy", "TS", "IMED"]),
    key=st.integers(0, 2**64 - 1),
)
def test_an_arm_is_pulled_if_it_ranks_among_the_quota_of_those_ahead(
    counts: list[tuple[int, float]], quota: int, spec: str, key: int
) -> None:
    policy: Any = spnb.policy(spec)
    agent, arms = Pack(policy, rounds=5, pulls=5), len(counts)
    s = started(agent, arms, key=key)
    for arm, (trials, share) in enumerate(counts):
        if trials:
            policy.learn(s.policy, arm, float(round(share * trials)), float(trials))
    policy.refresh(s.policy)
    s.quota = quota
    common = policy.common(s.policy, s.policy.total + 1.0)
    scores = [policy.score(s.policy, arm, common) for arm in range(arms)]
    for start in range(arms):
        ranked = sorted(scores[start:], reverse=True)
        least = ranked[min(quota, len(ranked)) - 1] if quota else float("inf")
        among = [arm for arm in range(start, arms) if quota and scores[arm] >= least]
        assert agent.wanted(s, start) == (among[0] if among else arms)


def test_left_out_pulls_are_the_horizon_and_rounds_half_of_it_rounded_up() -> None:
    s = started(Pack(UCB1()), 3, horizon=15)
    assert (s.pulls_left, s.rounds_left, s.quota) == (15, 8, 2)
    s = started(Pack(UCB1(), rounds=5), 3, horizon=15)
    assert (s.pulls_left, s.rounds_left, s.quota) == (15, 5, 3)
    s = started(Pack(UCB1(), pulls=4), 3, horizon=15)
    assert (s.pulls_left, s.rounds_left, s.quota) == (4, 8, 1)


@pytest.mark.parametrize("spec", ["Pack(KLUCB)", "Pack(bUCB)", "Pack(TS)", "Pack(IMED)"])
def test_arms_without_a_reward_break_no_index(spec: str) -> None:
    learner = spnb.Learner(spec, 3, horizon=6, seed=1)
    for _ in range(3):
        assert sum(learner.ask(arm) for arm in range(3)) <= 3
        learner.next_round()
