"""Which arms exceed a level: whom APT and Above pull, and the set they answer with."""

from math import log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given

import spnb

from .helpers import bernoulli_kl, with_counts
from .test_budgets import COUNTS


@given(counts=COUNTS)
def test_apt_pulls_the_arm_that_is_hardest_to_place(counts: Any) -> None:
    pulls, sums = map(list, zip(*counts, strict=True))
    policy: Any = spnb.policy("APT(level=0.4, eps=0.05)")
    state = with_counts(policy, pulls, sums)
    n, s = np.array(pulls, dtype=float), np.array(sums, dtype=float)
    index = np.sqrt(n) * (np.abs(s / n - 0.4) + 0.05)
    assert index[policy.choose(state)] == pytest.approx(index.min())
    assert [policy.accepts(state, arm) for arm in range(len(n))] == (s > 0.4 * n).tolist()


@given(counts=COUNTS)
def test_above_pulls_while_the_interval_straddles_the_level(counts: Any) -> None:
    pulls, sums = map(list, zip(*counts, strict=True))
    agent: Any = spnb.agent("Above(level=0.4, delta=0.1)")
    policy, arms = agent.policy, len(pulls)
    state = with_counts(policy, pulls, sums)
    open_ = [
        n * bernoulli_kl(s / n, 0.4) <= log(2 * sqrt(n) * arms / 0.1)
        for n, s in zip(pulls, sums, strict=True)
    ]
    assert [policy.active(state, arm) for arm in range(arms)] == open_
    assert policy.stopped(state) == (not any(open_))


def test_an_arm_placed_too_soon_comes_back_into_question() -> None:
    policy: Any = spnb.agent("Above(level=0.5)").policy
    state = with_counts(policy, [20, 20], [20, 0])
    assert policy.stopped(state)
    policy.learn(state, 0, 0.0, 20.0)  # late rewards
    assert not policy.stopped(state)
    assert policy.active(state, 0)
    assert policy.recommend(state) == 0


def test_the_set_is_the_answer_and_its_errors_are_counted_by_arm(seed: int) -> None:
    problem = spnb.Bernoulli((0.9, 0.7, 0.3, 0.1))
    sure = spnb.identify(problem, "Above(level=0.5)", confidence=0.9, runs=200, seed=seed)
    found = sure.agents["Above(level=0.5)"]
    assert found.undecided.sum() == 0
    assert found.arm_errors.shape == (200, 4)
    assert found.error.mean() < 0.1
    few = spnb.identify(problem, ["Seq(APT(level=0.5))", "SR+"], budget=5, runs=300, seed=seed)
    by_arm = few.agents["Seq(APT(level=0.5))"].arm_error()
    assert by_arm[1] > by_arm[0] + 0.02  # an arm nearer to the level is harder to place
    assert few.agents["SR+"].arm_errors.shape == (300, 0)
    told = few.to_dict()["agents"]
    assert told["Seq(APT(level=0.5))"]["arm_errors"] == by_arm.tolist()
    assert "arm_errors" not in told["SR+"]


def test_an_arm_at_the_level_is_right_on_either_side() -> None:
    problem = spnb.Bernoulli((0.9, 0.52, 0.1))
    spec = "APT(level=0.5)"
    strict = spnb.identify(problem, spec, budget=20, runs=200, seed=1).agents[spec]
    lenient = spnb.identify(problem, spec, budget=20, runs=200, seed=1, tolerance=0.03).agents[spec]
    assert strict.arm_error()[1] > 0.2
    assert lenient.arm_error()[1] == 0.0


@pytest.mark.parametrize(
    "spec", ["APT", "Above", "APT(level=0)", "Above(level=1)", "Above(level=2)"]
)
def test_a_level_is_needed_and_lies_inside_the_unit_interval(spec: str) -> None:
    with pytest.raises(spnb.SpecError, match=r"needs a level|inside \(0, 1\)"):
        spnb.agent(spec)
