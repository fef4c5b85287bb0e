"""Which row of a CSV file has too many or too few fields: Arrow does not say."""

import csv
import gzip
import zlib
from itertools import islice
from pathlib import Path

from spnb.base.words import amount

MOST_ROWS = 10_000_000  # that are looked through: a file may unpack without end


def misshapen(path: Path, separator: str, *, zipped: bool) -> str | None:
    """The first row with another number of fields than the header, in words; None if none is found.

    Rows count as everywhere in spnb: from 1, without the header and without empty lines.
    """
    with (
        gzip.open(path, "rt", encoding="utf-8", errors="replace", newline="")
        if zipped
        else (path.open(encoding="utf-8", errors="replace", newline="")) as text
    ):
        rows = filter(None, csv.reader(text, delimiter=separator))
        try:
            width = len(next(rows, []))
            for number, row in enumerate(islice(rows, MOST_ROWS), start=1):
                if len(row) != width:
                    return f"row {number} has {amount(len(row), 'field')}, the header has {width}"
        except (csv.Error, OSError, EOFError, zlib.error):
            pass
    return None
