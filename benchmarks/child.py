"""What can only be measured in a process of its own: peak memory, and first times.

``python -m benchmarks.child WHAT ...`` prints JSON. WHAT is ``memory SPEC ARMS ROUNDS RUNS
SECONDS`` (a run that takes longer than SECONDS, 0: no limit, is cut off: by then its memory is
known), ``import MODULE``, ``first SPEC`` (a simulation that calls the compiler), ``live SPEC`` or
``command WORDS`` (of spnb).
"""

import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout, suppress
from importlib import import_module
from io import StringIO
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

ROOT = Path(__file__).parent.parent
HEAVY = ("matplotlib", "typer", "rich")
DEAR = ("numba", "scipy")


def ask(*words: object, env: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Run this module in a fresh interpreter and read its answer."""
    command = [sys.executable, "-m", "benchmarks.child", *map(str, words)]
    done = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True,
        env={**os.environ, **(env or {})},
    )  # fmt: skip
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
    cpu = process_time()
    signal.signal(signal.SIGALRM, _alarm)
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        subject.total_pulls(spec, means_of(arms), rounds, runs, workers=1)
    except OutOfTimeError:
        finished = False
    signal.setitimer(signal.ITIMER_REAL, 0)
    return {
        "spec": spec, "arms": arms, "rounds": rounds, "runs": runs, "finished": finished,
        "seconds": perf_counter() - start, "cpu": process_time() - cpu,
        "mib_before": before, "mib": peak_mib(),
    }  # fmt: skip


def importing(module: str) -> dict[str, Any]:
    start = perf_counter()
    import_module(module)
    seconds = perf_counter() - start
    return {
        "module": module,
        "seconds": seconds,
        "heavy": _loaded(HEAVY),
    }


def first(spec: str) -> dict[str, Any]:
    """CPU seconds of the first simulation beyond those of the second."""
    from benchmarks import subject
    from benchmarks.timing import means_of

    spent = []
    for _ in range(2):
        start = process_time()
        subject.warm_up(spec, means_of(10))
        spent.append(process_time() - start)
    return {"spec": spec, "cpu": spent[0] - spent[1], "dear": _loaded(DEAR)}


def live(spec: str) -> dict[str, Any]:
    """The first answer of a learner, and the first that has learnt something."""
    import spnb

    learner = spnb.Learner(spec, 10, horizon=100, seed=1)
    learner.ask(0)
    answered = _loaded(DEAR)
    arm = learner.next_wanted() or 0
    learner.pulled(arm)
    learner.observe(arm, 1.0)
    learner.ask(0)
    return {"spec": spec, "dear": answered, "after_a_reward": _loaded(DEAR)}


def command(words: list[str]) -> dict[str, Any]:
    """What a command has loaded when it is through."""
    from spnb.cli import main

    sys.argv = ["spnb", *words]
    with redirect_stdout(StringIO()), suppress(SystemExit):
        main()
    return {"words": words, "dear": _loaded(DEAR)}


def _loaded(names: tuple[str, ...]) -> list[str]:
    return [name for name in names if name in sys.modules]


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
        answer = memory(spec, int(arms), int(rounds), int(runs), float(seconds))
    elif what == "command":
        answer = command(rest)
    else:
        answer = {"import": importing, "first": first, "live": live}[what](rest[0])
    print(json.dumps(answer))
