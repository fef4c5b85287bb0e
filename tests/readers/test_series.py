import csv
import io
from collections import defaultdict
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spnb.errors import DataError, SpecError, SpnbError
from spnb.readers import series
from spnb.readers.reward import Reward
from spnb.readers.series import Window, default_block, slot_label, slot_seconds
from spnb.readers.source import Layout
from spnb.readers.stamps import Clock

AS_IS = Reward()
Shared = Callable[[str], Path]


def read_series(path: Path, **more: Any) -> Any:
    """A record always has a table and labels: what the type leaves open is not asked here."""
    return series.read_series(path, **more)


def write(folder: Path, text: str | bytes, name: str = "series.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def days(rows: list[tuple[str, float]]) -> str:
    return "time,value\n" + "".join(f"{time},{value}\n" for time, value in rows)


TWO_DAYS = [
    (f"2024-01-0{day}T{hour:02d}:30", (10 * day + hour) / 100)
    for day in (1, 2)
    for hour in range(0, 24, 6)
]


def test_days_are_rounds_and_slots_are_arms(tmp_path: Path) -> None:
    path = write(tmp_path, days(TWO_DAYS))
    data = read_series(path, clock=Clock("time"), value="value", reward=AS_IS, slot="6h")
    assert data.arms == ("00:00", "06:00", "12:00", "18:00")
    assert data.rounds == ("2024-01-01", "2024-01-02")
    np.testing.assert_allclose(data.table, [[0.10, 0.16, 0.22, 0.28], [0.20, 0.26, 0.32, 0.38]])


# A plain second implementation: one reading at a time, with dictionaries.
def slowly(readings: Any, pick: Any, missing: Any, slots: Any) -> Any:
    cells = defaultdict(list)
    for stamp, value in readings:
        if value is not None:
            slot = (stamp.hour * 3600 + stamp.minute * 60 + stamp.second) * slots // 86_400
            cells[stamp.date(), slot].append((stamp, value))
    table: dict[date, dict[int, float]] = {}
    for (day, slot), found in cells.items():
        values = [value for _, value in sorted(found, key=lambda pair: pair[0])]
        table.setdefault(day, {})[slot] = {
            "first": values[0], "max": max(values), "mean": sum(values) / len(values),
        }[pick]  # fmt: skip
    kept = [d for d in sorted(table) if missing == "absent" or len(table[d]) == slots]
    seen = sorted({slot for d in kept for slot in table[d]})
    return kept, seen, [[table[d].get(slot, np.nan) for slot in seen] for d in kept]


readings_of_some_days = st.lists(
    st.tuples(
        st.datetimes(datetime(2023, 12, 30), datetime(2024, 1, 2)).map(
            lambda t: t.replace(microsecond=0)
        ),
        st.none() | st.integers(0, 1000).map(lambda n: n / 1000),
    ),
    min_size=1,
    max_size=60,
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    readings=readings_of_some_days,
    separator=st.sampled_from(",;\t|"),
    decimal=st.sampled_from(".,"),
    end=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
    quoted=st.booleans(),
    blank=st.sampled_from(["", " ", "NA", "nan"]),
    pick=st.sampled_from(["first", "mean", "max"]),
    missing=st.sampled_from(["drop", "absent"]),
    slots=st.sampled_from([2, 4, 24]),
)
def test_any_way_of_writing_a_file_gives_what_a_plain_loop_gives(
    tmp_path: Path,
    readings: Any,
    separator: Any,
    decimal: Any,
    end: Any,
    bom: Any,
    quoted: Any,
    blank: Any,
    pick: Any,
    missing: Any,
    slots: Any,
) -> None:
    out = io.StringIO()
    writer = csv.writer(
        out,
        delimiter=separator,
        lineterminator=end,
        quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL,
    )
    writer.writerow(["note", "when", "what"])
    for stamp, value in readings:
        cell = blank if value is None else str(value).replace(".", decimal)
        writer.writerow(["x", stamp.isoformat(sep=" "), cell])
    path = write(tmp_path, out.getvalue().encode("utf-8-sig" if bom else "utf-8"))
    kept, seen, expected = slowly(readings, pick, missing, slots)

    def read() -> Any:
        return read_series(
            path, clock=Clock("when"), value="what", reward=AS_IS, slot=f"{24 // slots}h",
            pick=pick, missing=missing, layout=Layout(decimal=decimal),
        )  # fmt: skip

    if len(seen) < 2:
        with pytest.raises(DataError):
            read()
        return
    data = read()
    assert data.rounds == tuple(day.isoformat() for day in kept)
    assert data.arms == tuple(slot_label(slot, 86_400 // slots) for slot in seen)
    np.testing.assert_allclose(data.table, expected, rtol=1e-12)


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rows = [
        ((datetime(2024, 1, 1) + timedelta(minutes=7 * i)).isoformat(), round(rng.random(), 3))
        for i in range(2000)
    ]
    shuffled = [rows[i] for i in rng.permutation(len(rows))]
    for pick in ("first", "mean", "max"):
        tables = [
            read_series(
                write(tmp_path, days(order)), clock=Clock("time"), value="value",
                reward=AS_IS, pick=pick,
            ).table
            for order in (rows, shuffled)
        ]  # fmt: skip
        np.testing.assert_allclose(tables[0], tables[1], rtol=1e-12)


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


def test_clicks_per_impressions_are_summed_before_they_are_divided(tmp_path: Path) -> None:
    text = "t,clicks,shown\n2024-01-01T01:00,1,10\n2024-01-01T02:00,5,90\n2024-01-01T13:00,1,4\n"
    data = read_series(
        write(tmp_path, text), clock=Clock("t"), value="clicks", per="shown", reward=AS_IS,
        slot="12h",
    )  # fmt: skip
    np.testing.assert_allclose(data.table, [[0.06, 0.25]])


def test_only_rows_that_meet_the_conditions_count(tmp_path: Path) -> None:
    text = "t,v,ok\n2024-01-01T01:00,0.5,1\n2024-01-01T02:00,rubbish,0\n2024-01-01T13:00,1, 1 \n"
    data = read_series(
        write(tmp_path, text), clock=Clock("t"), value="v", reward=AS_IS, slot="12h",
        layout=Layout(where=(("ok", "1"),)),
    )  # fmt: skip
    np.testing.assert_allclose(data.table, [[0.5, 1.0]])
    assert data.notes == ()  # a row left out on purpose is no blank row


def test_the_window_counts_days_that_are_kept(tmp_path: Path) -> None:
    rows = [(f"2024-01-{day:02d}T{hour:02d}:00", 0.5) for day in range(1, 11) for hour in (1, 13)][
        :-1
    ]  # the last day is cut short
    path = write(tmp_path, days(rows))

    def rounds(**window: Any) -> Any:
        return read_series(
            path, clock=Clock("time"), value="value", reward=AS_IS, slot="12h",
            window=Window(**window),
        ).rounds  # fmt: skip

    assert rounds(last=2) == ("2024-01-08", "2024-01-09")
    assert rounds(first=date(2024, 1, 8)) == ("2024-01-08", "2024-01-09")
    assert rounds(until=date(2024, 1, 2)) == ("2024-01-01", "2024-01-02")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"time,value\n", "has a header but no rows"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is not text"),
        (b"\xff\xfet\0i\0m\0e\0", "is not text"),
        (b"PAR1 and nothing else", "cannot read"),
        (b"\x1f\x8b\x08\0 broken", "is damaged"),
        (b"when,value\n2024-01-01T00:00,1\n", "no column 'time'; it has 'when', 'value'"),
        (b"time,value,value\n2024-01-01T00:00,1,1\n", "2 columns named 'value'"),
        (b"time,value\n2024-01-01T00:00,1\n2024-01-01\n", "Expected 2 columns, got 1"),
        (b"time,value\n2024-01-01T00:00,1\n2024-01-01T01:00,abc\n", "row 2: 'abc' in column"),
        (b"time,value\n2024-01-01T00:00,1\n,2\nyesterday,1\n", "row 3: 'yesterday' in column"),
        (b"time,value\n2024-01-01T00:00,1\n2024-01-01T00:00+01:00,1\n", "row 2: "),
        (b"time,value\n2024-01-01T00:00+01:00,1\nnow and then,1\n", "row 2: 'now and then'"),
        (b"time,value\n2024-01-01T00:00,inf\n", "is not a finite number"),
        (b"time,value\n2024-01-01T00:00,\n2024-01-01T12:00,NA\n", "gives no reading: 2 rows"),
        (b"time,value\n2024-01-01T00:00,0.5\n", "no day has a reading in all 2 slots"),
        (b"time,value\n2024-01-01T00:00,5\n2024-01-01T12:00,6\n", "give a threshold"),
    ],
)
def test_what_cannot_be_read_is_one_clear_line(tmp_path: Path, content: Any, says: str) -> None:
    path = write(tmp_path, content)
    with pytest.raises(DataError) as caught:
        read_series(path, clock=Clock("time"), value="value", reward=AS_IS, slot="12h")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_series(tmp_path / "none.csv", clock=Clock("t"), value="v", reward=AS_IS)


@pytest.mark.parametrize(
    ("reward", "says"),
    [
        (Reward(above=0.9), "none of the values (0.1 to 0.38) lie above 0.9"),
        (Reward(above=0.01), "all of the values"),
        (Reward(below=0.1), "none of the values"),
        (Reward(below=1), "all of the values"),
    ],
)
def test_values_all_on_one_side_of_the_threshold_are_one_clear_line(
    tmp_path: Path, reward: Any, says: str
) -> None:
    with pytest.raises(DataError) as caught:
        read_series(
            write(tmp_path, days(TWO_DAYS)), clock=Clock("time"), value="value", reward=reward,
            slot="6h",
        )  # fmt: skip
    assert says in str(caught.value)


def test_one_slot_only_is_one_clear_line(tmp_path: Path) -> None:
    path = write(tmp_path, days([("2024-01-01T08:00", 0.1), ("2024-01-02T08:10", 0.9)]))
    with pytest.raises(DataError, match="the only slot with readings is 08:00"):
        read_series(path, clock=Clock("time"), value="value", reward=AS_IS, missing="absent")


def test_slots_without_a_reading_in_the_window_are_no_arms(tmp_path: Path) -> None:
    rows = [("2024-01-01T01:00", 0.1), ("2024-01-02T09:00", 0.2), ("2024-01-02T17:00", 0.3)]
    data = read_series(
        write(tmp_path, days(rows)), clock=Clock("time"), value="value", reward=AS_IS, slot="8h",
        missing="absent", window=Window(last=1),
    )  # fmt: skip
    assert data.arms == ("08:00", "16:00")


def test_rewards_by_threshold_and_by_scale() -> None:
    values = np.array([[1.0, 2.0], [np.nan, 4.0]])
    np.testing.assert_equal(Reward(above=2).of(values), [[0, 0], [np.nan, 1]])
    np.testing.assert_equal(Reward(below=2).of(values), [[1, 0], [np.nan, 0]])
    np.testing.assert_equal(Reward(scale=(2, 4)).of(values), [[0, 0], [np.nan, 1]])
    np.testing.assert_allclose(Reward(scale="data").of(values), [[0, 1 / 3], [np.nan, 1]])
    with pytest.raises(DataError, match="nothing to scale"):
        Reward(scale="data").of(np.ones((2, 2)))


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Reward(above=1, below=0),
        lambda: Reward(above=float("nan")),
        lambda: Reward(scale=(1, 1)),
        lambda: Clock("t", zone="Mars/Olympus"),
        lambda: Clock("t", zone="../etc/passwd"),
        lambda: Clock("t", stamps_in="UTC"),
        lambda: Layout(separator=";;"),
        lambda: Layout(decimal=";"),
        lambda: Window(last=0),
        lambda: Window(first=date(2024, 1, 2), until=date(2024, 1, 1)),
        lambda: slot_seconds("7h"),
        lambda: slot_seconds("24h"),
        lambda: slot_seconds("h"),
        lambda: slot_seconds("2 days"),
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: Any) -> None:
    with pytest.raises(SpnbError):
        wrong()


