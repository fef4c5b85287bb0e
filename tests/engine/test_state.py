"""States: what is written reads back to the last bit, and nothing else is read."""

import json
from typing import Annotated, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spnb
from spnb.bandits import registry
from spnb.engine.dice import Dice
from spnb.engine.state import (
    Arms,
    Batch,
    Count,
    Flag,
    Flags,
    Grid,
    Key,
    Kind,
    Layout,
    Number,
    Room,
    State,
    kinds,
    load,
    reset,
    to_dict,
)  # fmt: skip


class Inner(State):
    dice: Dice
    rate: Number


class Everything(State):
    inner: Inner
    rate: Number
    count: Count
    flag: Flag
    key: Key
    arms: Arms
    flags: Flags
    grid: Annotated[Grid, Kind("f8", ("rows", "arms"))]
    table: Annotated[list[float], Kind("f8", ("arms",), "shared")]
    room: Room


def fresh() -> Any:
    return Layout.of(Everything, None, {"arms": 2, "rows": 3}).fresh()


def filled() -> Any:
    s = fresh()
    s.rate, s.count, s.flag, s.key = 0.1 + 0.2, -(2**63), True, 2**64 - 1
    s.arms[:], s.flags[:] = [float("inf"), 5e-324], [True, False]
    s.inner.rate, s.inner.dice.key, s.inner.dice.drawn = float("-inf"), 2**63, 7
    for i in range(3):
        for j in range(2):
            s.grid[i, j] = i + j / 7
    s.room[0] = 9.0
    return s


def through_json(data: Any) -> Any:
    return json.loads(json.dumps(data, allow_nan=False))


def test_every_field_starts_at_zero() -> None:
    s = fresh()
    assert (s.rate, s.count, s.flag, s.key) == (0.0, 0, False, 0)
    assert (s.arms, s.flags, s.grid.tolist()) == ([0.0] * 2, [False] * 2, [[0.0] * 2] * 3)
    assert s.inner.dice.drawn == 0


def test_a_state_reads_back_to_the_last_bit() -> None:
    written, back = to_dict(filled()), fresh()
    load(back, through_json(written))
    assert to_dict(back) == written
    assert back.arms == [float("inf"), 5e-324]
    assert back.key == 2**64 - 1
    assert back.grid[2, 1] == 2 + 1 / 7
    assert type(back.flag) is bool


def test_not_a_number_reads_back_as_such() -> None:
    s, back = fresh(), fresh()
    s.rate = s.arms[1] = float("nan")
    load(back, through_json(to_dict(s)))
    assert np.isnan(back.rate)
    assert np.isnan(back.arms[1])
    assert to_dict(s)["rate"] == "nan"


def test_what_is_shared_or_only_room_to_work_in_is_not_written() -> None:
    assert {"table", "room"}.isdisjoint(to_dict(filled()))


