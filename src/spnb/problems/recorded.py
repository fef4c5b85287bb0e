"""A recorded table of rewards, replayed."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from spnb import params
from spnb.arrays import FloatArray, IntArray
from spnb.errors import DataError
from spnb.problems.base import World, reward_keys
from spnb.problems.stationary import KnownMeans
from spnb.randomness import Keys, uniform


@dataclass(frozen=True, eq=False)
class Recorded(KnownMeans):
    """What each arm paid on each recorded day, [days, K].

    Beyond its length the record is repeated (``replay="repeat"``, the same world in every run) or
    each round replays a day drawn at random (``replay="resample"``).
    """

    table: FloatArray
    replay: Literal["repeat", "resample"] = "repeat"

    def __post_init__(self) -> None:
        params.one_of(self, "replay", ("repeat", "resample"))
        table = np.asarray(self.table, dtype=float)
        if table.ndim != 2 or table.size == 0:
            raise DataError(f"a record needs days x arms, at least 1 x 1, got {table.shape}")
        outside = np.argwhere(~((table >= 0) & (table <= 1)))  # also finds nan
        if outside.size:
            day, arm = outside[0]
            raise DataError(
                f"reward of day {day}, arm {arm} must lie in [0, 1], got {table[day, arm]}"
            )
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "means", tuple(table.mean(axis=0).tolist()))

    def world(self, seed: int, runs: IntArray) -> World:
        keys = reward_keys(seed, runs) if self.replay == "resample" else None
        return RecordedWorld(self.spread(runs), self.table, keys)


@dataclass(frozen=True)
class RecordedWorld(World):
    table: FloatArray  # [days, K]
    keys: Keys | None  # [B] to draw days by; None repeats the record

    def reward(self, rows: IntArray, round_: IntArray, arm: IntArray) -> FloatArray:
        days = len(self.table)
        if self.keys is None:
            return self.table[round_ % days, arm]
        day = (uniform(self.keys[rows], round_) * days).astype(np.intp)
        return self.table[day, arm]
