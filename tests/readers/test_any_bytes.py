"""Whatever a file holds: a problem, or one clear line."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from spnb.base.errors import DataError
from spnb.problems.readers import (
    Clock,
    ProblemData,
    Reward,
    click_problem,
    read_log,
    read_long,
    read_series,
    read_wide,
)

READERS: dict[str, Callable[[Path], ProblemData]] = {
    "series": lambda p: read_series(p, clock=Clock("t"), value="v", reward=Reward(scale="data")),
    "zoned": lambda p: read_series(
        p, clock=Clock("t", zone="Europe/Rome"), value="v", reward=Reward(scale="data")
    ),
    "long": lambda p: read_long(p, round_="t", arm="a", value="v", reward=Reward(scale="data")),
    "wide": lambda p: read_wide(p, reward=Reward(scale="data")),
    "yahoo": lambda p: click_problem(read_log([p]).most_shown()),
    "file": ProblemData.load,
}

# Pieces of real files, put together at random, come further than random bytes.
PIECES = [
    b"t,a,v\n", b"t;a;v\n", b"2024-01-01T00:00", b"2024-03-31 02:30:00", b"2024-01-01T00:00Z",
    b"2024-01-01T05:00+01:00", b"9999-12-31T23:59:59", b"0001-01-01", b",", b";", b"\n", b"\r\n",
    b'"', b"1", b"0", b"-1e308", b"1e308", b"nan", b"inf", b"x", b" ", b"\t", b"\xff", b"\0",
    b"\xef\xbb\xbf", b"PAR1", b"\x1f\x8b", b"1241160900 7 1 |user\n", b"1241160900 8 0\n",
    b'{"spnb": "problem", "version": 1,', b'"arms": ["a", "b"],', b'"table": [[0, 1]]}',
    b'"means": [0.5, 1]}', b"null", b"[" * 50,
]  # fmt: skip


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(content=st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join) | st.binary())
@example(content=b'"t,a,v\n"\xfft,a,v\n')
def test_any_file_is_a_problem_or_one_clear_line(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    told, data = "", None
    try:
        data = READERS[name](path)
    except DataError as error:
        told = str(error)
    if data is None:
        assert told
        assert "\n" not in told
        assert len(told) < 600
    else:
        assert len(data.means) == len(data.arms)
        assert all(0 <= mean <= 1 for mean in data.means)