@given(rate=st.floats(), arms=st.lists(st.floats(), min_size=2, max_size=2))
def test_any_number_reads_back(rate: float, arms: list[float]) -> None:
    s, back = fresh(), fresh()
    s.rate, s.arms[:] = rate, arms
    load(back, through_json(to_dict(s)))
    assert np.array([back.rate, *back.arms]).tobytes() == np.array([rate, *arms]).tobytes() or any(
        map(np.isnan, [rate, *arms])
    )
    np.testing.assert_array_equal([back.rate, *back.arms], [rate, *arms])


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"rate": 1}, "the state's rate must be of type float, got 1"),
    ({"rate": "1.0"}, "the state's rate must be of type float, got '1.0'"),
    ({"rate": "infinity"}, "must be of type float"),
    ({"rate": None}, "the state's rate must be of type float, got None"),
    ({"rate": True}, "must be of type float, got True"),
    ({"count": 1.0}, "the state's count must be of type int, got 1.0"),
    ({"count": True}, "the state's count must be of type int, got True"),
    ({"count": "inf"}, "must be of type int"),
    ({"count": 2**63}, "the state's count must be of type int"),
    ({"count": -(2**63) - 1}, "the state's count must be of type int"),
    ({"key": -1}, "the state's key must be of type int, got -1"),
    ({"key": 2**64}, "the state's key must be of type int"),
    ({"flag": 1}, "the state's flag must be of type bool, got 1"),
    ({"arms": [1.0]}, "the state's arms must be a list of 2, got"),
    ({"arms": [1.0, 2.0, 3.0]}, "the state's arms must be a list of 2, got"),
    ({"arms": "ab"}, "the state's arms must be a list of 2, got 'ab'"),
    ({"arms": {"0": 1.0, "1": 2.0}}, "the state's arms must be a list of 2"),
    ({"arms": [1.0, [2.0]]}, "the state's arms must be of type float"),
    ({"flags": [True, 0]}, "the state's flags must be of type bool, got 0"),
    ({"grid": [[0.0, 0.0]] * 2}, "the state's grid must be a list of 3"),
    ({"grid": [[0.0]] * 3}, "the state's grid must be a list of 2"),
    ({"inner": {}}, r"a Inner has the fields \['dice', 'rate'\], got \[\]"),
    ({"inner": None}, "a Inner has the fields"),
    ({"more": 0}, "a Everything has the fields"),
]


@pytest.mark.parametrize(("change", "words"), WRONG)
def test_a_state_that_was_never_written_is_refused(change: dict[str, Any], words: str) -> None:
    with pytest.raises(spnb.DataError, match=words):
        load(fresh(), to_dict(filled()) | change)


@pytest.mark.parametrize("name", ["rate", "inner", "grid"])
def test_a_state_with_a_field_missing_is_refused(name: str) -> None:
    data = to_dict(filled())
    del data[name]
    with pytest.raises(spnb.DataError, match="has the fields"):
        load(fresh(), data)


@pytest.mark.parametrize("data", [None, [], 3, "state", {1: 2}, {"rate": 0.0, 3: 1}])
def test_what_is_no_state_at_all_is_refused(data: Any) -> None:
    with pytest.raises(spnb.DataError, match="has the fields"):
        load(fresh(), data)


def test_reset_leaves_nothing_of_the_run_before() -> None:
    s = filled()
    reset(s)
    assert to_dict(s) == to_dict(fresh())


def test_a_row_of_a_batch_reads_and_writes_one_run() -> None:
    layout = Layout.of(Everything, None, {"arms": 2, "rows": 3})
    batch = Batch(layout, 4, table=np.array([0.5, 0.25]))
    batch.write(2, filled())
    back, other = fresh(), fresh()
    batch.read(2, back)
    batch.read(1, other)
    assert to_dict(back) == to_dict(filled())
    assert to_dict(other) == to_dict(fresh())
    assert back.table == [0.5, 0.25]
    assert [type(x) for x in (back.rate, back.count, back.flag)] == [float, int, bool]
    with pytest.raises(AttributeError, match="nothing"):
        _ = batch.nothing


def test_fields_are_the_annotated_ones_of_all_parents_in_order() -> None:
    class Child(Inner):
        more: Count
        note: int  # no kind: not a field

    assert list(kinds(Child)) in (["dice", "rate", "more"], ["more", "dice", "rate"])


@pytest.mark.parametrize("spec", registry.agent_samples())
def test_the_state_of_every_agent_reads_back(spec: str, seed: int) -> None:
    learner = spnb.Learner(spec, 4, horizon=50, seed=seed, hardness=10.0)
    luck = np.random.default_rng(seed)
    for round_ in range(12):
        if round_:
            learner.next_round()
        for arm in range(4):
            if learner.ask(arm):
                learner.pulled(arm)
                learner.observe(arm, float(luck.random()))
    saved = through_json(learner.to_dict())
    again = spnb.Learner.from_dict(saved)
    assert again.to_dict() == saved == learner.to_dict()
    assert again.recommend() == learner.recommend()
