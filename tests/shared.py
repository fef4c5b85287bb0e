"""Where the openly licensed data sets lie that are not part of the repository."""

import os
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("SPNB_SHARED") or _ROOT.parent / "shared") / "data"


def shared_file(name: str) -> Path:
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {FOLDER.parent.name}/data; set SPNB_SHARED to its folder")
    return path
