"""One learner in the real world."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spnb
from spnb.bandits import registry
from spnb.base.errors import DataError, SpecError
from spnb.engine.state import to_dict


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
        # Challenge has pulled every arm: it waits for what they pay.
        assert learner.ask(0) == (spec != "Challenge"), spec


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda one: one.ask(3), "arm must be from 0 to 2, got 3"),
        (lambda one: one.ask(-1), "arm must be from 0 to 2, got -1"),
        (lambda one: one.ask(True), "arm must be a whole number, got True"),
        (lambda one: one.ask(1.0), "arm must be a whole number, got 1.0"),
        (lambda one: one.pulled(3), "arm must be from 0 to 2, got 3"),
        (lambda one: one.lost(3), "arm must be from 0 to 2, got 3"),
        (lambda one: one.observe(0, 1.5), r"reward of arm 0 must lie in \[0, 1\], got 1.5"),
        (lambda one: one.observe(0, float("nan")), "got nan"),
        (lambda one: one.observe(0, -0.1), r"must lie in \[0, 1\], got -0.1"),
        (lambda one: one.found(0, 8, 7), r"reward of arm 0 must lie in \[0, 7\], got 8"),
        (lambda one: one.observe(0, 0, 0), "trials must be a whole number >= 1, got 0"),
        (lambda one: one.observe(0, 0, 1.5), "trials must be a whole number >= 1, got 1.5"),
        (lambda one: one.observe(0, 1, True), "trials must be a whole number >= 1, got True"),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(act: Any, message: str) -> None:
    learner = spnb.Learner("TS", arms=3, seed=1)
    before = learner.to_dict()
    with pytest.raises(spnb.SpnbError, match=message):
        act(learner)
    assert learner.to_dict() == before


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"arms": 0}, "arms must be a whole number >= 1, got 0"),
        ({"arms": True}, "arms must be a whole number >= 1, got True"),
        ({"arms": 2.0}, "arms must be a whole number >= 1, got 2.0"),
        ({"horizon": 0}, "horizon must be a whole number >= 1, got 0"),
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
        ({"agent": "MOSS"}, "MOSS needs to know the horizon"),
        ({"agent": "Pack(UCB1)"}, "needs to know the horizon"),
        ({"agent": "Pack(UCB1, rounds=3)"}, "needs to know the horizon"),
        ({"agent": "bUCB(c=1)"}, "needs to know the horizon"),
        ({"agent": "SR+"}, "needs to know the horizon"),
        ({"agent": "UCBE(c=2)", "horizon": 9}, r"needs H1.*UCBE\(c=2, plugin\)"),
    ],
)
def test_a_learner_refuses_nonsense_and_says_what_it_needs(
    given_: dict[str, Any], message: str
) -> None:
    with pytest.raises(spnb.SpecError, match=message):
        spnb.Learner(**{"agent": "TS", "arms": 3, **given_})


def saved(spec: str = "Seq(TS)") -> dict[str, Any]:
    learner = spnb.Learner(spec, arms=3, horizon=50, seed=1)
    learner.pulled(0)
    learner.observe(0, 1.0)
    return json.loads(json.dumps(learner.to_dict(), allow_nan=False))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"state": {}}, "a Following has the fields"),
        ({"state": None}, "a Following has the fields"),
        ({"arms": 4}, "must be a list of 4"),
        ({"agent": "Seq(UCB1)"}, "has the fields"),
        ({"agent": "Seq(Unheard)"}, "unknown policy or agent"),
        ({"agent": 3}, "an agent is a spec"),
        ({"arms": "3"}, "arms must be a whole number"),
        ({"seed": "x"}, "seed must be"),
        ({"horizon": 0}, "horizon must be"),
        ({"more": 1}, "a saved learner has the fields"),
    ],
)
def test_a_saved_learner_that_is_not_one_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(spnb.SpnbError, match=message):
        spnb.Learner.from_dict(saved() | change)


@pytest.mark.parametrize("data", [None, [], "x", 3, {}, {1: 2}])
def test_what_is_no_saved_learner_at_all_is_refused(data: Any) -> None:
    with pytest.raises(spnb.DataError, match="a saved learner has the fields"):
        spnb.Learner.from_dict(data)


@pytest.mark.parametrize("missing", ["agent", "arms", "horizon", "hardness", "seed", "state"])
def test_a_saved_learner_lacks_nothing(missing: str) -> None:
    data = saved()
    del data[missing]
    with pytest.raises(spnb.DataError, match="a saved learner has the fields"):
        spnb.Learner.from_dict(data)


def places(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where a value stands, anywhere in nested data."""
    inner = data.items() if isinstance(data, dict) else enumerate(data)
    found = []
    for key, value in inner:
        found.append((*path, key))
        if isinstance(value, dict | list):
            found += places(value, (*path, key))
    return found


odd = st.sampled_from([None, True, "", "x", [], {}, -1, 3, 2**70, 0.5, 1e300, [1.0], {"a": 1}])


