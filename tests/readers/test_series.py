"""Readings become rounds and arms, whatever the file looks like."""

import csv
import io
from collections import defaultdict
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readers.helpers import AS_IS, TWO_DAYS, days, read_series, write
from spnb.base.errors import DataError, SpecError, SpnbError
from spnb.problems.readers.data import ProblemData
from spnb.problems.readers.reward import Reward
from spnb.problems.readers.series import Window, default_block, slot_label, slot_seconds
from spnb.problems.readers.source import Layout
from spnb.problems.readers.stamps import Clock


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


def test_clicks_per_impressions_are_summed_before_they_are_divided(tmp_path: Path) -> None:
    text = "t,clicks,shown\n2024-01-01T01:00,1,10\n2024-01-01T02:00,5,90\n2024-01-01T13:00,1,4\n"
    data = read_series(
        write(tmp_path, text), clock=Clock("t"), value="clicks", per="shown", reward=AS_IS,
        slot="12h",
    )  # fmt: skip
    np.testing.assert_allclose(data.table, [[0.06, 0.25]])
    np.testing.assert_array_equal(data.shows, [[100, 4]])


def test_clicks_of_impressions_are_counts(tmp_path: Path) -> None:
    """A pull brings all trials of its cell, and an arm's mean is that of its trials."""
    rows = ["01T01:00,1,10", "01T13:00,2,4", "02T01:00,9,90", "02T13:00,0,2", "03T01:00,0,0"]
    text = "t,clicks,shown\n" + "".join(f"2024-01-{row}\n" for row in rows)
    path = write(tmp_path, text)

    def read(per: str | None = "shown", **given: Any) -> ProblemData:
        return read_series(
            path, clock=Clock("t"), value="clicks", per=per, slot="12h", missing="absent",
            **{"reward": AS_IS, **given},
        )  # fmt: skip

    data = read()
    np.testing.assert_array_equal(data.shows, [[10, 4], [90, 2], [np.nan, np.nan]])
    np.testing.assert_allclose(data.means, [10 / 100, 2 / 6])
    data.save(tmp_path / "p.json")
    again = ProblemData.load(tmp_path / "p.json")
    np.testing.assert_array_equal(again.shows, data.shows)
    assert again.means == data.means
    worlds = again.problem("repeat").worlds(1, np.arange(1))
    law, w = worlds.law, worlds.of_run(0)
    paid = [
        [(law.reward(w, day, arm), law.trials(w, day, arm)) for arm in (0, 1)] for day in (0, 1)
    ]
    assert paid == [[(1, 10), (2, 4)], [(9, 90), (0, 2)]]
    assert [law.offers(w, 2, arm) for arm in (0, 1)] == [False, False]
    assert read(reward=Reward(above=0.2)).shows is None, "a threshold makes them 0 and 1"
    half = path.read_text().replace("9,90", "9.5,90")
    path.write_text(half)
    assert read().shows is None, "half a click is no count"


@pytest.mark.parametrize("shows", [[[1.5, 2]], [[0, 2]], [[1, 2, 3]], [[3, 2]]])
def test_trials_that_make_no_sense_are_refused(shows: Any) -> None:
    with pytest.raises(DataError, match="shows must be"):
        ProblemData("p", ("a", "b"), np.array([[0.5, 1.0]]), shows=np.array(shows))


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
        (b"time,value\n2024-01-01T00:00,1\n2024-01-01\n", "row 2 has 1 field, the header has 2"),
        (b"time,value\n2024-01-01T00:00,1\n2024-01-01T01:00,abc\n", "row 2: 'abc' in column"),
        (b"time,value\n2024-01-01T00:00,1\n,2\nyesterday,1\n", "row 3: 'yesterday' in column"),
        (b"time,value\n2024-01-01T00:00,1\n2024-01-01T00:00+01:00,1\n", "row 2: "
         "'2024-01-01T00:00+01:00' in column 'time' has an offset from UTC, the rows "
         "before it have none"),
        (b"time,value\n2024-01-01T00:00+01:00,1\n2024-01-01T00:00,1\n", "row 2: "
         "'2024-01-01T00:00' in column 'time' has no offset from UTC, the rows before it have one"),
        (b"time,value\n2024-01-01T00:00Z,1\n\n2024-01-01T12:00Z,1,7,8\n", "row 2 has 4 fields"),
        (b"time,value\n2024-01-01T00:00+01:00,1\nnow and then,1\n", "row 2: 'now and then'"),
        (b"time,value\n2024-01-01T00:00,inf\n", "is not a finite number"),
        (b"time,value\n2024-01-01T00:00,\n2024-01-01T12:00,NA\n", "gives no reading: 2 rows "
         "without a time or a value, 0 rows outside"),
        (b"time,value\n2024-01-01T03:00,0.5\n", "no day has a reading in all 2 slots"),
        (b"time,value\n2024-01-01T00:00,5\n2024-01-01T12:00,6\n", "give a threshold"),
        (b"time,value\n2024-01-01,0.5\n2024-01-02,0.4\n", "is midnight: if it is only the date, "
         "name the column of the hour (--hour)"),
    ],
)  # fmt: skip
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


def test_blocks_of_days_grow_with_the_record() -> None:
    assert [default_block(days) for days in (1, 8, 26, 1000)] == [1, 2, 3, 10]
