from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from spnb.base.errors import DataError
from spnb.problems.readers.reward import Reward
from spnb.problems.readers.source import Layout
from spnb.problems.readers.table import read_long, read_wide

AS_IS = Reward()
Shared = Callable[[str], Path]


def write(folder: Path, text: str) -> Path:
    path = folder / "table.csv"
    path.write_text(text)
    return path


def long(path: Path, **more: Any) -> Any:
    return read_long(path, round_="round", arm="arm", value="reward", **({"reward": AS_IS} | more))


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(
        st.tuples(
            st.integers(0, 12), st.integers(0, 4), st.integers(0, 100).map(lambda n: n / 100)
        ),
        min_size=1,
        max_size=80,
    )
)
def test_rows_in_any_order_give_the_mean_of_every_cell(tmp_path: Path, rows: Any) -> None:
    text = "round,arm,reward\n" + "".join(f"{r},{a},{v}\n" for r, a, v in rows)
    path = write(tmp_path, text)
    arms = sorted({a for _, a, _ in rows})
    if len(arms) < 2:
        with pytest.raises(DataError, match="nothing to choose between"):
            long(path)
        return
    data = long(path)
    rounds = sorted({r for r, _, _ in rows})
    expected = np.full((len(rounds), len(arms)), np.nan)
    for i, r in enumerate(rounds):
        for j, a in enumerate(arms):
            cell = [v for rr, aa, v in rows if (rr, aa) == (r, a)]
            if cell:
                expected[i, j] = np.mean(cell)
    assert data.arms == tuple(map(str, arms))
    assert data.rounds == tuple(map(str, rounds))
    np.testing.assert_allclose(data.table, expected, rtol=1e-12)


def test_names_keep_the_order_of_their_first_appearance_or_the_one_given(tmp_path: Path) -> None:
    path = write(tmp_path, "round,arm,reward\n2,noon,1\n10,morning,0\n2,morning,0.5\n10,noon,0\n")
    data = long(path)
    assert data.arms == ("noon", "morning")
    assert data.rounds == ("2", "10")
    np.testing.assert_allclose(data.table, np.array([[1, 0.5], [0, 0]]))
    assert long(path, arms=["morning", "noon"]).arms == ("morning", "noon")
    with pytest.raises(DataError, match="no row has the arm 'evening'"):
        long(path, arms=["morning", "evening"])


def test_arms_that_are_not_asked_for_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, "round,arm,reward\n1,a,1\n1,b,0\n1,c,0.5\n")
    assert long(path, arms=["c", "a"]).table.tolist() == [[0.5, 1.0]]


def test_a_cell_without_a_row_is_an_absent_offer(tmp_path: Path) -> None:
    data = long(write(tmp_path, "round,arm,reward\n1,a,1\n1,b,0\n2,b,1\n,a,1\n3,a,\n"))
    np.testing.assert_equal(data.table[:2], [[1, 0], [np.nan, 1]])
    assert "2 blank rows left out" in data.notes
    assert any("absent" in note for note in data.notes)


def test_a_wide_matrix_has_a_column_for_each_arm(tmp_path: Path) -> None:
    path = write(tmp_path, "day,morning,noon,night\nmon,0,1,\ntue,1,0,0.5\nwed,,,\n")
    data = read_wide(path, reward=AS_IS, round_="day")
    assert data.arms == ("morning", "noon", "night")
    assert data.rounds == ("mon", "tue")
    np.testing.assert_equal(data.table, [[0, 1, np.nan], [1, 0, 0.5]])
    some = read_wide(path, reward=AS_IS, arms=["noon", "morning"])
    assert some.arms == ("noon", "morning")
    assert some.rounds is None
    where = read_wide(path, reward=AS_IS, round_="day", layout=Layout(where=(("day", "tue"),)))
    assert where.rounds == ("tue",)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a,b\n1,x\n", "row 1: 'x' in column 'b' is not a number"),
        ("a,b\n,\n", "its only row is blank"),
        ("a,b\n1,\n0,\n", "the arms with rewards are: a"),
        ("a,b\n1,7\n", "give a threshold"),
        ("a,b\n", "no rows"),
    ],
)
def test_a_matrix_that_makes_no_sense_is_one_clear_line(
    tmp_path: Path, text: Any, says: str
) -> None:
    with pytest.raises(DataError, match=says):
        read_wide(write(tmp_path, text), reward=AS_IS)


def test_a_long_table_without_rewards_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="gives no reward"):
        long(write(tmp_path, "round,arm,reward\n1,a,\n"))


def test_notes_count_in_words_and_go_by_what_was_asked(tmp_path: Path) -> None:
    rows = "".join(f"{day},{arm},{day / 40}\n" for day in range(20) for arm in "ab")
    path = write(tmp_path, "day,arm,cost per click\n" + rows + "20,a,0.5\n20,c,\n")
    data = read_long(path, round_="day", arm="arm", value="cost per click", reward=Reward())
    assert any("if they are measurements" in note for note in data.notes)
    assert "1 blank row left out" in data.notes
    assert "left out for want of any reward: 1 arm" in data.notes
    assert "absent offers: 1 of 42" in data.notes


def test_a_column_of_rounds_that_is_none_is_one_clear_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spnb.problems.readers.limits.MOST_CELLS", 5)
    with pytest.raises(DataError, match="is the column of rounds"):
        long(write(tmp_path, "round,arm,reward\n" + "".join(f"{i},{i},1\n" for i in range(3))))


def test_a_long_table_of_many_batches_is_put_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spnb.problems.readers.source.BLOCK", 1000)
    rng = np.random.default_rng(3)
    table = rng.integers(0, 2, (500, 4))
    order = rng.permutation(table.size)
    rows = "".join(f"{i // 4},arm {i % 4},{table[i // 4, i % 4]}\n" for i in order)
    data = long(write(tmp_path, "round,arm,reward\n" + rows), arms=[f"arm {k}" for k in range(4)])
    np.testing.assert_equal(data.table, table)


@pytest.mark.shared
def test_headline_tests_as_rows_of_round_arm_and_reward(shared: Shared) -> None:
    data = read_long(
        shared("upworthy_packages.csv"), round_="test_id", arm="package", value="clicks",
        per="impressions", reward=AS_IS, layout=Layout(where=(("time_ok", "1"),)),
    )  # fmt: skip
    assert data.table is not None
    assert data.table.shape == (4775, 14)
    assert data.arms[:3] == ("0", "1", "2")
    assert np.isnan(data.table).any()
    assert 0.01 < data.means[0] < 0.025
    assert data.shows is not None
    assert np.nansum(data.shows) > 7e7
