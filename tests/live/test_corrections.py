"""Rewards corrected, lost and found again."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from live.helpers import ARMS, kinds
from spnb.base.errors import ConflictError, DataError, StoreError
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.campaign.course import Course
from spnb.live.store import Store, Transaction


def test_a_correction_replaces_the_reward_and_past_decisions_stand(seq: Campaign) -> None:
    first = seq.ask("a")
    seq.tell(first, reward=1)
    second = seq.ask("b")
    seq.tell(second, reward=0)
    assert seq.correct(first, reward=0).new
    assert not seq.correct(first, reward=0).new
    third = seq.ask("c")
    seq.tell(third, reward=1)
    assert seq.ask("a", at=1) == first
    assert seq.recommend() == "c"
    arms = {arm.arm: arm for arm in seq.status().arms}
    assert arms["a"].earned == 0
    with pytest.raises(ConflictError):
        seq.tell(first, reward=1)
    assert seq.verify().ok


def test_a_corrected_campaign_knows_what_it_would_have_known(store: Store) -> None:
    """Wrong, then corrected, is the same as right from the beginning."""
    right = Campaign.create(store, "right", arms=ARMS, agent="Uniform+", seed=3)
    wrong = Campaign.create(store, "wrong", arms=ARMS, agent="Uniform+", seed=3)
    for round_ in (1, 2):
        for place, arm in enumerate(ARMS):
            right.tell(right.ask(arm, at=round_), reward=place / 2)
            wrong.tell(wrong.ask(arm, at=round_), reward=1 - place / 2)
    for event in list(wrong.events()):
        if event.kind == "tell":
            wrong.correct(int(event.decision or 0), reward=0.125)  # wrong again
            wrong.correct(int(event.decision or 0), reward=1 - (event.reward or 0))
    assert right.ask("a", at=3) != wrong.ask("a", at=3)  # the ids differ
    states = [json.loads(c.snapshot().body)["learner"] for c in (right, wrong)]
    assert states[0] == states[1]
    assert wrong.verify().ok


def test_taking_back_what_was_found_does_not_end_the_wait_for_another(seq: Campaign) -> None:
    first = seq.ask("a")
    seq.lost(first)
    second = seq.ask("a", at=2)
    assert second.pull
    seq.tell(first, reward=1)
    seq.correct(first, lost=True)
    assert seq.ask("b", at=2).reason.startswith("Seq waits for the reward of a, asked just now")
    assert seq.verify().ok


@pytest.mark.parametrize("meanwhile", ["tell", "ask", "correct", "retire"])
def test_others_may_go_on_while_a_learner_is_taught_anew(
    store: Store, meanwhile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Challenge", seed=1)
    other = Campaign.open(store, "c")
    decisions = [campaign.ask(arm) for arm in ARMS]
    for decision in decisions[:2]:
        campaign.tell(decision, reward=1)
    campaign.correct(decisions[0], reward=0)
    acts: dict[str, Callable[[], object]] = {
        "tell": lambda: other.tell(decisions[2], reward=1),
        "ask": lambda: other.ask("b", at=2),
        "correct": lambda: other.correct(decisions[1], reward=0),
        "retire": lambda: other.retire_arm("a"),
    }
    relearn, calls = Course.relearn, list[int]()

    def slowly(course: Course, *rest: Any) -> Course:
        calls.append(course.version)
        if len(calls) == 1:
            acts[meanwhile]()
        return relearn(course, *rest)

    monkeypatch.setattr(Course, "relearn", slowly)
    monkeypatch.setattr("spnb.live.campaign.change.LASTING", 1)  # even this log is a long one
    assert campaign.ask("c", at=2).round == 2
    monkeypatch.undo()
    assert 1 <= len(calls) <= 3
    assert campaign.verify().problem is None


def test_a_change_that_failed_leaves_nothing_behind(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Challenge", seed=1)
    other = Campaign.open(store, "c")
    decisions = [campaign.ask(arm) for arm in ARMS]

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "replace_snapshot", refuse)
        with pytest.raises(StoreError):
            campaign.tell(decisions[0], reward=1)
    other.tell(decisions[1], reward=0)  # the same number of events, but not the same ones
    campaign.tell(decisions[2], reward=1)
    assert len(campaign.pending()) == 1
    assert campaign.verify().problem is None


def test_what_was_never_told_cannot_be_corrected(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    with pytest.raises(DataError, match="has no reward to correct"):
        campaign.correct(2, reward=1)
    campaign.lost(decision)
    with pytest.raises(DataError, match="has no reward to correct"):
        campaign.correct(2, lost=True)


def test_seq_waits_for_a_reward_until_it_comes_or_is_lost(seq: Campaign) -> None:
    first = seq.ask("a")
    waits = seq.ask("b")
    assert not waits.pull
    assert waits.reason == (
        "Seq waits for the reward of a, asked just now: decision 2; tell it, mark it lost, or say "
        "after how long to give it up"
    )
    assert seq.lost(first).new
    assert not seq.lost(first).new
    assert seq.ask("c").reason == "Seq waits for a"
    second = seq.ask("a")
    assert (second.pull, second.round) == (True, 2)
    seq.tell(first, reward=1)  # it comes after all, while the second one is awaited
    assert seq.ask("b").reason.startswith("Seq waits for the reward of a, asked just now")
    seq.tell(second, reward=1)
    assert seq.ask("c").reason == "Seq waits for b"
    with pytest.raises(ConflictError, match="was told 1 before"):
        seq.lost(first)
    assert seq.verify().ok


def test_an_entry_can_be_taken_back_and_come_again(seq: Campaign) -> None:
    first = seq.ask("a")
    seq.tell(first, reward=1)
    seq.correct(first, lost=True)
    assert seq.ask("b").reason == "Seq waits for a"  # as if nothing had been learnt
    seq.tell(first, reward=0)
    assert [arm.lost for arm in seq.status().arms] == [0, 0, 0]
    seq.correct(first, reward=1)
    seq.ask("c")
    assert seq.status().arms[0].earned == 1
    assert kinds(seq)[-5:] == ["correct", "ask", "found", "correct", "ask"]
    assert seq.verify().ok


def test_rewards_that_do_not_come_in_time_are_given_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = datetime(2026, 5, 1, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: time)
    campaign = Campaign.create(
        store, "c", arms=["a", "b"], agent='Seq(UCB1(ties="first"))', seed=1, lost_after="2d"
    )
    first = campaign.ask("a")
    time += timedelta(hours=47)
    assert not campaign.ask("b").pull
    time += timedelta(hours=1)
    assert campaign.ask("a").pull  # given up, and tried again in the next round
    assert kinds(campaign) == ["create", "ask", "ask", "lost", "ask"]
    assert campaign.tell(first, reward=1).new
    assert campaign.verify().ok
