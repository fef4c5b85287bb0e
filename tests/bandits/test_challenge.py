"""Challenge: the leader and the bar it keeps, and whom it pulls."""

from math import log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

import spnb
from spnb.bandits.agents import Challenge

from .helpers import bernoulli_kl, started

EVENT = st.tuples(
    st.sampled_from(["pull", "observe", "observe", "lost", "found", "round"]),
    st.integers(0, 4),
    st.sampled_from([(0.0, 1.0), (1.0, 1.0), (0.5, 1.0), (2.0, 3.0), (0.0, 4.0), (4.0, 4.0)]),
)
POLICIES = ["KLUCB+", "KLUCB", "TS", "IMED", "bUCB", "UCB1"]


def happen(agent: Challenge, s: Any, event: Any) -> None:
    kind, arm, (reward, trials) = event
    arm %= len(s.waiting)
    if kind == "pull":
        agent.pulled(s, arm)
    elif kind == "observe" and s.waiting[arm]:
        agent.observe(s, arm, reward, trials)
    elif kind == "lost" and s.waiting[arm]:
        agent.lost(s, arm)
    elif kind == "found":
        agent.found(s, arm, reward, trials)
    elif kind == "round":
        agent.next_round(s)


def from_scratch(s: Any, best: int) -> tuple[float, int]:
    """The bar and the last leader, by a sort."""
    counts = list(zip(s.policy.pulls, s.policy.sums, strict=True))
    standing = [(w + 1) / (n + 2) if n else -1.0 for n, w in counts]
    bar = sorted(standing, reverse=True)[: min(best, len(counts))][-1]
    return bar, standing.index(bar)


@settings(max_examples=150, deadline=None)
@given(
    spec=st.sampled_from(POLICIES),
    best=st.integers(1, 3),
    arms=st.integers(1, 5),
    events=st.lists(EVENT, max_size=40),
)
def test_bar_and_leader_are_what_a_sort_finds_after_every_event(
    spec: str, best: int, arms: int, events: list[Any]
) -> None:
    agent = Challenge(spnb.policy(spec), best=best)  # type: ignore[arg-type]
    s = started(agent, arms)
    for event in events:
        happen(agent, s, event)
        assert (s.bar, s.leader) == from_scratch(s, best), event


def may_beat(spec: str, n: float, w: float, leader: tuple[float, float], r: float) -> float:
    """Positive if the index reaches the leader's mean, negative if it does not."""
    n_top, w_top = leader
    level = w_top / n_top
    if spec == "bUCB":
        return float(beta.sf((w_top + 1) / (n_top + 2), 1 + w, 1 + n - w)) - 1 / r
    cost = n * bernoulli_kl(w / n, level) if w / n < level else 0.0
    if spec == "IMED":
        return log(n_top) - cost - log(n)
    return (log(r) if spec == "KLUCB" else log(max(r / n, 1.0))) - cost


@settings(max_examples=150, deadline=None)
@given(
    spec=st.sampled_from(["KLUCB+", "KLUCB", "IMED", "bUCB"]),
    best=st.integers(1, 3),
    events=st.lists(EVENT, min_size=5, max_size=60),
)
def test_it_pulls_the_new_the_leaders_and_whoever_may_beat_the_last_of_them(
    spec: str, best: int, events: list[Any]
) -> None:
    agent = Challenge(spnb.policy(spec), best=best)  # type: ignore[arg-type]
    s = started(agent, 5)
    for event in events:
        happen(agent, s, event)
        bar, top = from_scratch(s, best)
        counts = list(zip(s.policy.pulls, s.policy.sums, strict=True))
        for arm, (n, w) in enumerate(counts):
            asked = agent.wanted(s, arm) == arm
            if n == 0:
                assert asked == (s.waiting[arm] == 0), "never pulled, or on its way"
            elif (w + 1) / (n + 2) >= bar or w * counts[top][0] >= counts[top][1] * n:
                assert asked, "a leader, or a mean no less than the leader's"
            else:
                margin = may_beat(spec, n, w, counts[top], s.round)
                if abs(margin) > 1e-9:  # where rounding has no say
                    assert asked == (margin > 0), (arm, s.round, counts)


def test_the_next_wanted_arm_is_the_first_that_would_be_pulled() -> None:
    learner = spnb.Learner("Challenge", 4, seed=1)
    for arm, reward in ((0, 1.0), (1, 0.0), (2, 0.0), (3, 1.0)):
        for _ in range(30):
            learner.found(arm, reward)
    assert [learner.ask(arm) for arm in range(4)] == [True, False, False, True]
    assert learner.next_wanted(1) == 3


def test_one_lucky_pull_does_not_make_a_leader() -> None:
    # By S/N the first arm (1 of 1) would lead, and 17 of 20 could not reach its mean of 1.
    learner = spnb.Learner("Challenge", 2, seed=1)
    for arm, reward, trials in ((0, 1.0, 1), (1, 17.0, 20)):
        learner.pulled(arm)
        learner.observe(arm, reward, trials)
    assert learner.ask(1)
    assert learner.ask(0), "its index is 1"


def test_never_pulled_is_not_the_same_as_no_reward_yet() -> None:
    learner = spnb.Learner("Challenge", 2, seed=1)
    assert learner.ask(0)
    learner.pulled(0)
    assert not learner.ask(0), "it was pulled: its reward will come"
    learner.next_round()
    assert not learner.ask(0)
    learner.lost(0)
    assert learner.ask(0), "nothing will ever be known of that pull"


def test_the_clock_is_the_round() -> None:
    learner = spnb.Learner("Challenge(KLUCB)", 2, seed=1)
    learner.found(0, 18.0, 20)
    learner.found(1, 12.0, 20)
    cost = 20 * bernoulli_kl(0.6, 0.9)
    for round_ in range(1, 5000):
        assert learner.ask(1) == (log(round_) >= cost)
        learner.next_round()
    assert log(4999) > cost


@pytest.mark.parametrize("spec", ["Challenge(TS)", "Challenge", "Challenge(bUCB)"])
def test_a_leader_of_mean_one_does_not_lock_the_better_arm_out(spec: str, seed: int) -> None:
    for means in ((1.0, 0.99), (0.99, 1.0)):
        result = spnb.simulate(spnb.Bernoulli(means), spec, rounds=1000, runs=300, seed=seed)
        # About 1 to 4, at most 10; locked out it is 451 in the mean of one of the orders.
        assert result.agents[spec].regret.mean() < 15, means


@pytest.mark.parametrize("spec", ["Challenge(TS)", "Challenge(bUCB)"])
def test_bayesian_challengers_face_the_posterior_mean_of_the_leader(spec: str) -> None:
    learner: Any = spnb.Learner(spec, 2, seed=1)
    learner.found(0, 3.0, 4)
    learner.found(1, 1.0, 4)
    rival = learner.agent.policy.rival(learner.state.policy, 0, 1.0)
    level = rival if spec == "Challenge(TS)" else rival[1]
    assert level == pytest.approx(4 / 6)
