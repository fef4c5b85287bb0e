"""The page about campaigns is true: its commands run, in order, and print what it says."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from spnb.cli.app import COMMANDS, app
from spnb.cli.campaign import app as campaign_app

PAGE = (Path(__file__).parents[2] / "docs" / "campaigns.md").read_text()
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def told(line: str) -> tuple[list[str], str | None]:
    """The words after ``spnb``, and what ``echo`` pipes into it."""
    words = shlex.split(line)
    feed = None
    if words[0] == "echo":
        feed, words = words[1], words[words.index("|") + 1 :]
    assert words[0] == "spnb"
    return words[1:], feed


def test_the_commands_print_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SPNB_STORE", raising=False)
    ran = 0
    for block in CONSOLE.findall(PAGE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            words, feed = told(command)
            done = CliRunner().invoke(app, words, input=feed)
            assert done.exit_code == 0, (command, done.output, done.exception)
            if shown:
                printed = "\n".join(line.rstrip() for line in done.stdout.splitlines())
                assert printed == shown.rstrip("\n")
            ran += 1
    assert ran >= 12


def test_every_command_about_campaigns_is_on_the_page() -> None:
    for name, where in COMMANDS.items():
        if where.startswith(("spnb.cli.live", "spnb.cli.status")):
            assert f"spnb {name}" in PAGE, name
    for command in campaign_app.registered_commands:
        name = command.name or command.callback.__name__  # type: ignore[union-attr]
        assert re.search(rf"campaign {name}|`{name}`", PAGE), name
