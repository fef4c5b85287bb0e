"""Times of readings: zones, the change of the clock, other forms."""

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from readers.helpers import AS_IS, days, read_series, write
from spnb.problems.readers.series import Window
from spnb.problems.readers.stamps import Clock


@pytest.mark.parametrize("missing", ["drop", "absent"])
def test_the_night_the_clock_jumps_forward_lacks_an_hour(tmp_path: Path, missing: Any) -> None:
    start = datetime(2022, 3, 26)
    rows = [((start + timedelta(hours=h)).isoformat() + "Z", 0.5) for h in range(-2, 72)]
    data = read_series(
        write(tmp_path, days(rows)), clock=Clock("time", zone="Europe/Rome"), value="value",
        reward=AS_IS, slot="1h", missing=missing, window=Window(until=date(2022, 3, 28)),
    )  # fmt: skip
    if missing == "drop":
        assert "2022-03-27" not in data.rounds
        assert {"2022-03-26", "2022-03-28"} <= set(data.rounds)
    else:
        row = data.table[data.rounds.index("2022-03-27")]
        assert np.flatnonzero(np.isnan(row)).tolist() == [2]


def test_the_night_the_clock_is_set_back_has_an_hour_twice(tmp_path: Path) -> None:
    start = datetime(2022, 10, 29, 22)  # midnight in Rome, still summer time
    rows = [((start + timedelta(hours=h)).isoformat() + "+00:00", h / 100) for h in range(25)]
    data = read_series(
        write(tmp_path, days(rows)), clock=Clock("time", zone="Europe/Rome"), value="value",
        reward=AS_IS, slot="1h",
    )  # fmt: skip
    assert data.rounds == ("2022-10-30",)
    expected = [0.00, 0.01, 0.025, *(h / 100 for h in range(4, 25))]  # hours 2 and 3 are one
    np.testing.assert_allclose(data.table[0], expected)


def test_without_a_zone_a_stamp_stands_for_its_own_clock(tmp_path: Path) -> None:
    rows = [("2024-01-01T01:00+05:00", 0.1), ("2024-01-01T13:00:00-03:00", 0.2)]
    data = read_series(
        write(tmp_path, days(rows)), clock=Clock("time"), value="value", reward=AS_IS, slot="12h"
    )
    np.testing.assert_allclose(data.table, [[0.1, 0.2]])


def test_bare_stamps_can_be_brought_from_one_zone_to_another(tmp_path: Path) -> None:
    rows = [("2024-07-01 23:30", 0.1), ("2024-07-02 11:00", 0.2)]  # UTC; Rome is two hours ahead
    clock = Clock("time", zone="Europe/Rome", stamps_in="UTC")
    data = read_series(
        write(tmp_path, days(rows)), clock=clock, value="value", reward=AS_IS, slot="12h"
    )
    assert data.rounds == ("2024-07-02",)
    np.testing.assert_allclose(data.table, [[0.1, 0.2]])


def test_bare_stamps_around_the_change_of_the_clock_are_on_the_clock_of_their_zone(
    tmp_path: Path,
) -> None:
    # In Rome the clock jumped from 2 to 3 that night: half past one was still winter time.
    rows = [("2022-03-27 01:30", 0.1), ("2022-03-27 14:30", 0.2)]
    data = read_series(
        write(tmp_path, days(rows)),
        clock=Clock("time", zone="UTC", stamps_in="Europe/Rome"),
        value="value",
        reward=AS_IS,
        slot="12h",
    )
    assert data.rounds == ("2022-03-27",)
    np.testing.assert_allclose(data.table, [[0.1, 0.2]])


def test_a_date_and_an_hour_may_stand_in_two_columns(tmp_path: Path) -> None:
    for hours in (("0", "12.5"), ("00:00", "12:30"), ("00:00:00", "12:30:01")):
        text = "day;hour;v\n" + "".join(f"2024-01-01;{h};0,{i}\n" for i, h in enumerate(hours))
        data = read_series(
            write(tmp_path, text), clock=Clock("day", "hour"), value="v", reward=AS_IS, slot="12h"
        )
        np.testing.assert_allclose(data.table, [[0.0, 0.1]])


@pytest.mark.parametrize(
    ("form", "stamps"),
    [
        ("%d.%m.%Y %H:%M", ("21.02.2006 08:00", "21.02.2006 20:00")),
        ("%m/%d/%Y %I:%M %p", ("02/21/2006 8:00 AM", "02/21/2006 8:00 PM")),
        ("unix", ("1140508800", "1140552000.5")),
    ],
)
def test_times_may_have_another_form(tmp_path: Path, form: Any, stamps: Any) -> None:
    path = write(tmp_path, days([(stamps[0], 0.1), (stamps[1], 0.2)]))
    data = read_series(
        path, clock=Clock("time", form=form), value="value", reward=AS_IS, slot="12h"
    )
    assert data.rounds == ("2006-02-21",)
    np.testing.assert_allclose(data.table, [[0.1, 0.2]])
