"""Long files: memory stays where it is. The full sizes run if SPNB_SOAK=1."""

from pathlib import Path

import pytest
from benchmarks.reading import log_speed, series_memory


def test_ten_times_the_rows_take_no_more_memory(tmp_path: Path) -> None:
    small, large = series_memory(tmp_path, 1_000_000)
    assert small["rows"] * 10 == large["rows"]
    assert large["peak_mb"] < small["peak_mb"] + 60


@pytest.mark.soak
def test_ten_million_rows_take_the_memory_of_one_million(tmp_path: Path) -> None:
    small, large = series_memory(tmp_path, 10_000_000)
    assert large["peak_mb"] < 1.25 * small["peak_mb"]


@pytest.mark.soak
def test_a_whole_day_of_the_log_is_read_in_constant_memory(tmp_path: Path) -> None:
    found = log_speed(tmp_path, 4_681_992)
    assert found["peak_mb"][1] < 1.1 * found["peak_mb"][0]
