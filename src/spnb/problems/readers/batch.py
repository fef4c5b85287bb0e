"""Some rows of some columns, as text or as numbers; what does not fit is named with its row."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spnb.base.errors import DataError
from spnb.base.words import shown
from spnb.engine.arrays import BoolArray, FloatArray

BLANKS = ("", "na", "n/a", "#n/a", "nan", "null", "none", "-", "?")

Column = Any
"""A pyarrow array; pyarrow has no types of its own."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Some rows of the columns asked for."""

    columns: dict[str, Column]
    row: int  # rows of the file before these, the header not counted
    path: Path
    decimal: str
    chosen: BoolArray  # which rows the layout's ``where`` lets through; the others are blank

    def texts(self, name: str) -> Column:
        """A column as trimmed text, blank cells as nulls."""
        import pyarrow as pa
        import pyarrow.compute as pc

        text = pc.utf8_trim_whitespace(pc.cast(self.columns[name], pa.string()))
        blank = pc.is_in(pc.utf8_lower(text), value_set=pa.array(BLANKS))
        return pc.if_else(blank, None, text)

    def numbers(self, name: str) -> FloatArray:
        """A column as numbers, blank cells as nan."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self.columns[name]
        if pa.types.is_boolean(column.type):
            column = pc.cast(column, pa.int8())
        if not _is_number(column.type):
            column = self.texts(name)
            if self.decimal == ",":
                column = pc.replace_substring(column, ",", ".")
            column = self.cast(column, name, pa.float64(), "a number")
        values: FloatArray = np.asarray(pc.cast(column, pa.float64()).to_numpy(False))
        self.refuse(np.isinf(values), name, "a finite number")
        return values

    def cast(self, column: Column, name: str, kind: Any, what: str) -> Column:
        """Text as something else; what does not fit is named with its row."""
        import pyarrow as pa
        import pyarrow.compute as pc

        try:
            return pc.cast(column, kind)
        except pa.ArrowInvalid:
            self.refuse(_misfits(column, kind), name, what)
            raise

    def refuse(self, bad: BoolArray, name: str, what: str) -> None:
        """Name the first row that is bad, if any is."""
        if bad.any():
            raise DataError(f"{self.said_of(int(bad.argmax()), name)} is not {what}")

    def said_of(self, place: int, name: str) -> str:
        """A cell as the beginning of a sentence: its file, its row, what it holds."""
        value = shown(self.columns[name][place].as_py())
        return f"{self.path}, row {self.row + place + 1}: {value} in column {shown(name)}"


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    is_whole: bool = pa.types.is_integer(kind)
    return is_whole or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _misfits(column: Column, kind: Any) -> BoolArray:
    """Where the first cell stands that cannot be cast: the longest good beginning, halved for."""
    import pyarrow as pa
    import pyarrow.compute as pc

    good, bad = 0, len(column)
    while bad - good > 1:
        middle = (good + bad) // 2
        try:
            pc.cast(column[good:middle], kind)
            good = middle
        except pa.ArrowInvalid:
            bad = middle
    return np.arange(len(column)) == good
