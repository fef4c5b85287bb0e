"""A table of days in rows and slots in columns, as a spreadsheet saves it."""

import csv
from pathlib import Path

import numpy as np

from spnb.base.errors import DataError
from spnb.engine.arrays import FloatArray
from spnb.problems.readers.limits import check_size


def read_matrix(path: Path) -> FloatArray:
    """[days, slots] of numbers in [0, 1] from a CSV file; a first line of names is skipped."""
    check_size(path)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"cannot read {path}: it is not a text file") from None
    lines = [
        (number, [cell.strip() for cell in row])
        for number, row in enumerate(csv.reader(text.splitlines()), start=1)
        if any(cell.strip() for cell in row)
    ]
    if lines and not any(_is_number(cell) for cell in lines[0][1]):
        del lines[0]
    if not lines:
        raise DataError(f"{path}: no rows of numbers")
    width = len(lines[0][1])
    if width < 2:
        raise DataError(f"{path}, line {lines[0][0]}: needs two slots at least, got {width}")
    return np.array([_row(path, number, row, width) for number, row in lines])


def _row(path: Path, number: int, row: list[str], width: int) -> list[float]:
    if len(row) != width:
        raise DataError(f"{path}, line {number}: needs {width} cells as above, got {len(row)}")
    for cell in row:
        if not _is_number(cell) or not 0 <= float(cell) <= 1:
            raise DataError(f"{path}, line {number}: every cell must be in [0, 1], got {cell!r}")
    return [float(cell) for cell in row]


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
