"""From what was measured to a reward; whatever does not fit is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spnb.base.errors import DataError, SpecError
from spnb.live.campaign import RewardRule


@pytest.mark.parametrize(
    "text", ["unit", "binary", "above 0.3", "below 60", "range 0 50", "range -1.5 1e3"]
)
def test_a_rule_is_written_as_it_is_read(text: str) -> None:
    rule = RewardRule.parse(text)
    assert RewardRule.parse(str(rule)) == rule


@pytest.mark.parametrize(
    "text",
    ["", "other", "above", "above x", "above 1 2", "range 1", "range 5 5", "range 1 0", "unit 3",
     "above nan", "range 0 inf"],
)  # fmt: skip
def test_other_rules_are_refused(text: str) -> None:
    with pytest.raises(SpecError, match=r"a reward rule is|a range needs"):
        RewardRule.parse(text)


@pytest.mark.parametrize(
    ("rule", "value", "reward"),
    [
        ("above 0.3", 0.31, 1), ("above 0.3", 0.3, 0), ("below 60", 59.9, 1), ("below 60", 60, 0),
        ("range 0 50", 0, 0), ("range 0 50", 50, 1), ("range -1 1", 0.5, 0.75),
    ],
)  # fmt: skip
def test_raw_values_become_rewards(rule: str, value: float, reward: float) -> None:
    assert RewardRule.parse(rule).worth(None, value).reward == reward


@pytest.mark.parametrize(
    ("rule", "reward", "value"),
    [
        ("unit", -0.01, None), ("unit", 1.01, None), ("unit", math.nan, None), ("unit", None, 0.5),
        ("unit", "much", None), ("binary", 0.5, None), ("above 1", 0.5, None),
        ("above 1", None, math.inf),
        ("range 0 1", None, 1.01), ("range 0 1", None, -1), ("unit", None, None), ("unit", 1, 1),
        ("range 0 1", None, None), ("above 1", None, "x"),
    ],
)  # fmt: skip
def test_anything_else_is_refused(rule: str, reward: float | None, value: float | None) -> None:
    with pytest.raises(DataError):
        RewardRule.parse(rule).worth(reward, value)


@given(st.floats(0, 1))
def test_a_reward_in_the_unit_interval_is_itself(reward: float) -> None:
    assert RewardRule().worth(reward, None).reward == reward


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.floats(0, 1))
def test_a_range_maps_into_the_unit_interval(low: float, width: float, share: float) -> None:
    rule = RewardRule("range", low, low + width)
    value = min(low + share * width, low + width)
    assert 0 <= rule.worth(None, value).reward <= 1
