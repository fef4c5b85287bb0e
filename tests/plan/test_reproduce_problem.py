"""``spnb reproduce water --problem``: the water study on a record of one's own."""

from pathlib import Path

import numpy as np
import pytest

from spnb.base.errors import DataError, SpecError
from spnb.paper.experiments.settings import Settings
from spnb.paper.experiments.water import Water
from spnb.problems.readers import ProblemData

TABLE = np.array([[0.0, 1.0], [1.0, 1.0], [0.0, 0.5]])


def test_the_water_study_takes_the_table_of_a_problem_file(tmp_path: Path) -> None:
    ProblemData("mine", ("a", "b"), TABLE).save(tmp_path / "mine.json")
    recipe = Settings(problem=tmp_path / "mine.json", runs=2).recipe("water")
    assert isinstance(recipe, Water)
    assert recipe.table == tuple(tuple(row) for row in TABLE.tolist())
    assert recipe.source == "mine.json"


def test_it_needs_every_offer_and_one_file(tmp_path: Path) -> None:
    gaps = TABLE.copy()
    gaps[0, 0] = np.nan
    ProblemData("gaps", ("a", "b"), gaps).save(tmp_path / "gaps.json")
    ProblemData("means", ("a", "b"), means=(0.1, 0.2)).save(tmp_path / "means.json")
    for name in ("gaps", "means"):
        with pytest.raises(DataError, match="without absent offers"):
            Settings(problem=tmp_path / f"{name}.json").recipe("water")
    with pytest.raises(SpecError, match="one of --water and --problem"):
        Settings(water=tmp_path / "a.csv", problem=tmp_path / "b.json")
