"""Clocks that are wrong: who leaps far ahead must say so, and a leap for nothing is taken back."""

from datetime import UTC, datetime, timedelta

import pytest

from live.helpers import ARMS, kinds
from spnb.base.errors import DataError
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.schedule import Schedule
from spnb.live.store import Store

NOW = datetime(2026, 5, 3, 7, tzinfo=UTC)


@pytest.fixture
def daily(store: Store, monkeypatch: pytest.MonkeyPatch) -> Campaign:
    monkeypatch.setattr(clock, "now", lambda: NOW)
    plan = Schedule.parse("06:00,12:00,18:00", "UTC", start="2026-05-01")
    return Campaign.create(
        store, "c", schedule=plan, agent='Seq(UCB1(ties="first"))', seed=1, lost_after="100d"
    )


def test_another_decade_must_be_confirmed(daily: Campaign) -> None:
    first = daily.ask()
    assert (first.round, first.pull) == (3, True)
    with pytest.raises(DataError, match=r"round \d+ is far ahead of round 3 and of round 3, which"):
        daily.ask(at="2036-05-03T12:00")
    assert daily.ask(at="2026-05-10T12:00").round == 10  # a week is not far
    assert kinds(daily) == ["create", "ask", "ask"]


def test_the_clock_itself_may_be_far_ahead_of_a_campaign_that_slept(
    daily: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    daily.ask()
    monkeypatch.setattr(clock, "now", lambda: NOW + timedelta(days=300))
    assert daily.ask().round == 303


def test_a_leap_for_nothing_is_taken_back(daily: Campaign) -> None:
    first = daily.ask()
    leap = daily.ask(at="2036-05-03T12:00", ahead=True)
    assert not leap.pull  # it waits for the first reward
    assert not daily.ask(at="2036-05-03T18:00").pull
    with pytest.raises(DataError, match="is past and was never asked about"):
        daily.ask(at=NOW + timedelta(hours=6))
    assert daily.void() == 3
    assert daily.verify().problem is None
    offers = {arm.arm: arm.offers for arm in daily.status().arms}
    assert offers == {"06:00": 1, "12:00": 0, "18:00": 0}
    daily.tell(first, reward=1)
    second = daily.ask(at=NOW + timedelta(hours=6))
    assert (second.round, second.pull) == (3, True)
    assert daily.ask(at=NOW) == first
    with pytest.raises(DataError, match="there is no jump to undo"):
        daily.void()
    # What was voided may come again, and is then decided anew.
    daily.tell(second, reward=1)
    again = daily.ask(at="2036-05-03T12:00", ahead=True)
    assert again.id != leap.id
    assert daily.ask(at="2036-05-03T12:00") == again
    assert daily.verify().problem is None
    moved = Campaign.import_("sqlite://", list(daily.export()))
    assert moved.verify().ok


def test_a_leap_that_led_to_a_pull_stands(campaign: Campaign) -> None:
    campaign.ask("a", at=50, ahead=True)
    with pytest.raises(DataError, match="something was pulled since"):
        campaign.void()


def test_a_leap_over_a_change_of_arms_is_taken_back(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent='Seq(UCB1(ties="first"))', seed=1)
    first = campaign.ask("a")
    campaign.add_arm("d")
    assert not campaign.ask("b", at=70, ahead=True).pull
    assert campaign.void() == 1
    with pytest.raises(DataError, match="is past"):
        campaign.ask("d", at=1)  # the round is over: the arm was to come after it
    campaign.tell(first, reward=0)
    assert campaign.ask("b", at=2).pull
    assert campaign.verify().problem is None


def test_a_leap_after_arms_that_came_and_went(store: Store) -> None:
    """The same arms again are a change of arms all the same."""
    campaign = Campaign.create(store, "c", arms=ARMS, agent='Seq(UCB1(ties="first"))', seed=1)
    campaign.ask("a")
    campaign.add_arm("d")
    campaign.retire_arm("d")
    assert not campaign.ask("b", at=70, ahead=True).pull
    assert campaign.verify().problem is None
    assert campaign.void() == 1
    assert campaign.verify().problem is None


def test_a_voided_ask_is_as_if_it_had_not_been(store: Store) -> None:
    right, wrong = (
        Campaign.create(store, name, arms=ARMS, agent="Seq(TS)", seed=5) for name in ("r", "w")
    )
    for campaign in (right, wrong):
        for round_ in range(1, 4):
            for arm in ARMS:
                decision = campaign.ask(arm, at=round_)
                if decision.pull:
                    campaign.tell(decision, reward=0.5)
    leap = wrong.ask("a", at=900, ahead=True)
    if leap.pull:
        with pytest.raises(DataError):
            wrong.void()
        return
    wrong.void()
    for arm in ARMS:
        assert right.ask(arm, at=4).pull == wrong.ask(arm, at=4).pull
    assert wrong.verify().ok
