"""Plans and costs that make no sense are refused."""

from typing import Any

import numpy as np
import pytest

from spnb.base.errors import SpnbError
from spnb.plan import Costs, plan
from spnb.problems.readers import ProblemData

DATA = ProblemData("four slots", ("a", "b", "c", "d"), np.eye(4))


@pytest.mark.parametrize(
    "given",
    [
        {"goal": "fame"}, {"confidence": 1.0}, {"confidence": 0.2}, {"most": 2},
        {"replay": "rewind"}, {"agents": ["Nobody"]}, {"goal": "regret", "rounds": 0},
        {"confidence": "a"}, {"most": "a"}, {"most": 10.5}, {"goal": "regret", "rounds": True},
    ],
)  # fmt: skip
def test_plans_that_make_no_sense_are_refused(given: Any) -> None:
    with pytest.raises(SpnbError):
        plan(DATA, **({"runs": 10, "seed": 1} | given))


@pytest.mark.parametrize("cost", [-1.0, float("nan"), float("inf"), "a", True])
def test_costs_are_numbers_from_zero_up(cost: Any) -> None:
    with pytest.raises(SpnbError, match="cost per pull"):
        Costs(pull=cost)
