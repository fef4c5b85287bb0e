"""Series in other files: Parquet, gzip, other encodings, and real data."""

import csv
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from readers.helpers import AS_IS, TWO_DAYS, Shared, days, read_series, write
from spnb.base.errors import DataError
from spnb.problems.readers.reward import Reward
from spnb.problems.readers.series import Window
from spnb.problems.readers.source import Layout
from spnb.problems.readers.stamps import Clock


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
