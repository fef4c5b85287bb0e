"""Counts as rewards: wins of so many trials, told twice, corrected, late, lost and replayed."""

import json
from typing import Any

import numpy as np
import pytest

from live.helpers import ARMS, kinds, resealed
from spnb.bandits.registry import agent_samples
from spnb.base.errors import ConflictError, DataError
from spnb.live.campaign import Campaign, RewardRule
from spnb.live.learner import Learner
from spnb.live.store import Store


def test_a_count_is_to_the_learner_as_so_many_rewards(store: Store) -> None:
    counts = Campaign.create(store, "counts", arms=ARMS, agent="Challenge", seed=1)
    single = [Learner("Challenge", arms=3, seed=1) for _ in range(2)]
    for round_ in range(1, 6):
        for place, arm in enumerate(ARMS):
            decision = counts.ask(arm, at=round_)
            assert decision.pull == single[0].ask(place)
            if decision.pull:
                told = counts.tell(decision, wins=place + round_, trials=20)
                assert (told.reward, told.trials) == (place + round_, 20)
                single[0].pulled(place)
                single[0].observe(place, place + round_, trials=20)
        single[0].next_round()
    state = json.loads(counts.snapshot().body)["learner"]["state"]["policy"]
    assert sum(state["pulls"]) == 20 * sum(arm.rewards for arm in counts.status().arms)
    assert counts.verify().ok


@pytest.mark.parametrize("spec", agent_samples())
def test_every_agent_counts_trials_and_wins(spec: str) -> None:
    """Whatever it makes of them: N grows by the trials and S by the wins."""
    learner = Learner(spec, arms=3, horizon=50, hardness=30.0, seed=2)
    wanted = learner.next_wanted()
    assert wanted is not None
    learner.pulled(wanted)
    learner.observe(wanted, 7, trials=120)
    policy = learner.state.policy
    assert (policy.pulls[wanted], policy.sums[wanted], policy.total) == (120, 7, 120)


def test_counts_are_told_again_corrected_late_lost_and_found(seq: Campaign) -> None:
    first = seq.ask("a")
    assert seq.tell(first, wins=7, trials=120).new
    assert not seq.tell(first, wins=7, trials=120).new
    with pytest.raises(ConflictError, match="was told 7 of 120 before, now 8 of 120: if that was"):
        seq.tell(first, wins=8, trials=120)
    with pytest.raises(ConflictError, match="was told 7 of 120 before, now 1:"):
        seq.tell(first, reward=1)
    assert seq.correct(first, wins=8, trials=120).new
    assert not seq.correct(first, wins=8, trials=120).new
    second = seq.ask("b")
    seq.lost(second)
    third = seq.ask("b", at=2)
    assert third.pull
    seq.tell(second, wins=0, trials=30)
    seq.tell(third, reward=1)
    seq.correct(first, lost=True)
    arms = {arm.arm: arm for arm in seq.status().arms}
    assert (arms["a"].trials, arms["a"].lost) == (0, 1)
    assert (arms["b"].rewards, arms["b"].trials, arms["b"].earned) == (2, 31, 1)
    seq.tell(first, wins=9, trials=120)
    assert kinds(seq)[-3:] == ["tell", "correct", "found"]
    seq.ask("c", at=2)
    assert seq.verify().problem is None
    again = Campaign.import_("sqlite://", list(seq.export()))
    assert again.status().arms == seq.status().arms
    assert again.snapshot().body == seq.snapshot().body


