"""One small reproduction that several tests look at."""

from pathlib import Path

import pytest

from reproduction.tiny import Quiet, Tiny
from spnb.paper.experiments.verdict import Claim
from spnb.paper.plates import Plate
from spnb.paper.reproduce import Job, reproduce

Done = tuple[Path, list[Claim], Quiet]


@pytest.fixture
def sketch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures of no content, where a test is not about them."""

    def save(plate: Plate, folder: Path) -> None:
        for name in plate.files():
            (folder / name).write_text("<svg/>")

    monkeypatch.setattr(Plate, "save", save)


@pytest.fixture(scope="session")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """One whole reproduction by this process alone."""
    out = tmp_path_factory.mktemp("paper")
    listener = Quiet()
    claims = reproduce(Tiny(seed=5), Job(out, bounds=True), listener)
    return out, claims, listener
