"""What can only be measured in a process of its own: peak memory, and the cost of an import.

``python -m benchmarks.child memory SPEC ARMS ROUNDS RUNS SECONDS`` and ``... import MODULE`` print
JSON. A run that takes longer than SECONDS (0: no limit) is cut off: by then its memory is known.
"""

import json
import resource
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).parent.parent
HEAVY = ("matplotlib", "typer", "rich")


def ask(*words: object) -> dict[str, Any]:
    """Run this module in a fresh interpreter and read its answer."""
    command = [sys.executable, "-m", "benchmarks.child", *map(str, words)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


class OutOfTimeError(Exception):
    """Ends a run from within, by a signal."""


def _alarm(*_: object) -> None:
    raise OutOfTimeError


def memory(spec: str, arms: int, rounds: int, runs: int, limit: float) -> dict[str, Any]:
    from benchmarks import subject
    from benchmarks.timing import means_of

    before, start, finished = peak_mib(), perf_counter(), True
    signal.signal(signal.SIGALRM, _alarm)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        subject.total_pulls(spec, means_of(arms), rounds, runs, workers=1)
    except OutOfTimeError:
        finished = False
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {
        "spec": spec, "arms": arms, "rounds": rounds, "runs": runs, "finished": finished,
        "seconds": perf_counter() - start, "mib_before": before, "mib": peak_mib(),
    }  # fmt: skip


def importing(module: str) -> dict[str, Any]:
    start = perf_counter()
    import_module(module)
    seconds = perf_counter() - start
    return {
        "module": module,
        "seconds": seconds,
        "heavy": [name for name in HEAVY if name in sys.modules],
    }


def peak_mib() -> float:
    """Peak resident memory of this process.

    Linux is asked for the high-water mark of the address space: its ``ru_maxrss`` also remembers
    what the parent held before this program was started.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    what, *rest = sys.argv[1:]
    if what == "memory":
        spec, arms, rounds, runs, seconds = rest
        print(json.dumps(memory(spec, int(arms), int(rounds), int(runs), float(seconds))))
    else:
        print(json.dumps(importing(rest[0])))
