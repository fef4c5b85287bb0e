"""Small reproductions over many seeds: what they settle agrees with a large one."""

import json
from dataclasses import replace
from typing import Any

import pytest

from spnb.paper.experiments.bai import BAI, HALF
from spnb.paper.experiments.rm import RM
from spnb.paper.experiments.statements import claims
from spnb.paper.experiments.water import Water

SEEDS = 30
LARGER = 25  # times as many runs


def recipes(seed: int) -> list[Any]:
    """The quick reproduction, made cheaper still."""
    return [
        RM(30, seed, arms=(10, 25), rounds=120),
        BAI(60, seed, (1.0, 2.0), (3, 4), (HALF,)),
        Water(40, seed, (2.0,), rounds=60),
    ]


def verdicts(recipe: Any) -> dict[str, bool | None]:
    found = recipe.results({name: task() for name, task in recipe.tasks().items()})
    results = json.loads(json.dumps(found))
    return {claim.id: claim.holds for claim in claims({recipe.name: results})}


@pytest.mark.parametrize(
    "part",
    [
        pytest.param(0, id="rm", marks=pytest.mark.soak),
        pytest.param(1, id="bai"),
        pytest.param(2, id="water", marks=pytest.mark.soak),
    ],
)
def test_false_verdicts_are_rare(part: int, seed: int) -> None:
    first = recipes(seed)[part]
    truth = verdicts(replace(first, runs=LARGER * first.runs))
    told = wrong = settled = 0
    for other in range(1, SEEDS + 1):
        for id_, holds in verdicts(recipes(seed + 7919 * other)[part]).items():
            if truth[id_] is not None:
                told += 1
                settled += holds is not None
                wrong += holds is not None and holds is not truth[id_]
    assert settled > 0.1 * told, "small runs must settle something, or this test says nothing"
    assert wrong <= 0.05 * told, f"{wrong} false verdicts of {told}"
