"""Every claim follows the data: an agent doctored in its place turns the verdict around.

What is asserted is overwhelming for any seed; effects too small for so few runs are left open.
"""

from dataclasses import replace
from typing import Any

import pytest

from spnb.paper.experiments.bai import BAI
from spnb.paper.experiments.claims import claims
from spnb.paper.experiments.recipe import Recipe
from spnb.paper.experiments.rm import RM
from spnb.paper.experiments.water import Water
from spnb.paper.experiments.yahoo import Article, Yahoo


def verdicts(recipe: Recipe) -> dict[int, bool | None]:
    results = recipe.results({name: task() for name, task in recipe.tasks().items()})
    return {claim.id: claim.holds for claim in claims({recipe.name: results})}


def doctored(recipe: Any, label: str, spec: str) -> Any:
    agents = tuple((name, spec if name == label else own) for name, own in recipe.agents)
    return replace(recipe, agents=agents)


@pytest.fixture
def regret(seed: int) -> RM:
    return RM(runs=30, seed=seed, arms=(25,), rounds=150)


def test_regret_claims(regret: RM) -> None:
    honest = verdicts(regret)
    assert honest[1] is not False
    assert honest[3] is True
    assert verdicts(doctored(regret, "Seq(TS)", "Seq(Uniform)"))[1] is False
    assert verdicts(doctored(regret, "Seq(TS)", "TS"))[2] is False
    assert verdicts(doctored(regret, "UCBrev+", "Seq(TS)"))[3] is False


def test_identification_claims(seed: int) -> None:
    recipe = BAI(runs=150, seed=seed, c=(1.0, 2.0, 8.0), experiments=(4,), packs=())
    honest = verdicts(recipe)
    assert {i: honest[i] for i in (4, 5, 7, 8)} == {4: True, 5: True, 7: True, 8: False}
    lazy = verdicts(replace(recipe, seq="UCBE(c={c})"))
    assert {i: lazy[i] for i in (4, 5, 7)} == {4: False, 5: False, 7: False}
    assert verdicts(replace(recipe, seq="Greedy"))[6] is False
    assert verdicts(replace(recipe, rejects="Seq(UCBE(c=2))"))[8] is True


def test_advertising_claim(seed: int) -> None:
    easy = tuple(Article(str(i), (0, 1), (0.9 - i / 100, 0.1)) for i in range(8))
    recipe = Yahoo(easy, 0, "made-up day", True, runs=20, seed=seed, rounds=200)
    worse = doctored(recipe, "Seq(TS)", "Seq(Uniform)")
    assert verdicts(worse)[9] is False


def test_monitoring_claim(seed: int) -> None:
    recipe = Water(runs=80, seed=seed, c=(2.0,), rounds=100)
    assert verdicts(replace(recipe, seq="Greedy"))[10] is False
