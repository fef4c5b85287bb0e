"""What to reproduce, and at what size: settings as a person gives them, recipes as they run."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from spnb.base.errors import DataError, SpecError
from spnb.engine.arrays import FloatArray
from spnb.engine.blocks import Progress
from spnb.engine.dice import checked_seed
from spnb.paper.experiments.bai import BAI, PACKS
from spnb.paper.experiments.recipe import Recipe
from spnb.paper.experiments.rm import RM
from spnb.paper.experiments.water import Water
from spnb.paper.experiments.yahoo import day_file, synthetic_day
from spnb.problems.readers.data import ProblemData
from spnb.problems.readers.matrix import read_matrix

PARTS = ("rm", "bai", "yahoo", "water")
PAPER_C = (1.0, 2.0, 4.0, 8.0)
FULL_RUNS = {"rm": 1000, "bai": 2000, "yahoo": 100, "water": 2000}
QUICK_RUNS = {"rm": 60, "bai": 150, "yahoo": 20, "water": 80}
QUICK_EXPERIMENTS = (1, 3, 4)
QUICK_PACKS = PACKS[1:3]
QUICK_ARTICLES = 12  # of each day


@dataclass(frozen=True)
class Settings:
    """``runs`` replaces the number of runs of every part."""

    quick: bool = False
    c: tuple[float, ...] = PAPER_C
    order: Literal["random", "authors"] = "authors"
    runs: int | None = None
    seed: int = 1
    yahoo: Path | None = field(default=None)
    water: Path | None = field(default=None)
    problem: Path | None = field(default=None)

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        if self.runs is not None and self.runs < 2:
            raise SpecError(f"--runs must be at least 2, got {self.runs}: one run has no interval")
        if not self.c or any(not 0 < c < float("inf") for c in self.c):
            raise SpecError(f"--c must be numbers > 0, got {list(self.c)}")
        if len(set(self.c)) < len(self.c):
            raise SpecError(f"--c must name each value once, got {list(self.c)}")
        if self.water is not None and self.problem is not None:
            raise SpecError("give one of --water and --problem, got both")

    def recipe(self, part: str, progress: Progress | None = None) -> Recipe:
        """The recipe of a part; reads the user's file where one is given."""
        runs = self.runs or (QUICK_RUNS if self.quick else FULL_RUNS)[part]
        if part == "rm":
            return RM(runs, self.seed, self.order)
        if part == "bai":
            c = tuple(sorted(self.c))
            if self.quick:
                return BAI(runs, self.seed, c, QUICK_EXPERIMENTS, QUICK_PACKS)
            return BAI(runs, self.seed, c)
        if part == "yahoo":
            most = QUICK_ARTICLES if self.quick else None
            if self.yahoo is not None:
                return day_file(self.yahoo, self.seed, runs, most, progress)
            return synthetic_day(self.seed, runs, most)
        return self._water(runs)

    def _water(self, runs: int) -> Water:
        c = tuple(sorted(self.c))
        file = self.water or self.problem
        if file is None:
            return Water(runs, self.seed, c)
        rows = read_matrix(file) if self.water is not None else _recorded(file)
        table = tuple(tuple(row) for row in rows.tolist())
        return Water(runs, self.seed, c, table=table, source=file.name)


def _recorded(path: Path) -> FloatArray:
    """The table of a problem file; the study needs every offer of every day."""
    table = ProblemData.load(path).table
    if table is None or np.isnan(table).any():
        raise DataError(f"{path}: the water study needs a recorded table without absent offers")
    return table


def parsed_parts(words: list[str]) -> tuple[str, ...]:
    """The parts that were asked for, in the paper's order; none or "all" means all."""
    for word in words:
        if word not in (*PARTS, "all"):
            raise SpecError(f"unknown part {word!r}: choose from {', '.join(PARTS)}, all")
    return PARTS if not words or "all" in words else tuple(p for p in PARTS if p in words)


def parsed_c(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise SpecError(f"--c must be numbers with commas between, got {text!r}") from None
