"""Readings gathered into cells (round, arm), a batch at a time."""

from dataclasses import dataclass, fields
from typing import Literal, Self

import numpy as np

from spnb.engine.arrays import FloatArray, IntArray

Pick = Literal["first", "mean", "max"]
PICKS = ("first", "mean", "max")


@dataclass(frozen=True, slots=True)
class Cells:
    """What is remembered of each cell; memory grows with the cells, not with the readings."""

    key: IntArray  # increasing: round x arms + arm
    total: FloatArray
    weight: FloatArray
    top: FloatArray
    first: FloatArray
    since: IntArray  # when the first reading was taken

    @classmethod
    def of(cls, key: IntArray, value: FloatArray, weight: FloatArray, since: IntArray) -> Self:
        """Readings as cells; the earliest counts as first, the first row among equals."""
        return cls(key, value, weight, value, value, since)._gathered()

    @classmethod
    def none(cls) -> Self:
        nothing, whole = np.zeros(0), np.zeros(0, dtype=np.intp)
        return cls(whole, nothing, nothing, nothing, nothing, whole)

    def plus(self, later: Self) -> Self:
        columns = [
            np.concatenate([getattr(self, field.name), getattr(later, field.name)])
            for field in fields(self)
        ]
        return type(self)(*columns)._gathered()

    def _gathered(self) -> Self:
        if not self.key.size:
            return self
        order = np.lexsort((self.since, self.key))  # stable: earlier rows stay in front
        key = self.key[order]
        start = np.flatnonzero(np.diff(key, prepend=key[0] - 1))
        return type(self)(
            key[start],
            np.add.reduceat(self.total[order], start),
            np.add.reduceat(self.weight[order], start),
            np.maximum.reduceat(self.top[order], start),
            self.first[order][start],
            self.since[order][start],
        )

    def values(self, pick: Pick) -> FloatArray:
        """One value for each cell: its first reading, the largest, or total / weight."""
        if pick == "first":
            return self.first
        if pick == "max":
            return self.top
        some = self.weight > 0
        return np.where(some, self.total / np.where(some, self.weight, 1.0), np.nan)

    def counts(self) -> bool:
        """Whether these are wins of trials: whole numbers, never more wins than trials."""
        whole = (self.total % 1 == 0) & (self.weight % 1 == 0)
        return bool((whole & (self.total >= 0) & (self.total <= self.weight)).all())
