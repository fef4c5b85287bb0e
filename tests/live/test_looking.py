"""Whoever only looks sees what an ask would find, and decides nothing."""

from datetime import UTC, datetime, timedelta

import pytest

from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.campaign.looking import cases, look
from spnb.live.schedule import Schedule
from spnb.live.store import Store

NOON = datetime(2026, 5, 4, 12, 5, tzinfo=UTC)


def at(monkeypatch: pytest.MonkeyPatch, moment: datetime) -> None:
    monkeypatch.setattr(clock, "now", lambda: moment)


def by_clock(store: Store, **given: object) -> Campaign:
    schedule = Schedule.parse("08:00,12:00", "UTC", window="30m", start="2026-05-04")
    return Campaign.create(store, "c", schedule=schedule, agent="Uniform+", **given)  # type: ignore[arg-type]


def test_by_the_clock(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, NOON)
    campaign = by_clock(store, rounds=2)
    seen = look(campaign)
    assert seen.offer is not None
    assert (seen.offer.label, seen.offer.round, seen.decided) == ("12:00", 1, None)
    assert seen.coming == NOON.replace(minute=30)
    assert look(campaign) == seen  # looking has decided nothing
    decision = campaign.ask()
    seen = look(campaign)
    assert (seen.decided, seen.offer, seen.quiet) == (decision, None, None)
    assert seen.case is not None
    assert seen.case.state == "open"
    at(monkeypatch, NOON + timedelta(hours=1))
    seen = look(campaign)
    assert seen.quiet == "nothing is on offer until 2026-05-05 08:00 UTC"
    assert (seen.decided, seen.offer) == (None, None)
    assert seen.coming == datetime(2026, 5, 5, 8, tzinfo=UTC)
    at(monkeypatch, NOON + timedelta(days=2))
    assert look(campaign).quiet == "all 2 rounds are over"
    assert [event.kind for event in campaign.events()] == ["create", "ask"]


def test_a_clock_set_back_finds_what_was_decided_or_that_it_went_by(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, NOON)
    campaign = by_clock(store)
    campaign.ask()
    at(monkeypatch, NOON.replace(hour=8))
    assert "never asked about" in str(look(campaign).quiet)
    at(monkeypatch, NOON.replace(year=2099))
    assert "is the clock right?" in str(look(campaign).quiet)


def test_by_name(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=["a", "b"], agent="Uniform+")
    seen = look(campaign)
    assert (seen.decided, seen.quiet) == (None, None)
    assert seen.choices == ((1, "a"), (1, "b"), (2, "a"), (2, "b"))
    first = campaign.ask("a", 1)
    seen = look(campaign)
    assert seen.decided == first
    assert seen.offer is not None
    assert (seen.offer.round, seen.offer.label) == (1, "b")
    campaign.ask("b", 1)
    assert look(campaign).choices == ((2, "a"), (2, "b"))
    campaign.tell(first, reward=0.5)
    found = cases(campaign, [2, 3])
    assert (found[2].state, str(found[2].worth), found[3].state) == ("told", "0.5", "open")
    campaign.pause()
    assert look(campaign).quiet == "the campaign is paused"
    assert look(campaign).offer is None


def test_arms_that_come_and_go(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=["a", "b"], agent="Uniform+")
    campaign.ask("b", 1)
    campaign.retire_arm("b")
    campaign.add_arm("z")
    seen = look(campaign)
    assert seen.choices == ((2, "a"), (2, "z"))
    assert seen.decided is not None
    assert seen.decided.arm == "b"
    assert campaign.ask("a", 2).arm == "a"
    assert look(campaign).choices[0] == (2, "z")
