"""Phases of UCBrev, SR and SH: when they end and whom they drop."""

from math import ceil, log, sqrt
from typing import Any

import numpy as np
import pytest

import spnb
from spnb.bandits.policies.elimination import sr_phase_end
from spnb.theory import log_bar

from .helpers import started, with_history


def phase_ends(spec: str, arms: int, horizon: int) -> list[float]:
    """The pulls of each arm after which it is checked, if none is ever dropped."""
    policy: Any = spnb.policy(spec)
    state = started(policy, arms, horizon)
    ends = []
    while np.isfinite(state.due):
        ends.append(state.due)
        state.phase += 1
        state.gap *= 0.5
        state.due = policy.phase_end(state)
    return ends


def test_ucbrev_checks_its_arms_after_these_rounds() -> None:
    assert phase_ends("UCBrev", 10, 1000) == [14, 45, 133, 352, 698]
    assert phase_ends("UCBrev", 10, 2) == []


@pytest.mark.parametrize("spec", ["UCBrev+", "Seq(UCBrev)"])
def test_ucbrev_checks_its_arms_when_played_as_well(spec: str) -> None:
    learner = spnb.Learner(spec, 3, horizon=1000, seed=1)
    state: Any = learner.state.policy
    ends = []
    for round_ in range(1, 1001):
        before = state.phase
        for arm in range(3):
            assert learner.ask(arm), "arms of equal means are all in question to the end"
            learner.pulled(arm)
            learner.observe(arm, float(round_ % 2))
        ends += [round_] * (state.phase - before)
        learner.next_round()
    assert ends == [14, 45, 133, 352, 698]


@pytest.mark.parametrize(
    ("number", "first", "last"), [(1, 32, 320), (3, 316, 631), (4, 51, 153), (7, 57, 855)]
)
def test_successive_rejects_ends_its_phases_as_published(
    number: int, first: int, last: int
) -> None:
    arms, budget = spnb.experiment(number).arms, float(spnb.problems.BUDGETS[number])
    ends = [sr_phase_end(budget, arms, k) for k in range(1, arms)]
    assert (ends[0], ends[-1]) == (first, last)
    by_hand = [ceil((budget - arms) / (log_bar(arms) * (arms + 1 - k))) for k in range(1, arms)]
    assert ends == by_hand
    assert sum(ends) + ends[-1] <= budget


def test_successive_rejects_drops_one_arm_at_each_end_and_keeps_to_its_budget() -> None:
    arms, budget = 5, 200
    policy: Any = spnb.policy('SR(ties="first")')
    state = started(policy, arms, budget)
    ends = [sr_phase_end(budget, arms, k) for k in range(1, arms)]
    dropped = []
    while not policy.stopped(state):
        arm, before = policy.choose(state), state.left
        policy.learn(state, arm, float(state.pulls[arm] % (arm + 2) == 0), 1.0)
        if state.left < before:
            dropped.append(state.pulls[arm])
    assert dropped == ends
    assert state.total <= budget
    assert policy.recommend(state) == 0
    assert [policy.active(state, arm) for arm in range(arms)] == [True, *[False] * 4]


@pytest.mark.parametrize("radius", ["auer", "printed"])
def test_ucbrev_drops_what_its_width_says(radius: str) -> None:
    horizon, due = 1000, 14
    log_term = log(horizon) if radius == "auer" else log(due)
    width = sqrt(log_term / (2 * due))
    policy = spnb.policy(f'UCBrev(radius="{radius}")')
    for wins in range(due + 1):
        state = with_history(policy, [due, due], [due, wins], horizon)
        dropped = wins / due + width < 1 - width
        assert state.alive == [True, not dropped]
        assert state.left == 2 - dropped


def test_successive_rejects_drops_the_worst_and_halving_the_worse_half() -> None:
    rejects = with_history(spnb.policy("SR"), [6] * 4, [5, 4, 1, 3], horizon=40)
    assert rejects.alive == [True, True, False, True]
    halving = with_history(spnb.policy("SH"), [2] * 5, [2, 0, 2, 1, 0], horizon=30)
    assert halving.alive == [True, False, True, True, False]
    assert halving.due == 2 + 30 // (3 * 3)


@pytest.mark.parametrize("arms", [1, 2, 3, 4, 5, 8, 9])
def test_halving_has_ceil_log2_phases_and_keeps_to_its_budget(arms: int) -> None:
    budget, phases = 600, max(ceil(np.log2(arms)), 1)
    policy: Any = spnb.policy("SH")
    state = started(policy, arms, budget)
    survivors, made = [arms], 0
    while not policy.stopped(state):
        share, target = budget // (survivors[-1] * phases), 0.0
        for _ in range(share * survivors[-1]):
            assert state.left == survivors[-1]
            policy.learn(state, policy.choose(state), 0.5, 1.0)
            made += 1
        target += share
        survivors.append(state.left)
    assert survivors == [-(-arms // 2**k) for k in range(len(survivors))]
    assert len(survivors) - 1 == (phases if arms > 1 else 0)
    assert made <= budget


def test_the_survivor_is_recommended_whatever_the_means_of_the_dropped() -> None:
    policy: Any = spnb.policy("SR")
    state = with_history(policy, [6] * 4, [5, 4, 1, 3], horizon=40)
    state.sums[2] = 6.0  # a late reward makes the dropped arm look best
    assert policy.recommend(state) == 0


def test_elimination_pulls_the_active_arm_of_fewest_rewards() -> None:
    policy: Any = spnb.policy("UCBrev")
    state = with_history(policy, [4, 2, 3], [0, 0, 0])
    assert policy.choose(state) == 1
    policy.learn(state, 1, 0.0, 2.0)
    assert policy.choose(state) == 2


def test_counts_that_pass_several_phase_ends_at_once_end_them_all() -> None:
    policy: Any = spnb.policy('SR(ties="first")')
    one_by_one = with_history(policy, [30] * 3, [20, 10, 5], horizon=60)
    at_once = started(policy, 3, 60)
    for arm, wins in enumerate((20.0, 10.0, 5.0)):
        policy.learn(at_once, arm, wins, 30.0)
    assert at_once.alive == one_by_one.alive == [True, False, False]
