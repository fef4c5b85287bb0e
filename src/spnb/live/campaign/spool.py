"""The lines of an export, put aside where any stretch of them can be read again."""

import json
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from spnb.base.errors import DataError
from spnb.base.words import shown
from spnb.live.store import Event

LONGEST_LINE = 8 * 1024 * 1024  # characters
_STRIDE = 64  # lines between two places that are remembered


class Spool:
    """Lines in a file of our own."""

    def __init__(self, path: Path, lines: Iterable[str]) -> None:
        self._path = path
        self._places: list[int] = []
        with path.open("wb") as file:
            for number, line in enumerate(lines):
                if len(line) > LONGEST_LINE:
                    raise DataError(f"line {number + 2} of this export is too long to be ours")
                if number % _STRIDE == 0:
                    self._places.append(file.tell())
                text = line.rstrip("\r\n") + "\n"
                file.write(text.encode("utf-8", "surrogateescape"))

    def lines(self, after: int, until: int) -> Iterator[str]:
        """The lines after so many, until so many."""
        if after // _STRIDE >= len(self._places):
            return
        with self._path.open("rb") as file:
            file.seek(self._places[after // _STRIDE])
            skipped = after % _STRIDE
            for line in islice(file, skipped, skipped + until - after):
                yield line.decode("utf-8", "replace")

    def events(self, after: int, until: int) -> Iterator[Event]:
        """The same as events; the header was the first line of the export."""
        for number, line in enumerate(self.lines(after, until), start=after + 2):
            data = read_json(line)
            if data is None:
                raise DataError(f"line {number} of this export is not JSON: {shown(line)}")
            try:
                yield Event.from_dict(data)
            except DataError as error:
                raise DataError(f"line {number} of this export: {error}") from None


def read_json(line: str) -> Any:
    """What a line says; None if it is no JSON, or nested too deeply to be ours."""
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
