"""What a user waits for once: compiling, loading what was compiled, the first small answers."""

import os
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

from benchmarks import child

COMPILED = ("Seq(UCB1)", "Seq(TS)", "Seq(KLUCB)", "Challenge")
LIVE = ("Seq(UCB1)", "Seq(TS)", "Seq(KLUCB)", "Challenge", "Seq(bUCB)")
COMMAND = ("simulate", "--arms", "10", "--rounds", "100", "--runs", "20")
FOLDER = "SPNB_CACHE_DIR"


@dataclass(frozen=True)
class Starts:
    """CPU seconds by agent, and so on; every process is a fresh one."""

    cold: dict[str, float]
    kept: dict[str, float]
    command: float  # seconds on the wall clock
    command_loads: list[str]  # of Numba and SciPy
    live_loads: dict[str, list[str]]

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def measure(turns: int) -> Starts:
    """The least of so many turns."""
    cold, kept = {}, {}
    for spec in COMPILED:
        firsts = []
        for _ in range(turns):
            with tempfile.TemporaryDirectory() as folder:
                firsts.append([_first(spec, folder) for _ in ("cold", "kept")])
        cold[spec], kept[spec] = (min(column) for column in zip(*firsts, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        env = {FOLDER: folder}
        waits = [_wait({**os.environ, **env}) for _ in range(1 + turns)]
        loads = child.ask("command", *COMMAND, env=env)["dear"]
    live = {spec: child.ask("live", spec)["dear"] for spec in LIVE}
    return Starts(cold, kept, min(waits), loads, live)


def _first(spec: str, folder: str) -> float:
    return float(child.ask("first", spec, env={FOLDER: folder})["cpu"])


def _wait(env: dict[str, str]) -> float:
    line = [sys.executable, "-c", "from spnb.cli import main; main()", *COMMAND]
    start = perf_counter()
    subprocess.run(line, env=env, cwd=child.ROOT, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - start
