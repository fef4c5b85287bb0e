"""Disks: the one that is here, and one that takes as long to make data durable as real ones do.

Some machines for computing say at once that data is durable, because a battery or another machine
will see to it. Volumes of a cloud and drives without such a promise take milliseconds.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).with_name("slow_sync.c")
_WAITS = """
import os, statistics, sys, time
with open(sys.argv[1], "wb") as file:
    def wait():
        os.write(file.fileno(), bytes(4096))
        begun = time.perf_counter()
        os.fdatasync(file.fileno())
        return 1000 * (time.perf_counter() - begun)
    print(statistics.median(wait() for _ in range(101)))
"""


def sync_ms(folder: Path) -> float:
    """How many milliseconds a process started now waits for the disk: the median of many waits."""
    command = [sys.executable, "-c", _WAITS, str(folder / "waits")]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


@contextmanager
def slower(folder: Path, ms: float) -> Iterator[None]:
    """Every process started meanwhile waits for the disk so many milliseconds longer."""
    library = folder / "slow_sync.so"
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        raise SystemExit("a slower disk needs a C compiler (cc); leave it out with --sync-ms 0")
    subprocess.run([compiler, "-O2", "-shared", "-fPIC", SOURCE, "-o", library], check=True)
    before = dict(os.environ)
    os.environ |= {"LD_PRELOAD": str(library), "SPNB_SYNC_US": str(round(1000 * ms))}
    try:
        if (found := sync_ms(folder)) < ms:
            raise SystemExit(f"the disk is not slower: it takes {found:.2f} ms")
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
