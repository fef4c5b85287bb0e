"""Recorded tables that were never recorded: short records drawn at random, then replayed."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from spnb.base import params
from spnb.base.errors import DataError
from spnb.base.words import amount, brief
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import Keys, stream_keys, uniform
from spnb.engine.state import Grid, Kind
from spnb.problems.base import Faced, Problem, World, Worlds, checked_means

PATIENCE = 2000  # records drawn in vain: fewer than one in hundreds would do
WATER_DAYS = 26
WATER_ROUNDS = 494
WATER_MEANS = (.077, .077, .115, .231, .462, .231, .077, .115, .115, .038, .038, .038)  # fmt: skip
"""Share of 26 days on which each two-hour slot of a drinking-water station exceeded 0.3 NTU."""


@dataclass(frozen=True)
class DrawnRecords(Problem):
    """Every run draws a table [days, K] of 0 and 1 and replays it over and over.

    What is true of a run is its table: the means are those of the table, and a table whose best
    arm has an equal is drawn again.
    """

    rates: tuple[float, ...] = WATER_MEANS
    days: int = WATER_DAYS

    def __post_init__(self) -> None:
        object.__setattr__(self, "rates", checked_means(self.rates))
        params.whole(self, "days", least=1)
        if self.rates.count(1.0) > 1 or max(self.rates) == 0:
            params.refuse(self, "rates", "such that one arm can be the best")

    @property
    def arms(self) -> int:
        return len(self.rates)

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        tables = self.draw(stream_keys(seed, "recorded table", runs))
        return Worlds.of(OwnTable(), tables.mean(axis=1), {"days": self.days}, table=tables)

    def draw(self, keys: Keys) -> FloatArray:
        """[B, days, K]: one table for each key."""
        tables = np.zeros((len(keys), self.days, self.arms))
        cells = np.arange(self.days * self.arms).reshape(1, self.days, self.arms)
        missing = np.arange(len(keys))
        for attempt in range(PATIENCE):
            luck = uniform(keys[missing, None, None], cells + attempt * cells.size)
            tables[missing] = luck < np.asarray(self.rates)
            missing = missing[_tied(tables[missing])]
            if not missing.size:
                return tables
        raise DataError(
            f"none of {PATIENCE} records of {amount(self.days, 'day')} drawn at the rates "
            f"{brief(self.rates)} has a single best arm: give more days, or rates farther apart"
        )


def _tied(tables: FloatArray) -> IntArray:
    totals = tables.sum(axis=1)
    return np.flatnonzero((totals == totals.max(axis=1)[:, None]).sum(axis=1) > 1)


class Tabled(Faced):
    table: Annotated[Grid, Kind("f8", ("days", "arms"))]


class OwnTable(World):
    """Every run replays a table of its own."""

    State = Tabled

    def reward(self, w: Tabled, round_: int, arm: int) -> float:
        return w.table[round_ % w.table.shape[0], arm]