@settings(max_examples=300, deadline=None)
@given(data=st.data(), spec=st.sampled_from(["Seq(TS)", "Challenge(bUCB)", "SR+", "Pack(UCB1)"]))
def test_any_change_of_a_saved_learner_is_refused_or_kept(data: st.DataObject, spec: str) -> None:
    changed = saved(spec)
    path = data.draw(st.sampled_from([p for p in places(changed) if p != ("hardness",)]))
    target: Any = changed
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = data.draw(odd if path != ("arms",) else st.sampled_from([None, "x", 4, -1]))
    try:
        learner = spnb.Learner.from_dict(changed)
    except spnb.SpnbError:
        return
    again = learner.to_dict()
    assert again == changed or path in (("seed",), ("agent",))


def test_infinities_survive_json_as_valid_json() -> None:
    learner = spnb.Learner("Seq(UCBE(c=2, adaptive))", arms=3, horizon=50, seed=1)
    text = json.dumps(learner.to_dict(), allow_nan=False)
    assert spnb.Learner.from_dict(json.loads(text)).to_dict() == learner.to_dict()


@pytest.mark.parametrize("spec", registry.agent_samples())
def test_recommending_and_asking_change_nothing(spec: str, seed: int) -> None:
    learner = spnb.Learner(spec, 4, horizon=40, seed=seed, hardness=9.0)
    for arm in range(4):
        learner.found(arm, 0.5)  # a tie of all arms, to be settled by dice
    before = to_dict(learner.state)
    answers = {learner.recommend() for _ in range(5)}
    assert len(answers) == 1
    assert [learner.ask(arm) for arm in range(4)] == [learner.ask(arm) for arm in range(4)]
    learner.next_wanted(1)
    assert learner.stopped in (True, False)
    assert to_dict(learner.state) == before


@pytest.mark.parametrize("spec", registry.policy_samples())
def test_seven_of_a_hundred_and_twenty_count_as_so_many_rewards(spec: str, seed: int) -> None:
    learner = spnb.Learner(f"Seq({spec})", 3, horizon=500, seed=seed, hardness=9.0)
    for arm, wins in ((0, 1.0), (1, 0.0), (2, 1.0)):
        learner.found(arm, wins)
    learner.pulled(1)
    learner.observe(1, 7, trials=120)
    state = learner.state.policy
    assert (state.pulls, state.sums, state.total) == ([1, 121, 1], [1, 7, 1], 123)
    learner.found(2, 3.5, trials=9)
    assert (state.pulls[2], state.sums[2], state.total) == (10, 4.5, 132)


@pytest.mark.parametrize(
    "spec", ["UCB1", "KLUCB", "KLUCB+", "IMED", "MOSS", "UCBE(c=2)", "bUCB", "Greedy"]
)
def test_a_sum_of_trials_leaves_the_index_that_single_rewards_leave(spec: str) -> None:
    policy: Any = spnb.policy(spec)
    at_once, one_by_one = (
        spnb.Learner(f"Seq({spec})", 2, horizon=500, seed=1, hardness=9.0) for _ in range(2)
    )
    at_once.found(0, 7, trials=120)
    for number in range(120):
        one_by_one.found(0, float(number % 17 == 3))
    for learner in (at_once, one_by_one):
        learner.found(1, 1.0)
    scores = []
    for learner in (at_once, one_by_one):
        common = policy.common(learner.state.policy, 122.0)
        scores.append([policy.score(learner.state.policy, arm, common) for arm in (0, 1)])
    assert scores[0] == pytest.approx(scores[1], rel=1e-12)


def test_learners_of_other_seeds_throw_other_dice() -> None:
    draws = {
        tuple(
            np.argmax([spnb.Learner("Seq(TS)", 9, seed=s).ask(a) for a in range(9)]) for s in seeds
        )
        for seeds in (range(20), range(20, 40))
    }
    assert len(draws) == 2


def test_an_arm_that_is_not_there_is_refused_however_much_is_known() -> None:
    learner = spnb.Learner("Seq(UCB1)", 3, seed=1)
    learner.pulled(0)
    assert not learner.ask(0)  # nothing is wanted now up to the end: that is kept
    for odd in (3, -1, 0.5, True, "1", None):
        with pytest.raises(SpecError, match="arm must be"):
            learner.ask(odd)  # type: ignore[arg-type]
    assert not learner.ask(np.int64(2))  # type: ignore[arg-type]


@pytest.mark.parametrize("reward", ["1", None, [1], float("nan"), 2])
def test_a_reward_that_is_none_is_refused(reward: Any) -> None:
    learner = spnb.Learner("Seq(UCB1)", 3, seed=1)
    learner.pulled(0)
    for tell in (learner.observe, learner.found):
        with pytest.raises(DataError, match="reward of arm 0 must lie in"):
            tell(0, reward)
    learner.observe(0, np.float32(0.5))  # type: ignore[arg-type]
    assert learner.state.policy.sums[0] == 0.5


def test_a_class_named_like_one_of_spnbs_own_is_not_saved_by_that_name() -> None:
    class UCB1(spnb.IndexPolicy):
        """Of somebody's own."""

        def index(self, pulls: float, sums: float, clock: float) -> float:
            return -sums / pulls

    learner = spnb.Learner(spnb.Seq(UCB1()), 3, seed=1)
    assert learner.ask(0)
    with pytest.raises(SpecError, match=r"'Seq\(UCB1\)' means another agent in a spec"):
        learner.to_dict()
    with pytest.raises(SpecError, match="give your class a name of its own"):
        spnb.Campaign.create("sqlite://", "c", arms=["a", "b"], agent=spnb.Seq(UCB1()))
