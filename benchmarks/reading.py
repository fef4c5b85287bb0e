"""Reading data: a click log against ``zcat | cut``, and the memory of a long series.

python -m benchmarks.reading [--events 500000] [--rows 10000000] [--json FILE]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from spnb.problems.readers import SyntheticDay, read_day

TURNS = 5

_CHILD = """
import json, resource, sys
from time import perf_counter
from spnb.problems.readers import *
start = perf_counter()
{work}
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({{"seconds": perf_counter() - start, "peak_mb": peak / 1024}}))
"""
_SERIES = """
read_series(sys.argv[1], clock=Clock("time"), value="value", reward=Reward(above=0.5), slot="2h",
            missing="absent")
"""
_LOG = "read_day(sys.argv[1])"


def main(argv: Sequence[str] | None = None) -> int:
    """Figures only: a busy machine is not an error."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reading", description=__doc__)
    parser.add_argument("--events", type=int, default=500_000, help="lines of the click log")
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the long series")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        log = log_speed(Path(folder), options.events)
        series = series_memory(Path(folder), options.rows)
    print(
        f"click log, {options.events} events: zcat | cut {log['zcat_cut']:.2f} s, spnb "
        f"{log['spnb']:.2f} s, ratio {log['ratio']:.2f} (target <= 2); peak memory "
        f"{log['peak_mb'][0]:.0f} MB at a tenth of it, {log['peak_mb'][1]:.0f} MB at all"
    )
    for found in series:
        print(
            f"series, {found['rows']} rows: {found['seconds']:.1f} s, "
            f"peak memory {found['peak_mb']:.0f} MB"
        )
    if options.json is not None:
        options.json.write_text(json.dumps({"log": log, "series": series}, indent=2) + "\n")
    return 0


def log_speed(folder: Path, events: int) -> dict[str, Any]:
    """The least of some turns, taken by each in turn: a disturbance hits both."""
    path, small = folder / "day.gz", folder / "small.gz"
    SyntheticDay(1, events).write(path)
    SyntheticDay(1, max(events // 10, 1)).write(small)
    pipe = f"zcat '{path}' | cut -d' ' -f1-3 > /dev/null"
    shell, own = float("inf"), float("inf")
    for _ in range(TURNS):
        shell = min(shell, timed(lambda: subprocess.run(pipe, shell=True, check=True)))
        own = min(own, timed(lambda: read_day(path)))
    peaks = [child(_LOG, file)["peak_mb"] for file in (small, path)]
    return {"zcat_cut": shell, "spnb": own, "ratio": own / shell, "peak_mb": peaks}


def series_memory(folder: Path, rows: int) -> list[dict[str, Any]]:
    """Time and peak memory of a tenth of the rows and of all of them."""
    found = []
    for count in (rows // 10, rows):
        path = folder / "series.csv"
        write_series(path, count)
        found.append({"rows": count} | child(_SERIES, path))
    return found


def write_series(path: Path, rows: int) -> None:
    """A reading every thirty seconds."""
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        file.write("time,value\n")
        for start in range(0, rows, 100_000):
            count = min(100_000, rows - start)
            stamps = np.datetime64("2010-01-01T00:00:00") + 30 * np.arange(start, start + count)
            values = rng.random(count)
            lines = zip(stamps.astype(str).tolist(), values.tolist(), strict=True)
            file.writelines(f"{stamp},{value:.4f}\n" for stamp, value in lines)


def timed(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def child(work: str, path: Path) -> dict[str, float]:
    """Do it in a process of its own, whose peak memory is its own."""
    command = [sys.executable, "-c", _CHILD.format(work=work), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout)
    return answer


if __name__ == "__main__":
    raise SystemExit(main())
