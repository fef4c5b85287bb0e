"""The page about reproducing: every example runs, every option is there."""

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

from reproduction.tiny import Tiny
from spnb.cli import app
from spnb.paper.experiments import settings
from spnb.paper.experiments.statements import STATEMENTS, tolerances
from spnb.problems.readers.synthetic_day import SyntheticDay

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "reproduce.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^spnb (reproduce .*)$", PAGE, flags=re.MULTILINE)


def test_every_option_is_documented_and_no_other() -> None:
    group: Any = typer.main.get_command(app.app)
    command = group.get_command(None, "reproduce")
    options = {word for param in command.params for word in param.opts if word.startswith("--")}
    rows = set(re.findall(r"^\| `(--[a-z]+)` \|", PAGE, flags=re.MULTILINE))
    assert rows == options - {"--help"}


def test_every_tolerance_is_documented() -> None:
    assert all(words in PAGE for words in tolerances.WORDS.values())


def test_every_part_is_documented() -> None:
    assert set(re.findall(r"^\| `([a-z]+)` \|", PAGE, flags=re.MULTILINE)) == set(settings.PARTS)


@pytest.mark.parametrize("command", [c for c in COMMANDS if "--cluster" not in c])
def test_examples_run(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(settings, "Settings", Tiny)
    if "--yahoo" in command:
        SyntheticDay(1, events=2000, articles=4, pool=3).write("day.gz")
    Path("table.csv").write_text("08:00,10:00\n1,0\n1,0\n0,0\n")
    words = shlex.split(command)
    if "--workers" not in words:
        words += ["--workers", "1"]
        monkeypatch.setattr("spnb.paper.plates.Plate.save", _sketch)
    monkeypatch.setattr(sys, "argv", ["spnb", *words])
    with pytest.raises(SystemExit) as left:
        app.main()
    assert left.value.code == 0


def _sketch(plate: object, folder: Path) -> None:
    for name in plate.files():  # type: ignore[attr-defined]
        (folder / name).write_text("<svg/>")


def test_the_reproduced_paper_speaks_of_every_claim() -> None:
    text = (DOCS / "paper-reproduced.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| .*\*\*(.*)\*\* \|$", text, flags=re.MULTILINE)
    assert [id_ for id_, _ in rows] == [said.id for said in STATEMENTS]
    assert {verdict for _, verdict in rows} <= {"holds", "does not hold", "not settled"}


@pytest.mark.parametrize("name", ["README.md", "docs/agents.md"])
def test_what_other_pages_quote_is_what_came_out(name: str) -> None:
    """Every figure between the marks stands on the page that the run wrote."""
    reproduced = (DOCS / "paper-reproduced.md").read_text(encoding="utf-8")
    text = (DOCS.parent / name).read_text(encoding="utf-8")
    quotes = re.findall(r"<!-- reproduced: \w+ -->\n(.*?)<!-- end -->", text, flags=re.DOTALL)
    assert quotes
    for quote in quotes:
        figures = re.findall(r"-?[\d.]+(?: %)? \[[^]]+\]", quote) or [quote.strip()]
        assert all(figure in reproduced for figure in figures)
