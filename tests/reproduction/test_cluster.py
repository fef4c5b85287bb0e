"""A real scheduler and real workers on this machine: the same numbers, also when one is lost."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from reproduction.tiny import Quiet, Tiny, results_of
from spnb.base.errors import DataError
from spnb.engine.blocks import run_all
from spnb.paper.experiments import parts, pools
from spnb.paper.experiments.recipe import Task
from spnb.paper.reproduce import Job, reproduce

pytest.importorskip("distributed")
Process = subprocess.Popen[bytes]
Started = list[Process]
TESTS = Path(__file__).parent.parent
QUIET = {"DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False", "PYTHONPATH": str(TESTS)}


def start(*words: str, log: Path) -> Process:
    with log.open("wb") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]],
            stdout=out, stderr=out, env=os.environ | QUIET, cwd=log.parent,
        )  # fmt: skip


def start_worker(address: str, folder: Path, name: str) -> Process:
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", name)
    return start("worker", address, *options, log=folder / f"{name}.log")


def wait_for(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def _registered(log: Path) -> bool:
    return "Registered to" in log.read_text()


@pytest.fixture
def processes() -> dict[str, Process]:
    return {}


@pytest.fixture
def scheduler(tmp_path: Path, processes: dict[str, Process]) -> Iterator[str]:
    log = tmp_path / "scheduler.log"
    process = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", log=log)
    processes["scheduler"] = process
    pattern = re.compile(r"tcp://127\.0\.0\.1:\d+")
    try:
        wait_for(lambda: pattern.search(log.read_text()), "the scheduler does not start")
        found = pattern.search(log.read_text())
        assert found
        yield found[0]
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def workers(scheduler: str, tmp_path: Path) -> Iterator[Started]:
    started = [start_worker(scheduler, tmp_path, name) for name in ("one", "two")]
    try:
        for name in ("one", "two"):
            log = tmp_path / f"{name}.log"
            wait_for(partial(_registered, log), "no worker")
        yield started
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_cluster_gives_the_same_bytes(scheduler: str, workers: Started, tmp_path: Path) -> None:
    here, there = tmp_path / "here" / "results", tmp_path / "there"
    reproduce(Tiny(seed=5), Job(there, cluster=scheduler), Quiet(), ["water"])
    here.mkdir(parents=True)
    with pools.cluster(scheduler) as crew:
        for part in ("rm", "bai"):
            parts.computed(Tiny(seed=5).recipe(part), there / "results", crew, None)
    for part in ("rm", "bai", "water"):
        parts.computed(Tiny(seed=5).recipe(part), here, 1, None)
    assert results_of(there) == results_of(here.parent)
    assert scheduler in (there / "run.json").read_text()


def sleepy_square(number: int) -> int:
    time.sleep(0.3)
    return number * number


def test_a_lost_worker_costs_nothing_but_time(scheduler: str, workers: Started) -> None:
    jobs = [Task(sleepy_square, (number,), 1.0) for number in range(12)]
    with pools.cluster(scheduler) as crew:
        killer = threading.Timer(0.8, workers[0].kill)
        killer.start()
        found = run_all(jobs, [1.0] * 12, crew, None)
    assert workers[0].wait() != 0
    assert found == [number * number for number in range(12)]


def test_a_lost_scheduler_is_one_line(
    scheduler: str, workers: Started, tmp_path: Path, processes: dict[str, Process]
) -> None:
    jobs = [Task(sleepy_square, (number,), 1.0) for number in range(60)]
    killer = threading.Timer(0.8, processes["scheduler"].kill)

    def told(done: float, total: float) -> None:
        if done == 0:
            killer.start()

    with pytest.raises(DataError, match="lost the cluster at"), pools.cluster(scheduler) as crew:
        run_all(jobs, [1.0] * 60, crew, told)


def test_a_cluster_without_workers_is_refused(scheduler: str) -> None:
    with pytest.raises(DataError, match="has no workers"), pools.cluster(scheduler):
        pass


def test_a_cluster_that_does_not_answer_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "ANSWER_WITHIN", 1)
    with pytest.raises(
        DataError, match=r"no Dask cluster answers at tcp://127\.0\.0\.1:1:"
    ) as told:
        pools.cluster("tcp://127.0.0.1:1").__enter__()
    assert "\n" not in str(told.value)
    with pytest.raises(DataError, match="no Dask cluster answers at nonsense"):
        pools.cluster("nonsense://x").__enter__()


def digest_of_this_process() -> str:
    return f"process {os.getpid()}"


def test_workers_with_other_code_are_refused(
    scheduler: str, workers: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "code_digest", digest_of_this_process)
    with pytest.raises(DataError, match="runs other code"), pools.cluster(scheduler):
        pass


def digest_that_fails() -> str:
    raise ModuleNotFoundError("No module named 'spnb'")


def test_workers_without_spnb_are_refused(
    scheduler: str, workers: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "code_digest", digest_that_fails)
    with pytest.raises(DataError, match="cannot run spnb: No module"), pools.cluster(scheduler):
        pass
