"""How much a reader takes in: a file may be small and hold without end (gzip, an open quote)."""

from pathlib import Path

from spnb.base.errors import DataError

MOST_CELLS = 10_000_000  # of a table of rewards: 80 MB, and some times that on the way
MOST_LABELS = 1_000_000  # rounds, arms, articles
LONGEST_LABEL = 500  # characters
MOST_BYTES = 100 * 1024 * 1024  # of a file that is read in one go


def check_file(path: Path) -> None:
    """Refuse what is not there, and a folder."""
    if not path.is_file():
        raise DataError(
            f"cannot read {path}: {'it is a folder' if path.is_dir() else 'no such file'}"
        )


def check_cells(path: object, rows: int, columns: int) -> None:
    """Refuse a table that would not fit."""
    if rows * columns > MOST_CELLS:
        raise DataError(
            f"{path} gives more than {MOST_CELLS} cells ({rows} rounds x {columns} arms): "
            "is the column of rounds (or of arms) the right one?"
        )


def check_labels(path: object, labels: "dict[str, int] | dict[bytes, int]") -> None:
    """Refuse labels without end."""
    if len(labels) > MOST_LABELS:
        raise DataError(f"{path} has more than {MOST_LABELS} labels: is the column the right one?")


def check_size(path: Path) -> None:
    """Refuse a file that is too large to be read in one go."""
    try:
        size = path.stat().st_size
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror}") from error
    if size > MOST_BYTES:
        raise DataError(f"{path} is too large: {size} bytes, at most {MOST_BYTES} are read")
