"""A campaign that waits says for what; one that began late in the day takes what is ahead."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from live.helpers import ARMS, kinds
from spnb.bandits.registry import agent_samples
from spnb.base.errors import SpecError
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.schedule import Schedule
from spnb.live.store import Store
from spnb.report.campaigns import status_lines


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> dict[str, datetime]:
    now = {"is": datetime(2026, 5, 1, 4, tzinfo=UTC)}
    monkeypatch.setattr(clock, "now", lambda: now["is"])
    return now


def test_every_pass_and_the_status_name_what_blocks(store: Store, time: Any) -> None:
    plan = Schedule.parse("06:00,12:00,18:00", "Europe/Rome", start="2026-05-01")
    campaign = Campaign.create(
        store, "c", schedule=plan, agent='Seq(UCB1(ties="first"))', seed=1, rounds=60
    )
    first = campaign.ask(at="2026-05-01T06:00")
    assert first.pull
    time["is"] = datetime(2026, 5, 9, 4, 30, tzinfo=UTC)
    passed = campaign.ask(ahead=True)
    words = (
        "Seq waits for the reward of 06:00, asked 8 days ago: decision 2; tell it, mark it lost, "
        "or say after how long to give it up"
    )
    assert passed.reason == words
    status = campaign.status()
    assert status.blocked == words
    assert status.overdue == (
        "decision 2, 06:00 in round 1, asked 2026-05-01 06:00 CEST (8 days ago)",
    )
    assert status_lines(status)[0] == f"Blocked: {words}."
    campaign.give_up_after("2d")
    assert campaign.status().blocked is None, "the next ask gives it up"
    time["is"] += timedelta(hours=6)
    assert campaign.ask().reason == "Seq waits for 06:00"
    assert kinds(campaign)[-3:] == ["limit", "lost", "ask"]
    assert campaign.status().blocked is None
    assert campaign.status().overdue == ()
    assert campaign.verify().problem is None
    again = Campaign.import_("sqlite://", list(campaign.export()))
    assert again.snapshot().body == campaign.snapshot().body


def test_only_who_follows_a_target_is_ever_blocked(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Challenge", seed=1)
    campaign.ask("a")
    campaign.ask("b", at=2)
    assert campaign.status().blocked is None
    assert len(campaign.status().overdue) == 1


def test_the_time_to_wait_may_change_and_is_checked(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Seq(TS)", seed=1, lost_after="2d")
    campaign.give_up_after("2d")
    assert kinds(campaign) == ["create"], "nothing has changed"
    campaign.give_up_after("3d")
    campaign.give_up_after("2d")
    assert "lost_after" not in campaign.snapshot().body
    with pytest.raises(SpecError, match="a length of time is written"):
        campaign.give_up_after("soon")
    assert campaign.verify().ok


@pytest.mark.parametrize("spec", ['Seq(UCB1(ties="first"))', "Seq(TS)", "UCB1", "Seq(SR)"])
def test_a_day_that_begins_late_is_begun_with_what_is_ahead(spec: str, seed: int) -> None:
    """All arms are alike in the beginning: who starts at noon does not wait for tomorrow."""
    labels = list("abcdef")
    campaign = Campaign.create(
        "sqlite://", "c", arms=labels, agent=spec, rounds=50, seed=seed % 2**64
    )
    pulled = []
    for label in labels[2:]:
        decision = campaign.ask(label, at=1)
        if decision.pull:
            pulled.append(label)
            campaign.tell(decision, reward=0)
    assert pulled, "one of the arms ahead is as good as any"
    if "UCB1(ties" in spec:
        assert pulled == labels[2:], "each of them before its first pull"
    for label in labels:
        decision = campaign.ask(label, at=2)
        if decision.pull:
            campaign.tell(decision, reward=1)
    first = next(int(e.decision or 0) for e in campaign.events() if e.kind == "tell")
    campaign.correct(first, reward=1)
    campaign.ask("a", at=3)  # taught anew: it joins again
    campaign.retire_arm("c")
    campaign.ask("a", at=4)
    assert campaign.verify().problem is None
    again = Campaign.import_("sqlite://", list(campaign.export()))
    assert again.snapshot().body == campaign.snapshot().body


@pytest.mark.parametrize("spec", agent_samples())
def test_who_begins_with_the_first_offer_is_not_disturbed(spec: str, seed: int) -> None:
    """Nobody joins late where nothing was missed, whatever the agent."""
    campaign = Campaign.create(
        "sqlite://", "c", arms=ARMS, agent=spec, rounds=20, seed=seed % 2**64, hardness=20.0
    )
    campaign.ask("a", at=1)
    assert '"began"' not in campaign.snapshot().body


def test_an_arm_that_is_known_to_be_worse_does_not_take_the_place(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent='Seq(UCB1(ties="first"))', seed=1)
    assert campaign.ask("b", at=1).pull
    campaign.tell(2, reward=0)
    assert campaign.ask("c", at=1).pull
    campaign.tell(4, reward=0)
    later = campaign.ask("a", at=2)
    assert later.pull, "what was missed comes next"
    assert campaign.verify().ok


def test_a_leap_taken_back_takes_the_late_beginning_back(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent='Seq(KLUCB(ties="first"))', seed=1)
    campaign.pause()
    campaign.resume()
    campaign.ask("a", at=30, ahead=True)  # pulled: a leap that stays
    assert campaign.verify().ok
    other = Campaign.create(store, "o", arms=ARMS, agent="Seq(TS)", seed=3)
    target = next(arm for arm in ARMS if Campaign.create(
        "sqlite://", "t", arms=ARMS, agent="Seq(TS)", seed=3).ask(arm).pull)  # fmt: skip
    before = [arm for arm in ARMS if arm != target][-1]
    leap = other.ask(before, at=30, ahead=True)
    if not leap.pull:
        other.void()
        assert '"began"' not in other.snapshot().body
    assert other.verify().ok


def test_who_is_taught_anew_still_waits_for_what_it_took_instead(store: Store) -> None:
    """It joined late, pulled what was ahead, and a correction comes while it waits."""
    campaign = Campaign.create(store, "c", arms=ARMS, agent='Seq(UCB1(ties="first"))', seed=1)
    first = campaign.ask("b", at=1)
    campaign.tell(first, reward=0)
    campaign.add_arm("d")
    assert campaign.ask("c", at=1).pull
    campaign.correct(first, reward=1)
    assert campaign.ask("a", at=2).reason.startswith("Seq waits for the reward of c, asked")
    assert campaign.verify().problem is None
