"""Bandits of other libraries under spnb's agents."""

from typing import Any

import numpy as np
import pytest
from mabwiser.mab import MAB, LearningPolicy
from river import bandit

import spnb
from spnb.bandits.agents import Challenge, Once, Seq


def river_make(arms: int, number: int) -> Any:
    return bandit.UCB(delta=1.0, seed=number), list(range(arms))


def river_select(pair: Any) -> int:
    policy, arms = pair
    return int(policy.pull(arms))


def river_learn(pair: Any, arm: int, reward: float) -> None:
    pair[0].update(arm, reward)


def mabwiser_make(arms: int, number: int) -> Any:
    mab = MAB(list(range(arms)), LearningPolicy.UCB1(alpha=1.0), seed=number)
    mab.fit(list(range(arms)), [0.5] * arms)
    return mab


def mabwiser_select(mab: Any) -> int:
    return int(mab.predict())


def mabwiser_learn(mab: Any, arm: int, reward: float) -> None:
    mab.partial_fit([arm], [reward])


def mabwiser_scores(mab: Any) -> list[float]:
    scores = mab.predict_expectations()
    return [scores[arm] for arm in sorted(scores)]


RIVER = spnb.adapt("river.UCB", make=river_make, select=river_select, learn=river_learn)
MABWISER = spnb.adapt(
    "mabwiser.UCB1",
    make=mabwiser_make,
    select=mabwiser_select,
    learn=mabwiser_learn,
    scores=mabwiser_scores,
)
PROBLEM = spnb.Bernoulli((0.1, 0.8, 0.2))


@pytest.mark.parametrize("policy", [RIVER, MABWISER], ids=str)
def test_a_foreign_bandit_runs_under_once_and_seq(policy: Any) -> None:
    once, seq = Once(policy), Seq(policy)
    result = spnb.simulate(PROBLEM, [once, seq], rounds=60, runs=6, seed=1)
    assert str(seq) == f"Seq({policy})"
    assert (result.agents[str(once)].pulls_per_round == 1).all()
    assert result.agents[str(seq)].opti.mean() > 0.5
    assert result.paired("regret", str(seq), str(once)).mean < 0


@pytest.mark.parametrize("policy", [RIVER, MABWISER], ids=str)
def test_under_seq_it_pulls_what_it_pulls_alone(policy: Any) -> None:
    rewards = np.random.default_rng(5).random((40, 3)) < (0.1, 0.8, 0.2)
    bandit_alone = policy.make(3, 0)
    alone = []
    for row in rewards:
        arm = policy.select(bandit_alone)
        policy.teach(bandit_alone, arm, float(row[arm]))
        alone.append(arm)
    learner = spnb.Learner(Seq(policy), arms=3, seed=0)
    under_seq: list[int] = []
    position = 0
    while len(under_seq) < 40:
        arm = learner.next_wanted(position) if position < 3 else None
        if arm is None:
            learner.next_round()
            position = 0
        else:
            learner.pulled(arm)
            learner.observe(arm, float(rewards[len(under_seq), arm]))
            under_seq.append(arm)
            position = arm + 1
    assert under_seq == alone


def test_a_foreign_index_serves_challenge() -> None:
    result = spnb.simulate(PROBLEM, Challenge(MABWISER), rounds=60, runs=4, seed=1)
    assert result.agents["Challenge(mabwiser.UCB1)"].opti.mean() > 0.8


def test_without_an_index_challenge_says_what_is_missing() -> None:
    with pytest.raises(spnb.SpecError, match=r"river.UCB tells no index"):
        spnb.simulate(PROBLEM, Challenge(RIVER), rounds=5, runs=1, seed=1)


def test_an_arm_that_does_not_exist_is_named() -> None:
    wild = spnb.adapt("wild", make=lambda k, n: None, select=lambda b: 7, learn=lambda *a: None)
    with pytest.raises(spnb.SpecError, match="wild selected an arm outside 0 to 2"):
        spnb.simulate(PROBLEM, Seq(wild), rounds=5, runs=1, seed=1)


def test_a_foreign_state_cannot_be_written_and_says_so() -> None:
    learner = spnb.Learner(Seq(RIVER), arms=3, seed=0)
    with pytest.raises(spnb.DataError, match="foreign object: it cannot be written down"):
        learner.to_dict()
