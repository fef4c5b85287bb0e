"""What is wrong with a file is said truly, and with its row where there is one."""

from pathlib import Path

import pytest

from readers.helpers import AS_IS, TWO_DAYS, days, read_series, write
from spnb.base.errors import DataError, SpecError
from spnb.problems.readers.reward import Reward
from spnb.problems.readers.source import Layout
from spnb.problems.readers.stamps import Clock
from spnb.problems.readers.table import read_long
from spnb.problems.readers.yahoo import read_log


def test_folders_and_encodings_that_do_not_exist_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="it is a folder"):
        read_series(tmp_path, clock=Clock("t"), value="v", reward=AS_IS)
    with pytest.raises(DataError, match="it is a folder"):
        read_log([tmp_path], 2)
    with pytest.raises(SpecError, match="encoding must be one that Python knows.*'klingon'"):
        Layout(encoding="klingon")
    with pytest.raises(SpecError, match="encoding"):
        Layout(encoding="hex")


@pytest.mark.parametrize("before", [1, 200_000])  # of another batch
def test_offsets_come_in_all_rows_or_in_none(tmp_path: Path, before: int) -> None:
    for first, then, said in (("", "Z", "has an offset"), ("Z", "", "has no offset")):
        rows = f"2024-01-01T00:00{first},0.1\n" * before + f"2024-01-01T12:00{then},0.2\n"
        path = write(tmp_path, "time,value\n" + rows)
        for zone in (None, "Europe/Rome"):
            with pytest.raises(DataError, match=f"row {before + 1}: .*{said} from UTC"):
                read_series(
                    path, clock=Clock("time", zone=zone), value="value", reward=AS_IS, slot="12h"
                )


def test_unix_times_are_seconds(tmp_path: Path) -> None:
    rows = "".join(f"{1_700_000_000_000 + 3_600_000 * hour},0.5\n" for hour in range(48))
    path = write(tmp_path, "time,value\n" + rows)
    with pytest.raises(DataError, match="row 1: .* is not a time in seconds .*milliseconds"):
        read_series(path, clock=Clock("time", form="unix"), value="value", reward=AS_IS)


def test_conditions_that_no_row_meets_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, days(TWO_DAYS))
    layout = Layout(where=(("value", "Men"),))
    with pytest.raises(DataError, match=r"--where 'value=Men' leaves out all 8 rows"):
        read_series(path, clock=Clock("time"), value="value", reward=AS_IS, layout=layout)


def test_a_row_with_more_clicks_than_impressions_is_named(tmp_path: Path) -> None:
    start, rest = "t,arm,clicks,seen\n2024-01-01T00:00,a,1,4\n", "2024-01-01T12:00,b,1,5\n"
    path = write(tmp_path, start + "2024-01-01T12:00,b,7,5\n" + rest)
    said = "row 2: '7' in column 'clicks' is more than '5' in column 'seen': a share"
    for read in (
        lambda: read_series(path, clock=Clock("t"), value="clicks", per="seen", reward=AS_IS,
                            slot="12h"),
        lambda: read_long(path, round_="t", arm="arm", value="clicks", per="seen", reward=AS_IS),
    ):  # fmt: skip
        write(tmp_path, start + "2024-01-01T12:00,b,7,5\n")
        with pytest.raises(DataError, match=said):
            read()
        write(tmp_path, start + "2024-01-01T12:00,b,7,5\n2024-01-01T12:00,b,0,5\n")
        assert read().means[1] == pytest.approx(0.7)  # the cell is what counts


def test_messages_speak_of_what_a_slot_has(tmp_path: Path) -> None:
    rows = [(f"2024-01-01T{hour:02d}:00", float(hour)) for hour in range(24)]
    path = write(tmp_path, days(rows))
    for pick, said in (
        ("mean", r"none of the means of the slots \(5.5 to 17.5\) lie above 23"),
        ("max", r"none of the largest readings of the slots \(11 to 23\)"),
    ):
        with pytest.raises(DataError, match=said):
            read_series(path, clock=Clock("time"), value="value", reward=Reward(above=23),
                        slot="12h", pick=pick)  # fmt: skip
    level = write(tmp_path, days([(stamp, 0.5) for stamp, _ in rows]))
    with pytest.raises(DataError, match="are 0.5: no threshold makes one arm better"):
        read_series(level, clock=Clock("time"), value="value", reward=Reward(above=0.5), slot="1h")
