"""A fresh seed for every test run, the same in all of its processes, shown in the header."""

import os
import secrets

import pytest

_VARIABLE = "SPNB_TEST_SEED"


def pytest_configure(config: pytest.Config) -> None:
    os.environ.setdefault(_VARIABLE, str(secrets.randbits(32)))


def pytest_report_header() -> str:
    return f"seed: {os.environ[_VARIABLE]} (repeat with {_VARIABLE}={os.environ[_VARIABLE]})"


@pytest.fixture
def seed() -> int:
    """Any seed must pass."""
    return int(os.environ[_VARIABLE])
