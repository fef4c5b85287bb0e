"""docs/data.md: its commands are run, its Python is run, and what it shows must come out."""

import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from spnb.cli import main

PAGE = Path(__file__).resolve().parents[2] / "docs" / "data.md"


# What a simulation shows may change with a library's or a processor's last digit.
SIMULATED = ("plan", "identify", "simulate")
NUMBER = re.compile(r"\d[\d,]*\.?\d*(?:e[+-]\d+)?")


def examples(*kinds: str) -> Iterator[tuple[str, str]]:
    page = PAGE.read_text(encoding="utf-8")
    for match in re.finditer(r"^```([^\n]+)\n(.*?)^```", page, re.DOTALL | re.MULTILINE):
        language, _, mark = match[1].partition(" ")
        if mark in kinds:
            yield language, match[2]


def rows(text: str) -> list[str]:
    return [" ".join(row.split()) for row in text.splitlines() if row.strip()]


def values(row: str) -> list[float]:
    return [float(number.replace(",", "")) for number in NUMBER.findall(row)]


def agents(shown: list[str]) -> dict[str, list[float]]:
    """The rows of a table of agents: those that begin with a spec."""
    table = [row for row in shown if re.match(r"[A-Z][\w-]*(\+|\(.*\))? [\d-]", row)]
    return {re.split(r" (?=[\d-])", row)[0]: values(row) for row in table}


def check(line: str, shown: list[str], came: list[str]) -> None:
    told = f"{line}\ncame:\n" + "\n".join(came)
    if line.split()[1] not in SIMULATED:
        for row in shown:
            assert row in came, f"shown: {row}\n{told}"
        return
    expected, found = agents(shown), agents(came)
    assert expected, line
    assert expected.keys() == found.keys(), told
    for spec, numbers in expected.items():
        assert found[spec] == pytest.approx(numbers, rel=0.3, abs=3), f"{spec}\n{told}"


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, str], None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def command(line: str) -> str:
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        assert caught.value.code == 0, err
        return out

    def example(language: str, text: str) -> None:
        if language == "python":
            exec(compile(text, str(PAGE), "exec"), {})
            return
        for session in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, shown = session.partition("\n")
            check(line, rows(shown), rows(command(line)))

    return example


def test_every_example_of_the_page_does_what_it_shows(run: Callable[[str, str], None]) -> None:
    found = list(examples("", "session"))
    assert len(found) > 8
    for language, text in found:
        run(language, text)


@pytest.mark.shared
def test_the_real_station_gives_what_the_page_shows(
    run: Callable[[str, str], None], shared: Callable[[str], Path], tmp_path: Path
) -> None:
    name = "canary_station_b_turbidity_2h.csv"
    (tmp_path / name).symlink_to(shared(name))
    for language, text in examples("shared"):
        run(language, text)
