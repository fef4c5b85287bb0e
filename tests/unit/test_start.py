"""The Start pages, followed word by word in an empty folder."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spnb.cli.app import app

PAGES = sorted((Path(__file__).parents[2] / "docs" / "start").glob("*.md"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
ELSEWHERE = ("pip install", "spnb serve", "curl")  # tested by installing, and by serving


def follow(line: str) -> None:
    """Run one line of a page: spnb, perhaps with something piped into it."""
    words, feed = shlex.split(line), None
    if words[0] == "echo":
        feed, words = words[1], words[words.index("|") + 1 :]
    assert words[0] == "spnb"
    done = CliRunner().invoke(app, words[1:], input=feed)
    assert done.exit_code == 0, (line, done.output, done.exception)
    assert done.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_step_works(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPNB_STORE", raising=False)
    steps = 0
    for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            exec(compile(text, page.name, "exec"), {"__name__": "example"})
            steps += 1
            continue
        for line in text.splitlines():
            if not line.removeprefix("$ ").startswith(ELSEWHERE):
                follow(line.removeprefix("$ "))
                steps += 1
    assert steps >= 3
