import json
from typing import Any

import numpy as np
import pytest

import spnb
from spnb.engine.randomness import generator, generator_from_state, generator_state


def test_a_learner_answers_learns_and_recommends() -> None:
    learner = spnb.Learner("Seq(UCB1)", arms=3, seed=1)
    assert [learner.ask(arm) for arm in range(3)] == [True, False, False]
    assert learner.next_wanted() == 0
    learner.pulled(0)
    assert learner.next_wanted() is None  # Seq waits for the reward
    learner.observe(0, 1.0)
    assert learner.ask(1)
    assert not learner.stopped
    assert learner.recommend() == 0
    assert learner.recommend() == 0


def test_a_late_reward_lets_once_choose_in_the_round_it_comes() -> None:
    learner = spnb.Learner("Greedy", arms=3, seed=1)
    learner.pulled(0)
    learner.next_round()
    assert learner.next_wanted() is None
    learner.observe(0, 0.0)
    assert learner.next_wanted() == 1


def test_agents_that_need_no_reward_go_on() -> None:
    for spec in ("Challenge", "SR+", "Uniform+", "Pack(UCBE(c=2, adaptive), rounds=9, pulls=99)"):
        learner = spnb.Learner(spec, arms=3, horizon=30, seed=1)
        for arm in range(3):
            assert learner.ask(arm)
            learner.pulled(arm)
        learner.next_round()
        assert learner.ask(0), spec


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda one: one.ask(3), "arm must be from 0 to 2, got 3"),
        (lambda one: one.ask(-1), "arm must be from 0 to 2, got -1"),
        (lambda one: one.observe(0, 1.5), r"reward of arm 0 must lie in \[0, 1\], got 1.5"),
        (lambda one: one.observe(0, float("nan")), "got nan"),
    ],
)
def test_bad_input_is_refused(act: Any, message: str) -> None:
    with pytest.raises(spnb.SpnbError, match=message):
        act(spnb.Learner("TS", arms=3))


def test_a_saved_learner_that_is_not_one_is_refused() -> None:
    good = spnb.Learner("TS", arms=3, seed=1).to_dict()
    for broken, message in (
        ({k: v for k, v in good.items() if k != "seed"}, "needs 'seed'"),
        (good | {"state": {}}, "a state has the fields"),
        (good | {"arms": 4}, "has shape"),
    ):
        with pytest.raises(spnb.DataError, match=message):
            spnb.Learner.from_dict(json.loads(json.dumps(broken)))


def test_infinities_survive_json_as_valid_json() -> None:
    learner = spnb.Learner("Seq(UCBE(c=2, adaptive))", arms=3, horizon=50, seed=1)
    text = json.dumps(learner.to_dict(), allow_nan=False)
    assert spnb.Learner.from_dict(json.loads(text)).to_dict() == learner.to_dict()


def test_a_generator_goes_on_where_it_was_saved() -> None:
    rng = generator(3, "someone")
    rng.random(5)
    again = generator_from_state(json.loads(json.dumps(generator_state(rng))))
    assert (rng.random(10) == again.random(10)).all()
    assert not np.array_equal(generator(3, "a").random(3), generator(3, "b").random(3))


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
