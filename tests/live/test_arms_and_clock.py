"""Arms that come and go, and arms that are times of the day."""

from datetime import UTC, datetime

import pytest

from spnb.base.errors import ConflictError, DataError, SpecError
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.schedule import Schedule
from spnb.live.store import Store


def test_arms_come_and_go_between_rounds(campaign: Campaign) -> None:
    campaign.tell(campaign.ask("a"), reward=1)
    campaign.add_arm("d", before="b")
    campaign.retire_arm("a")
    with pytest.raises(DataError, match="round 1 has no arm 'd'"):
        campaign.ask("d", at=1)
    assert campaign.ask("b").round == 1
    fresh = campaign.ask("d")  # not in this round, so in the next
    assert (fresh.round, fresh.pull) == (2, True)
    with pytest.raises(DataError, match="round 2 has no arm 'a'; it has d, b, c"):
        campaign.ask("a", at=2)
    campaign.tell(fresh, reward=0)
    campaign.add_arm("a")
    campaign.ask("c", at=2)
    campaign.ask("d", at=3)
    back = {arm.arm: arm for arm in campaign.status().arms}
    assert (back["a"].rewards, back["a"].retired) == (1, False)
    assert campaign.verify().ok


def test_the_reward_of_a_retired_arm_is_noted_but_not_learnt(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    campaign.retire_arm("a")
    campaign.ask("b", at=2)
    campaign.tell(decision, reward=1)
    gone = campaign.status().arms[-1]
    assert (gone.arm, gone.rewards, gone.retired) == ("a", 1, True)
    assert campaign.recommend() in ("b", "c")
    assert campaign.verify().ok


def test_odd_changes_of_arms_are_refused(campaign: Campaign) -> None:
    with pytest.raises(ConflictError, match="there is an arm 'a' already"):
        campaign.add_arm("a")
    with pytest.raises(SpecError, match="printable"):
        campaign.add_arm(" ")
    with pytest.raises(SpecError, match="has no schedule"):
        campaign.add_arm("d", slot="08:00")
    with pytest.raises(DataError, match="there is no arm 'z'"):
        campaign.add_arm("d", before="z")
    with pytest.raises(DataError, match="there is no arm 'z'"):
        campaign.retire_arm("z")
    campaign.retire_arm("a")
    campaign.retire_arm("b")
    with pytest.raises(DataError, match="the only arm"):
        campaign.retire_arm("c")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture
def scheduled(store: Store) -> Campaign:
    plan = Schedule.parse("08:00,12:30,18:00", "Europe/Rome", window="4h")
    begun = plan.starting(at("2026-05-01T00:00+02:00"))
    return Campaign.create(store, "c", schedule=begun, agent="Uniform+", seed=1)


def test_the_clock_says_which_arm_is_on_offer(scheduled: Campaign) -> None:
    decision = scheduled.ask(at=at("2026-05-02T13:00"))
    assert (decision.arm, decision.round) == ("12:30", 2)
    assert decision.until is not None
    assert decision.until.isoformat() == "2026-05-02T16:30:00+02:00"
    assert scheduled.ask(at=at("2026-05-02T11:01+00:00")) == decision
    assert scheduled.ask("12:30", at=at("2026-05-02T16:29")) == decision
    nothing = scheduled.ask(at=at("2026-05-02T17:00"))
    assert nothing.reason == "nothing is on offer until 2026-05-02 18:00 CEST"
    assert (nothing.id, nothing.arm, nothing.pull) == (None, None, False)


def test_a_clock_set_back_finds_the_old_decision_or_is_refused(scheduled: Campaign) -> None:
    decision = scheduled.ask(at=at("2026-05-02T08:30"))
    scheduled.ask(at=at("2026-05-02T12:30"))
    assert scheduled.ask(at=at("2026-05-02T08:31")) == decision
    with pytest.raises(DataError, match="is past and was never asked about"):
        scheduled.ask(at=at("2026-05-01T18:00"))
    with pytest.raises(DataError, match="is the clock right"):
        scheduled.ask(at=at("2099-05-01T18:00"))


def test_an_arm_that_is_not_on_offer_now_is_refused(scheduled: Campaign) -> None:
    with pytest.raises(DataError, match="'18:00' is not on offer at this time; '12:30' is"):
        scheduled.ask("18:00", at=at("2026-05-02T13:00"))
    with pytest.raises(DataError, match="has no arm '19:00'"):
        scheduled.ask("19:00", at=at("2026-05-02T13:00"))
    with pytest.raises(DataError, match="goes by the clock"):
        scheduled.ask("18:00", at=3)


def test_a_slot_is_added_at_its_time(scheduled: Campaign) -> None:
    scheduled.ask(at=at("2026-05-01T08:00"))
    scheduled.add_arm("15:00")
    scheduled.add_arm("evening", slot="21:00")
    scheduled.retire_arm("08:00")
    assert scheduled.ask(at=at("2026-05-01T15:00")).arm == "12:30"
    assert scheduled.ask(at=at("2026-05-02T15:00")).arm == "15:00"
    assert scheduled.ask(at=at("2026-05-02T21:30")).arm == "evening"
    assert scheduled.verify().ok
    for label, said in (("16:00,17:00", "one time of day"), ("mon", "one time of day")):
        with pytest.raises(SpecError, match=said):
            scheduled.add_arm(label)
    with pytest.raises(SpecError, match="say when the arm comes"):
        scheduled.add_arm("16:00", before="18:00")
    with pytest.raises(ConflictError, match="there is an arm at 18:00 already"):
        scheduled.add_arm("six", slot="18:00")


def test_without_a_time_it_is_now(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 5, 1, 9, 30, tzinfo=UTC))
    campaign = Campaign.create(store, "c", schedule="00:00/2h", agent="Uniform+")
    assert campaign.config.schedule is not None
    local = campaign.config.schedule.local(clock.now())
    decision = campaign.ask()
    assert decision.round == 1
    assert decision.arm == f"{local.hour // 2 * 2:02d}:00"
