"""The limit: ``limit.c`` compiled on the spot, to tell how far spnb is from a bare loop.

Nothing compiled is kept or shipped: the library lives in a temporary directory for as long as it
takes to load it.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).with_name("limit.c")
# No -ffast-math: the numbers must be those of the formulas. -fno-math-errno changes no number; it
# lets the compiler use the vector root, as NumPy does.
FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC")
POLICIES = {"UCB1": 0, "UCBE": 1, "TS": 2}


@dataclass(frozen=True)
class Limit:
    """The compiled loop."""

    library: ctypes.CDLL

    def __post_init__(self) -> None:
        run = self.library.simulate
        doubles, counts = ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_int64)
        whole = ctypes.c_int64
        run.restype = whole
        run.argtypes = [
            ctypes.c_int, ctypes.c_int, doubles, whole, whole, ctypes.c_double, ctypes.c_uint64,
            counts,
        ]  # fmt: skip

    def pulls_of_arms(
        self, policy: str, means: Sequence[float], rounds: int, runs: int, seed: int
    ) -> list[int]:
        """Play Seq(policy) and tell how often each arm was pulled, over all runs.

        UCBE is UCBE(c=2) with H1 known and the number of rounds as its budget.
        """
        arms = len(means)
        pulls = (ctypes.c_int64 * arms)()
        total = self.library.simulate(
            POLICIES[policy], arms, (ctypes.c_double * arms)(*means), rounds, runs,
            exploration(means, rounds), seed, pulls,
        )  # fmt: skip
        if total < 0:
            raise MemoryError(f"no memory for {arms} arms")
        return list(pulls)


def exploration(means: Sequence[float], budget: int, c: float = 2.0) -> float:
    """UCBE's a = c * budget / H1."""
    best = max(means)
    return c * budget / sum((best - mean) ** -2 for mean in means if mean < best)


def load() -> Limit | None:
    """Compile and load the loop; None, and a line that says why, where that cannot be done."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        print("benchmarks: no C compiler (cc) found, the C column stays empty", file=sys.stderr)
        return None
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "limit.so"
        command = [compiler, *FLAGS, str(SOURCE), "-lm", "-o", str(target)]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        if built.returncode != 0:
            reason = (built.stderr.strip().splitlines() or ["no message"])[0]
            print(f"benchmarks: {SOURCE.name} does not compile here: {reason}", file=sys.stderr)
            return None
        return Limit(ctypes.CDLL(str(target)))
