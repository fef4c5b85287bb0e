"""The evidence beyond the paper: recipes that run, results that are plain, figures that draw."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from spnb import theory
from spnb.paper.beyond import answers, budgets, confidence, quotes, thresholds
from spnb.paper.beyond.budgets import Budgets
from spnb.paper.beyond.confidence import Prices, Safety, easier, exact_share, random_problem
from spnb.paper.beyond.thresholds import Thresholds
from spnb.paper.experiments.parts import computed, kept

TINY: list[tuple[Any, Any]] = [
    (Budgets(runs=2, problems=2, each=2, shares=(1 / 3,)), budgets),
    (Safety(runs=2, problems=1, experiments=(4,), agents=("Race",)), confidence),
    (Prices(runs=2, deltas=(0.1,), agents=("Race", "Seq(T3C)")), confidence),
    (Thresholds(runs=3, budgets=(30, 60), deltas=(0.2,)), thresholds),
]


@pytest.mark.parametrize(("recipe", "module"), TINY, ids=lambda case: getattr(case, "name", ""))
def test_a_recipe_runs_is_kept_and_draws(recipe: Any, module: Any, tmp_path: Path) -> None:
    results, _ = computed(recipe, tmp_path, 1, None)
    assert kept(recipe, tmp_path) == results
    json.dumps(results, allow_nan=False)
    words = {"budgets": answers.budgets, "safety": answers.safety, "prices": answers.prices,
             "thresholds": answers.thresholds}[recipe.name](results)  # fmt: skip
    assert words.startswith("## ")
    quote = getattr(quotes, recipe.name)(results)
    assert not re.search(r"^#|^!\[", quote, re.MULTILINE)
    assert f"seed {recipe.seed}: " in quote
    for text in (words, quote):
        check_tables(text)
    for plate in module.plates(results):
        plate.save(tmp_path)
        assert (tmp_path / plate.file("wide", "png")).stat().st_size > 10_000
        assert "\n" not in plate.caption


def check_tables(text: str) -> None:
    """Every row has as many cells as its head, and numbers in all of them."""
    tables = [block for block in text.split("\n\n") if block.startswith("|")]
    assert tables
    for lines in (block.splitlines() for block in tables):
        assert len({line.count("|") for line in lines}) == 1
        assert len(lines) > 2
    assert "None" not in text
    assert "nan" not in text


@pytest.mark.parametrize("recipe", [Budgets, Safety, Prices, Thresholds])
def test_the_quick_size_is_smaller_than_the_full_one(recipe: Any) -> None:
    small, full = recipe.quick().tasks(), recipe().tasks()
    assert len(small) <= len(full)
    assert recipe.quick().runs < recipe().runs / 5


def test_easier_problems_have_wider_gaps() -> None:
    means = np.asarray(easier(4).means)
    assert theory.gaps(means) == pytest.approx(2.5 * np.array([0, 0.08, 0.1, 0.1, 0.15, 0.15]))
    assert min(easier(3).means) >= 0.02


def test_random_problems_have_one_best_arm_well_ahead(seed: int) -> None:
    for number in range(20):
        means = np.sort(random_problem(number, seed).means)
        assert means[-1] - means[-2] >= 0.099
        assert means[-1] <= 0.95
    for problem, budget in budgets.random_problems(20, seed):
        assert 4 <= problem.arms <= 30
        assert 200 <= budget <= 6000


def test_the_exact_interval_is_clopper_and_pearsons() -> None:
    for hits, count in ((0, 50), (3, 50), (50, 50)):
        found = exact_share(hits, count)
        if hits:
            assert binom.sf(hits - 1, count, found["low"]) == pytest.approx(0.025, rel=1e-3)
        if hits < count:
            assert binom.cdf(hits, count, found["high"]) == pytest.approx(0.025, rel=1e-3)
