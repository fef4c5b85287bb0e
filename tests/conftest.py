"""A fresh seed for every test run, the same in all of its processes, shown in the header."""

import os
import secrets
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

_VARIABLE = "SPNB_TEST_SEED"


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault(_VARIABLE, str(secrets.randbits(32)))
    # A shell starts background jobs deaf to Ctrl-C; the processes that tests start must hear it.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header() -> str:
    return f"seed: {os.environ[_VARIABLE]} (repeat with {_VARIABLE}={os.environ[_VARIABLE]})"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what takes minutes, unless asked for, and what means nothing to root."""
    left_out = {"soak"} if os.environ.get("SPNB_SOAK") != "1" else set()
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        left_out.add("unprivileged")
    out = [item for item in items if left_out & {mark.name for mark in item.iter_markers()}]
    config.hook.pytest_deselected(items=out)
    items[:] = [item for item in items if item not in out]


@pytest.fixture
def seed() -> int:
    """Any seed must pass."""
    return int(os.environ[_VARIABLE])


@pytest.fixture
def shared() -> Callable[[str], Path]:
    """Finds a data set that is not part of the repository, or skips the test."""
    beside = Path(__file__).resolve().parents[2] / "shared"
    folder = Path(os.environ.get("SPNB_SHARED") or beside) / "data"

    def find(name: str) -> Path:
        if not (folder / name).is_file():
            pytest.skip(f"no {name} in ../shared/data; SPNB_SHARED may name another place")
        return folder / name

    return find