@pytest.mark.parametrize(
    "given", [{"pick": "median"}, {"missing": "guess"}, {"per": "value", "pick": "max"}]
)
def test_choices_that_do_not_exist_are_refused(tmp_path: Path, given: Any) -> None:
    with pytest.raises(SpecError):
        read_series(
            write(tmp_path, days(TWO_DAYS)), clock=Clock("time"), value="value", reward=AS_IS,
            **given,
        )  # fmt: skip


def test_parquet_gives_what_the_same_csv_gives(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stamps = [datetime.fromisoformat(time) for time, _ in TWO_DAYS]
    values = [value for _, value in TWO_DAYS]
    expected = read_series(
        write(tmp_path, days(TWO_DAYS)), clock=Clock("time"), value="value", reward=AS_IS, slot="6h"
    )
    for kind in (pa.timestamp("us"), pa.timestamp("ns"), pa.timestamp("s", "UTC"), pa.string()):
        times = [t.isoformat() for t in stamps] if kind == pa.string() else stamps
        table = pa.table({"time": pa.array(times, kind), "value": pa.array(values, pa.float32())})
        pq.write_table(table, tmp_path / "series.parquet")
        data = read_series(
            tmp_path / "series.parquet", clock=Clock("time"), value="value", reward=AS_IS, slot="6h"
        )
        assert data.rounds == expected.rounds
        np.testing.assert_allclose(data.table, expected.table, atol=1e-6)


def test_a_zoned_parquet_column_is_brought_to_the_zone_asked_for(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    stamps = pa.array(
        [datetime(2024, 7, 1, 23), datetime(2024, 7, 2, 11)], pa.timestamp("us", "UTC")
    )
    pq.write_table(pa.table({"time": stamps, "value": [0.1, 0.2]}), tmp_path / "z.parquet")

    def rounds(zone: Any) -> Any:
        return read_series(
            tmp_path / "z.parquet", clock=Clock("time", zone=zone), value="value", reward=AS_IS,
            slot="12h", missing="absent",
        ).rounds  # fmt: skip

    assert rounds(None) == ("2024-07-01", "2024-07-02")
    assert rounds("Europe/Rome") == ("2024-07-02",)


def test_a_gzipped_file_is_read_as_it_is(tmp_path: Path) -> None:
    import gzip

    path = write(tmp_path, gzip.compress(days(TWO_DAYS).encode()), "series.csv.gz")
    data = read_series(path, clock=Clock("time"), value="value", reward=AS_IS, slot="6h")
    assert len(data.rounds) == 2


def test_another_encoding_can_be_named(tmp_path: Path) -> None:
    text = "time;Trübung µ\n2024-01-01T01:00;0,5\n2024-01-01T13:00;0,7\n".encode("latin-1")
    path = write(tmp_path, text)
    with pytest.raises(DataError, match="not text in utf-8"):
        read_series(path, clock=Clock("time"), value="Trübung µ", reward=AS_IS, slot="12h")
    data = read_series(
        path, clock=Clock("time"), value="Trübung µ", reward=AS_IS, slot="12h",
        layout=Layout(encoding="latin-1"),
    )  # fmt: skip
    np.testing.assert_allclose(data.table, [[0.5, 0.7]])


def test_blocks_of_days_grow_with_the_record() -> None:
    assert [default_block(days) for days in (1, 8, 26, 1000)] == [1, 2, 3, 10]


@pytest.mark.shared
def test_the_station_of_the_water_study(shared: Shared) -> None:
    from spnb.theory import h1_with_best

    data = read_series(
        shared("canary_station_b_turbidity_2h.csv"), clock=Clock("date", "slot_hour"),
        value="turb_mean", reward=Reward(above=0.3), window=Window(last=26),
    )  # fmt: skip
    assert len(data.arms) == 12
    assert data.rounds is not None
    assert len(data.rounds) == 26
    problem = data.problem()
    assert data.arms[problem.best] == "08:00"
    first, second = sorted(problem.means)[:-3:-1]
    assert round(first, 3) == 0.462
    assert round(second, 3) == 0.231
    assert round(float(h1_with_best(problem.means))) == 118


def reference(shared: Shared, dataset: str, problem: str) -> list[float]:
    with shared("arm_means.csv").open(newline="") as file:
        rows = [
            r for r in csv.DictReader(file) if (r["dataset"], r["problem"]) == (dataset, problem)
        ]
    return [float(row["mean"]) for row in rows]


@pytest.mark.shared
@pytest.mark.parametrize(
    ("file", "clock", "value", "above", "window", "expected"),
    [
        ("canary_station_b_20min.csv", Clock("time"), "b_turb_val", 0.3, Window(last=26),
         ("canary_station_b", "turb_mean>0.3NTU_last26")),
        ("gecco2018_water_hourly.csv", Clock("time"), "trueb", 0.01811, Window(),
         ("gecco2018", "trueb>0.01811_q0.5")),
        ("gecco2018_water_hourly.csv", Clock("time"), "cl_2", 0.1061, Window(),
         ("gecco2018", "cl_2>0.1061_q0.5")),
        ("river_water_flow_hourly.csv", Clock("time"), "flow_l_s", 103.2, Window(),
         ("river_water_flow", "flow>103.2")),
    ],
)  # fmt: skip
def test_real_series_give_the_means_counted_by_others(
    shared: Shared, file: Any, clock: Any, value: Any, above: Any, window: Any, expected: Any
) -> None:
    data = read_series(
        shared(file), clock=clock, value=value, reward=Reward(above=above), window=window
    )
    means = reference(shared, *expected)
    # the reference's thresholds are rounded: a value or two may fall on the other side
    assert data.rounds is not None
    np.testing.assert_allclose(data.means, means, atol=1.5 / len(data.rounds))
    assert int(np.argmax(data.means)) == int(np.argmax(means))


def test_the_water_flow_that_river_ships() -> None:
    from importlib.resources import files

    path = Path(str(files("river.datasets"))) / "water-flow.csv"
    for zone in (None, "Europe/Rome"):
        data = read_series(
            path, clock=Clock("Time", zone=zone), value="Water flow [l/s]",
            reward=Reward(above=103.2),
        )  # fmt: skip
        assert data.rounds is not None
        assert len(data.rounds) == 49
        assert data.arms[data.problem().best] == "10:00"


@pytest.mark.shared
def test_headline_tests_by_the_hour_of_their_making(shared: Shared) -> None:
    data = read_series(
        shared("upworthy_packages.csv"), clock=Clock("created_utc"), value="clicks",
        per="impressions", reward=AS_IS, missing="absent", layout=Layout(where=(("time_ok", "1"),)),
    )  # fmt: skip
    assert len(data.arms) == 12
    assert 0.01 < min(data.means) < max(data.means) < 0.025
