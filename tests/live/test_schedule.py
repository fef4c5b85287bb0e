"""Clock times to arms and rounds, on ordinary days and on those the clock jumps."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spnb.base.errors import SpecError
from spnb.live.schedule import Offer, Schedule, first_instant, length_text, local_zone, minutes_of

ROME = "Europe/Rome"


def schedule(slots: str, start: date = date(2026, 1, 1), **options: str) -> Schedule:
    return Schedule.parse(slots, options.pop("zone", ROME), start=start.isoformat(), **options)


def offer(plan: Schedule, text: str, fold: int = 0) -> Offer | None:
    moment = plan.at(datetime.fromisoformat(text).replace(fold=fold))
    return plan.offer(moment, lambda _: plan.slots)


def on_offer(plan: Schedule, text: str, fold: int = 0) -> tuple[int, str, str] | None:
    """Round, label, and until when on the clock."""
    found = offer(plan, text, fold)
    if found is None:
        return None
    until = plan.local(found.until)
    return found.round, plan.label(plan.slots[found.arm]), until.strftime("%a %H:%M")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("00:00/8h", ["00:00", "08:00", "16:00"]),
        ("08:00,12:30,18:00", ["08:00", "12:30", "18:00"]),
        ("18:00, 8:00", ["08:00", "18:00"]),
        ("20:00/90m", ["20:00", "21:30", "23:00"]),
        ("mon,thu", ["mon", "thu"]),
        ("mon 08:00,thu 18:30", ["mon 08:00", "thu 18:30"]),
        ("sat-mon 08:00", ["mon 08:00", "sat 08:00", "sun 08:00"]),
        ("tue 00:00/12h", ["tue 00:00", "tue 12:00"]),
    ],
)
def test_slots_are_written_as_people_do(text: str, labels: list[str]) -> None:
    plan = Schedule.parse(text, ROME)
    assert [plan.label(slot) for slot in plan.slots] == labels


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "slots are times such as"),
        ("noon", "slots are times such as"),
        ("8", "slots are times such as"),
        ("25:00", "between 00:00 and 23:59"),
        ("08:75", "between 00:00 and 23:59"),
        ("08:00,08:00", "every slot must be given once"),
        ("mon,08:00", "either all slots have a weekday or none"),
        ("xyz 08:00", "weekdays are mon"),
        ("08:00/0h", "a length of time"),
        ("08:00/2x", "a length of time"),
    ],
)
def test_other_slots_are_refused(text: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        Schedule.parse(text, ROME)


def test_other_options_are_refused() -> None:
    with pytest.raises(SpecError, match="a time zone is a name"):
        Schedule.parse("08:00", "Mars/Olympus")
    with pytest.raises(SpecError, match="weekdays are mon"):
        Schedule.parse("08:00", ROME, days="someday")
    with pytest.raises(SpecError, match="slots with weekdays need no days"):
        Schedule.parse("mon", ROME, days="mon-fri")
    with pytest.raises(SpecError, match="a date is written"):
        Schedule.parse("08:00", ROME, start="tomorrow")
    with pytest.raises(SpecError, match="different times in order"):
        Schedule((5, 3), ROME)
    with pytest.raises(SpecError, match="weekdays from 0 to 6"):
        Schedule((5,), ROME, days=(7,))
    with pytest.raises(SpecError, match="has no first day yet"):
        offer(Schedule.parse("08:00", ROME), "2026-05-01T10:00")


def test_a_slot_stands_until_the_next_and_the_last_until_the_first() -> None:
    plan = schedule("08:00,12:30,18:00")
    assert on_offer(plan, "2026-01-03T08:00") == (3, "08:00", "Sat 12:30")
    assert on_offer(plan, "2026-01-03T12:29:59") == (3, "08:00", "Sat 12:30")
    assert on_offer(plan, "2026-01-03T12:30") == (3, "12:30", "Sat 18:00")
    assert on_offer(plan, "2026-01-04T03:00") == (3, "18:00", "Sun 08:00")


def test_nothing_is_on_offer_before_the_first_round() -> None:
    assert on_offer(schedule("08:00"), "2026-01-01T07:59") is None
    assert on_offer(schedule("08:00"), "2025-12-31T09:00") is None


def test_a_window_closes_a_slot_early() -> None:
    plan = schedule("08:00,18:00", window="30m")
    assert on_offer(plan, "2026-01-03T08:29") == (3, "08:00", "Sat 08:30")
    assert on_offer(plan, "2026-01-03T08:30") is None
    moment = plan.at(datetime(2026, 1, 3, 8, 30))
    assert plan.coming(moment, lambda _: plan.slots) == plan.at(datetime(2026, 1, 3, 18))


def test_only_some_weekdays_are_rounds() -> None:
    plan = schedule("08:00,18:00", start=date(2026, 1, 1), days="mon-fri")  # a Thursday
    assert on_offer(plan, "2026-01-02T08:00") == (2, "08:00", "Fri 18:00")
    assert on_offer(plan, "2026-01-02T23:00") == (2, "18:00", "Sat 08:00")
    assert on_offer(plan, "2026-01-03T09:00") is None
    assert on_offer(plan, "2026-01-05T09:00") == (3, "08:00", "Mon 18:00")
    moment = plan.at(datetime(2026, 1, 3, 9))
    assert plan.coming(moment, lambda _: plan.slots) == plan.at(datetime(2026, 1, 5, 8))


def test_a_round_may_be_a_week() -> None:
    plan = schedule("mon 08:00,thu 18:00", start=date(2026, 1, 7))  # a Wednesday
    assert on_offer(plan, "2026-01-07T12:00") == (1, "mon 08:00", "Thu 18:00")
    assert on_offer(plan, "2026-01-12T07:00") == (1, "thu 18:00", "Mon 08:00")
    assert on_offer(plan, "2026-01-12T08:00") == (2, "mon 08:00", "Thu 18:00")


def test_in_spring_a_slot_begins_when_the_clock_is_past_it() -> None:
    plan = schedule("00:00/2h")  # on 29 March the clock goes from 02:00 to 03:00
    assert on_offer(plan, "2026-03-29T01:59") == (88, "00:00", "Sun 03:00")
    assert on_offer(plan, "2026-03-29T03:00") == (88, "02:00", "Sun 04:00")
    found = offer(plan, "2026-03-29T03:00")
    assert found is not None
    assert found.until - found.start == timedelta(hours=1)


def test_in_spring_a_slot_that_is_skipped_never_occurs() -> None:
    plan = schedule("02:00,02:30,03:00")
    assert on_offer(plan, "2026-03-29T01:59") == (87, "03:00", "Sun 03:00")
    assert on_offer(plan, "2026-03-29T03:00") == (88, "03:00", "Mon 02:00")
    narrow = schedule("02:15,12:00", window="15m")
    assert on_offer(narrow, "2026-03-29T03:00") is None


def test_in_autumn_a_time_that_occurs_twice_counts_once() -> None:
    plan = schedule("02:15,02:45")  # on 25 October the clock goes from 03:00 back to 02:00
    assert on_offer(plan, "2026-10-25T02:20", fold=0) == (298, "02:15", "Sun 02:45")
    assert on_offer(plan, "2026-10-25T02:20", fold=1) == (298, "02:45", "Mon 02:15")
    first, second = (offer(plan, "2026-10-25T02:50", fold) for fold in (0, 1))
    assert first == second


def test_a_day_that_a_country_skips_passes() -> None:
    plan = schedule("08:00", start=date(2011, 12, 29), zone="Pacific/Apia")
    assert on_offer(plan, "2011-12-29T23:00") == (1, "08:00", "Sat 00:00")
    assert on_offer(plan, "2011-12-31T00:00") == (2, "08:00", "Sat 08:00")
    assert on_offer(plan, "2011-12-31T08:00") == (3, "08:00", "Sun 08:00")


@given(
    st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 31)),
    st.sampled_from(["00:00/2h", "02:00,02:30,03:00", "02:15,12:00", "08:00,20:00"]),
    st.sampled_from([ROME, "America/New_York", "Australia/Lord_Howe", "UTC", "Asia/Kathmandu"]),
)
def test_offers_follow_each_other_in_order_without_a_gap(
    moment: datetime, slots: str, zone: str
) -> None:
    plan = schedule(slots, start=date(2024, 12, 1), zone=zone)
    seen: list[Offer] = []
    instant = moment.replace(tzinfo=UTC)
    for _ in range(30):
        found = plan.offer(instant, lambda _: plan.slots)
        assert found is not None
        assert found.start <= instant < found.until
        seen.append(found)
        instant = found.until
    for before, after in pairwise(seen):
        assert (before.round, before.arm) < (after.round, after.arm)
        assert before.until == after.start


@given(
    st.datetimes(datetime(2025, 1, 1), datetime(2027, 12, 31)),
    st.sampled_from([ROME, "America/New_York", "Australia/Lord_Howe", "Pacific/Apia"]),
)
def test_a_time_means_the_first_instant_the_clock_shows_it_or_is_past(
    clock: datetime, zone: str
) -> None:
    clock = clock.replace(microsecond=0)
    instant = first_instant(clock, zone)
    plan = Schedule((0,), zone)
    assert plan.local(instant).replace(tzinfo=None) >= clock
    before = plan.local(instant - timedelta(seconds=1)).replace(tzinfo=None)
    assert before < clock


def test_a_schedule_survives_json() -> None:
    plan = schedule("mon 08:00,thu 18:00", window="2h")
    assert Schedule.from_dict(plan.to_dict()) == plan
    fresh = Schedule.parse("08:00", ROME, days="mon-fri")
    assert Schedule.from_dict(fresh.to_dict()) == fresh
    evening = datetime(2026, 5, 1, 23, 30, tzinfo=UTC)
    assert fresh.starting(evening).start == date(2026, 5, 2)  # it is already May 2nd in Rome


def test_lengths_of_time() -> None:
    assert [minutes_of(text) for text in ("30m", "2h", "3d", "1w")] == [30, 120, 4320, 10080]
    for minutes in (1, 90, 120, 1440, 4320, 10080, 20160):
        assert minutes_of(length_text(minutes)) == minutes


def test_the_zone_of_the_machine_is_a_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", ":America/New_York")
    assert local_zone() == "America/New_York"
    monkeypatch.setenv("TZ", "not/a zone")
    Schedule.parse("08:00", local_zone())