def test_one_trial_is_a_reward(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    campaign.tell(decision, wins=1, trials=1)
    assert not campaign.tell(decision, reward=1).new
    assert campaign.verify().ok


def test_wrong_then_corrected_is_right_from_the_beginning(store: Store) -> None:
    right = Campaign.create(store, "right", arms=ARMS, agent="Challenge(TS)", seed=3)
    wrong = Campaign.create(store, "wrong", arms=ARMS, agent="Challenge(TS)", seed=3)
    for wins, arm in enumerate(ARMS, start=2):
        right.tell(right.ask(arm), wins=wins, trials=10)
        wrong.tell(wrong.ask(arm), wins=9, trials=90)
    for event in list(wrong.events()):
        if event.kind == "tell":
            wins = 2 + ARMS.index(str(event.arm))
            wrong.correct(int(event.decision or 0), wins=wins, trials=10)
    assert right.ask("a", at=2).pull == wrong.ask("a", at=2).pull
    states = [json.loads(c.snapshot().body)["learner"] for c in (right, wrong)]
    assert states[0] == states[1]


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"wins": 7}, "wins and trials go together"),
        ({"trials": 7}, "wins and trials go together"),
        ({"wins": 7, "trials": 6}, r"wins must be a whole number from 0 to 6 trials, got 7"),
        ({"wins": -1, "trials": 6}, r"wins must be a whole number from 0 to 6 trials, got -1"),
        ({"wins": 0.5, "trials": 6}, "wins must be a whole number"),
        ({"wins": 0, "trials": 0}, "trials must be a whole number from 1 to 1000000000, got 0"),
        ({"wins": 0, "trials": 2.5}, "trials must be a whole number"),
        ({"wins": 0, "trials": 10**10}, "trials must be a whole number"),
        ({"wins": 1, "trials": 2, "reward": 1}, "one of them"),
        ({"wins": 1, "trials": 2, "value": 1}, "one of them"),
        ({"wins": float("nan"), "trials": 2}, "wins must be a finite number"),
    ],
)
def test_counts_that_make_no_sense_are_refused(told: Any, said: str) -> None:
    campaign = Campaign.create("sqlite://", "c", arms=ARMS, agent="Uniform+", seed=1)
    decision = campaign.ask("a")
    with pytest.raises(DataError, match=said):
        campaign.tell(decision, **told)
    assert kinds(campaign) == ["create", "ask"]


def test_a_log_whose_counts_cannot_be_is_refused() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=ARMS, agent="Uniform+", seed=1)
    campaign.tell(campaign.ask("a"), wins=3, trials=5)
    lines = list(campaign.export())
    for change, said in (
        ({"reward": 6.0}, "a whole number of its 5 trials"),
        ({"reward": 2.5}, "a whole number of its 5 trials"),
        ({"note": {"trials": 1}}, "its trials cannot be 1"),
        ({"note": {"trials": 5, "value": 3.0}}, "a value is of one trial"),
        ({"note": {}}, "its note must hold"),
    ):
        odd = json.loads(lines[3]) | change
        with pytest.raises(DataError, match=said):
            Campaign.import_("sqlite://", resealed([*lines[:3], json.dumps(odd) + "\n", lines[4]]))


def test_a_corrected_value_is_kept_even_where_the_reward_stays_the_same(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", seed=1, reward="above 0.3")
    decision = campaign.ask("a")
    campaign.tell(decision, value=0.42)
    with pytest.raises(
        ConflictError, match=r"was told the value 0\.42 before, now the value 0\.45"
    ):
        campaign.tell(decision, value=0.45)
    assert not campaign.tell(decision, reward=1).new
    assert campaign.correct(decision, value=0.45).new
    assert not campaign.correct(decision, value=0.45).new
    assert not campaign.correct(decision, reward=1).new
    assert [e.extra()["value"] for e in campaign.events() if "value" in e.extra()] == [0.42, 0.45]
    assert not json.loads(campaign.snapshot().body)["stale"], "the learner has learnt nothing new"
    second = campaign.ask("b")
    campaign.tell(second, reward=0)
    assert campaign.correct(second, value=0.1).new, "the value was not known before"
    assert campaign.verify().problem is None
    assert Campaign.import_("sqlite://", list(campaign.export())).verify().ok


def test_reasons_tell_pulls_from_trials() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+", seed=1)
    campaign.tell(campaign.ask("a", at=1), wins=30, trials=120)
    assert campaign.ask("a", at=2).reason.endswith("1 pull of 120 trials, mean 0.25")
    campaign.ask("b", at=2)
    assert campaign.ask("b", at=3).reason.endswith("1 pull, no reward yet")


def test_a_million_trials_cost_no_more_than_one() -> None:
    """No loop over trials: a billion of them are told in no time."""
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Seq(TS)", seed=1)
    for round_ in range(1, 30):
        for arm in ("a", "b"):
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, wins=10**8, trials=10**9)
    assert campaign.verify().ok


def test_rules_take_counts_whatever_they_say_of_values() -> None:
    for rule in ("unit", "binary", "above 0.3", "range 0 2"):
        worth = RewardRule.parse(rule).worth(wins=np.int64(3), trials="4")
        assert (worth.reward, worth.trials, worth.value) == (3.0, 4, None)
