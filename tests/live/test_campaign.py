"""What asking and telling mean, on every database."""

from datetime import UTC, datetime

import pytest

from live.helpers import ARMS, kinds
from spnb.base.errors import ConflictError, DataError
from spnb.live.campaign import Campaign, Decision
from spnb.live.store import Store


def test_asking_again_gives_the_same_decision(campaign: Campaign) -> None:
    first = campaign.ask("a")
    assert campaign.ask("a") == first
    campaign.ask("c")
    assert campaign.ask("a", at=1) == first
    again = Campaign.open(campaign.store, "c")
    assert again.ask("a", at=1) == first
    assert kinds(campaign) == ["create", "ask", "ask"]


def test_the_round_moves_on_by_itself(campaign: Campaign) -> None:
    rounds = [campaign.ask(arm).round for arm in ("a", "c", "b", "c", "a", "a", "b")]
    assert rounds == [1, 1, 2, 2, 3, 3, 3]
    assert campaign.ask("b", at=7).round == 7
    assert campaign.ask("b", at=8).round == 8
    assert campaign.verify().ok


def test_an_offer_from_the_past_is_refused_unless_it_was_asked_before(campaign: Campaign) -> None:
    campaign.ask("b", at=3)
    for arm, round_ in (("a", 3), ("c", 2), ("b", 1), ("nobody", 1)):
        with pytest.raises(DataError, match="is past and was never asked about"):
            campaign.ask(arm, at=round_)
    assert campaign.ask("b", at=3).id == 2


def test_odd_asks_are_refused_and_change_nothing(campaign: Campaign) -> None:
    for arm, at, said in (
        ("z", None, "has no arm 'z'; it has a, b, c"),
        (None, None, "say which arm is on offer"),
        ("a", 0, "counted from 1"),
        ("a", True, "at is a time, or a round"),
        ("a", 20_000, "too far ahead"),
        ("a", 9, "far ahead of round 0: if it is meant, confirm it"),
        ("a", datetime(2026, 1, 1, tzinfo=UTC), "has no schedule"),
    ):
        with pytest.raises(DataError, match=said):
            campaign.ask(arm, at=at)
    assert kinds(campaign) == ["create"]


def test_telling_again_does_no_harm_and_otherwise_is_a_conflict(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    assert campaign.tell(decision, reward=0.25).new
    again = campaign.tell(decision.id, reward=0.25)
    assert not again.new
    assert again.reward == 0.25
    with pytest.raises(ConflictError, match=r"was told 0\.25 before, now 0\.5"):
        campaign.tell(decision, reward=0.5)
    assert kinds(campaign) == ["create", "ask", "tell"]


def test_rewards_come_late_and_in_any_order(campaign: Campaign) -> None:
    decisions = [campaign.ask(arm, at=round_) for round_ in (1, 2) for arm in ARMS]
    for decision in reversed(decisions):
        campaign.tell(decision, reward=1)
    assert campaign.status().pending == ()
    assert campaign.verify().ok


def test_a_tell_without_a_number_means_the_latest_pull(campaign: Campaign) -> None:
    with pytest.raises(DataError, match="nothing was pulled yet"):
        campaign.tell(reward=1)
    campaign.ask("a")
    latest = campaign.ask("b")
    assert campaign.tell(reward=1).decision == latest.id
    assert not campaign.tell(reward=1).new


def test_only_pulls_can_be_told(seq: Campaign) -> None:
    seq.ask("a")
    passed = seq.ask("b")
    assert not passed.pull
    with pytest.raises(DataError, match="was to pass"):
        seq.tell(passed, reward=1)
    for number in (1, 99, -5):
        with pytest.raises(DataError, match=f"there is no decision {number}"):
            seq.tell(number, reward=1)
    seq.pause()
    with pytest.raises(DataError, match="nothing was decided"):
        seq.tell(seq.ask("c"), reward=1)


def test_a_paused_campaign_passes_and_decides_nothing(campaign: Campaign) -> None:
    before = campaign.ask("a")
    campaign.pause()
    campaign.pause()
    paused = campaign.ask("b", at=1)
    assert paused == Decision(None, False, "b", 1, "the campaign is paused")
    assert campaign.ask("a", at=1) == before
    campaign.tell(before, reward=1)
    campaign.resume()
    assert campaign.ask("b").pull
    assert kinds(campaign) == ["create", "ask", "pause", "tell", "resume", "ask"]


def test_a_closed_campaign_stays_closed_but_takes_rewards(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    campaign.close()
    campaign.close()
    assert campaign.ask("b").reason == "the campaign is closed"
    campaign.tell(decision, reward=1)
    for change in (campaign.resume, campaign.pause, lambda: campaign.add_arm("d")):
        with pytest.raises(ConflictError, match="closed"):
            change()
    assert campaign.verify().ok


def test_after_the_last_round_everything_is_passed(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", rounds=2, seed=1)
    assert campaign.ask("a", at=2).pull
    over = campaign.ask("a", at=3)
    assert (over.id, over.reason) == (None, "all 2 rounds are over")
    assert campaign.ask("b", at=2).pull


def test_a_search_that_is_over_says_so(store: Store) -> None:
    campaign = Campaign.create(
        store, "c", arms=["a", "b"], agent="SR+", rounds=4, goal="best", seed=1
    )
    for round_ in (1, 2):
        for arm, reward in (("a", 0), ("b", 1)):
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, reward=reward)
    last = campaign.ask("b", at=3)
    assert not last.pull
    assert last.reason == "the search is over: b is taken to be the best"
    assert campaign.status().state == "finished"
    assert campaign.verify().ok


def test_raw_values_are_judged_by_the_campaigns_rule(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", reward="above 0.3")
    assert campaign.tell(campaign.ask("a"), value=0.31).reward == 1.0
    assert campaign.tell(campaign.ask("b"), value=0.3).reward == 0.0
    campaign.correct(campaign.ask("b"), value=7)
    assert list(campaign.events())[-1].extra()["value"] == 7
    with pytest.raises(DataError, match="reward must be 0 or 1"):
        campaign.tell(campaign.ask("c"), reward=0.4)
    assert campaign.verify().ok
