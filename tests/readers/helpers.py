"""What tests of series share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from spnb.problems.readers import series
from spnb.problems.readers.reward import Reward

AS_IS = Reward()
Shared = Callable[[str], Path]


def read_series(path: Path, **more: Any) -> Any:
    """A record always has a table and labels: what the type leaves open is not asked here."""
    return series.read_series(path, **more)


def write(folder: Path, text: str | bytes, name: str = "series.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def days(rows: list[tuple[str, float]]) -> str:
    return "time,value\n" + "".join(f"{time},{value}\n" for time, value in rows)


TWO_DAYS = [
    (f"2024-01-0{day}T{hour:02d}:30", (10 * day + hour) / 100)
    for day in (1, 2)
    for hour in range(0, 24, 6)
]
