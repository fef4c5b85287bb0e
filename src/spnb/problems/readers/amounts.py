"""What rows say: values, or values per something, such as clicks per impressions."""

import numpy as np

from spnb.base.errors import DataError
from spnb.base.words import shown
from spnb.engine.arrays import FloatArray
from spnb.problems.readers.batch import Batch
from spnb.problems.readers.reward import Reward


class Amounts:
    """The column of values, and the one they are divided by, if there is any."""

    def __init__(self, value: str, per: str | None) -> None:
        self.value, self.per = value, per
        self.excess: str | None = None  # the first row with more of a value than it may have

    @property
    def columns(self) -> list[str]:
        return [self.value] if self.per is None else [self.value, self.per]

    @property
    def name(self) -> str:
        return " per ".join(self.columns)

    def read(self, batch: Batch) -> tuple[FloatArray, FloatArray]:
        """Values and weights of some rows, nan where there is none."""
        values = batch.numbers(self.value)
        if self.per is None:
            return values, np.ones(len(values))
        weights = batch.numbers(self.per)
        batch.refuse(weights < 0, self.per, "a number >= 0")
        over = np.flatnonzero(values > weights)
        if self.excess is None and over.size:
            most = shown(batch.columns[self.per][int(over[0])].as_py())
            said = batch.said_of(int(over[0]), self.value)
            self.excess = f"{said} is more than {most} in column {shown(self.per)}"
        return values, weights

    def check(self, table: FloatArray, reward: Reward) -> None:
        """Refuse shares above 1, and name a row that makes one.

        Not at once: a row may have more clicks than impressions where its cell has not.
        """
        if self.excess is not None and reward.as_told and np.nanmax(table) > 1:
            raise DataError(
                f"{self.excess}: a share lies in [0, 1]; if it is another ratio, give a threshold "
                "(--above or --below) or a --scale"
            )
