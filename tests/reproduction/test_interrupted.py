"""A reproduction that is killed, or runs out of room: nothing is lost or half written."""

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from reproduction.conftest import Done
from reproduction.tiny import Quiet, Tiny, results_of
from spnb.base.errors import DataError
from spnb.engine.blocks import run_all
from spnb.paper.experiments import parts, pools
from spnb.paper.experiments.recipe import Task
from spnb.paper.reproduce import Job, reproduce

pytestmark = pytest.mark.xdist_group("reproduce")  # what is made once serves one worker

TESTS = Path(__file__).parent.parent


def run_tiny(out: Path, workers: int = 1) -> "subprocess.Popen[bytes]":
    program = [sys.executable, "-m", "reproduction.tiny", str(out), str(workers)]
    return subprocess.Popen(program, cwd=TESTS)


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_any_moment_a_rerun_completes_with_the_same_numbers(
    done: Done, sketch: None, tmp_path: Path, workers: int
) -> None:
    out, _, _ = done
    process = run_tiny(tmp_path, workers)
    deadline = time.monotonic() + 200
    while not (tmp_path / "results" / "bai.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.kill()
    process.wait()
    listener = Quiet()
    reproduce(Tiny(seed=5), Job(tmp_path), listener)
    assert "rm: reused, computed earlier with the same settings and code" in listener.said
    assert results_of(tmp_path) == results_of(out)


def test_workers_do_not_outlive_a_killed_parent(tmp_path: Path) -> None:
    process = run_tiny(tmp_path, 2)
    deadline = time.monotonic() + 200
    children: list[int] = []
    while len(children) < 3:  # two workers and the tracker of their resources
        assert time.monotonic() < deadline
        listed = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        children = [int(pid) for pid in listed.read_text().split()] if listed.exists() else []
        time.sleep(0.02)
    process.kill()
    process.wait()
    while any(_alive(pid) for pid in children):
        assert time.monotonic() < deadline
        time.sleep(0.1)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_ctrl_c_keeps_finished_parts(tmp_path: Path) -> None:
    process = run_tiny(tmp_path, 2)
    deadline = time.monotonic() + 200
    while not (tmp_path / "results" / "rm.json").exists():
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=200) != 0
    assert parts.kept(Tiny(seed=5).recipe("rm"), tmp_path / "results") is not None


def test_a_full_disk_is_one_line_and_earlier_results_stay(
    sketch: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reproduce(Tiny(seed=5), Job(tmp_path), Quiet(), ["rm"])
    before = results_of(tmp_path)

    def full(self: Path, *args: Any, **kwargs: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        with pytest.raises(DataError, match=r"water\.json: No space left on device"):
            reproduce(Tiny(seed=5), Job(tmp_path), Quiet(), ["water"])
    assert results_of(tmp_path) == before


def die() -> None:
    os._exit(9)


def test_a_worker_that_dies_is_one_line() -> None:
    jobs = [Task(die, (), 1.0)]
    with pytest.raises(DataError, match="a worker process died"), pools.local(2) as pool:
        run_all(jobs, [1.0], pool, None)


def test_a_folder_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot use the folder"):
        reproduce(Tiny(), Job(tmp_path / "file"), Quiet())
