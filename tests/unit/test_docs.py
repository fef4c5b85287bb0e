"""The documentation is true: examples run, names are documented, links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from spnb import theory
from spnb.bandits import registry
from spnb.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[tuple[str, str]]:
    return [
        (f"{page.name}:{number}", text)
        for page in PAGES
        for number, (kind, text) in enumerate(BLOCK.findall(page.read_text()))
        if kind == language
    ]


@pytest.mark.parametrize(("where", "code"), blocks("python"), ids=lambda v: str(v)[:30])
def test_python_examples_run(
    where: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "_REGISTERED", {})  # an example's classes are its own
    exec(compile(code, where, "exec"), {"__name__": "example"})


COMMANDS = [
    line for _, text in blocks("bash") for line in text.splitlines() if line.startswith("spnb ")
]


@pytest.mark.parametrize("line", COMMANDS)
def test_commands_run(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, shlex.split(line, comments=True)[1:])
    assert done.exit_code == 0, done.output


KINDS = ("", "console", "console shared")
ANY_BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def shown_commands() -> list[list[str]]:
    """What follows ``spnb`` in commands that need more than an empty folder to run."""
    found = []
    for page in sorted([*PAGES, *ROOT.glob("docs/*/*.md")]):
        shown = (text for kind, text in ANY_BLOCK.findall(page.read_text()) if kind in KINDS)
        text = "".join(shown).replace("\\\n", " ")
        for line in (line.removeprefix("$ ") for line in text.splitlines()):
            if line.startswith(("spnb ", "echo ")):
                parts = [shlex.split(part, comments=True) for part in re.split(r"&&|\|", line)]
                found += [words[1:] for words in parts if words[0] == "spnb"]
    return found


def test_commands_that_are_only_shown_have_such_options() -> None:
    lines = shown_commands()
    assert len(lines) > 40
    for line in lines:
        command, words = get_command(app), list(line)
        while words and words[0] in getattr(command, "commands", {}):
            command = command.commands[words.pop(0)]  # type: ignore[attr-defined]
        if words != ["--version"]:
            command.make_context("spnb", words)  # raises where it cannot be read


def test_stars_of_mathematics_are_no_emphasis() -> None:
    for page in (page for page in PAGES if page.name != "paper-reproduced.md"):  # it is generated
        prose = re.sub(r"(?ms)^```.*?^```$|^    .*?$|`[^`\n]*`", "", page.read_text())
        assert not re.search(r"\b(?:mu|T|[pNm]_)\*|\{\*,|= \*\W", prose), page.name


def test_every_agent_and_policy_is_documented() -> None:
    page = (ROOT / "docs" / "agents.md").read_text()
    for name in [*(name for name, _ in registry.known()), *registry.plus_names()]:
        assert f"`{name}" in page, name


def test_every_command_is_documented() -> None:
    text = "".join(page.read_text() for page in PAGES)
    names = get_command(app).list_commands(None)  # type: ignore[attr-defined]
    assert "simulate" in names
    for name in names:
        assert f"spnb {name}" in text, name


def test_every_bound_is_documented() -> None:
    page = (ROOT / "docs" / "theory.md").read_text()
    own = [
        name
        for name, value in vars(theory).items()
        if callable(value)
        and value.__module__.startswith("spnb.theory")
        and not name.startswith("_")
    ]
    for name in own:
        assert (
            f"`{name}`" in page or f"theory.{name}" in page or name in ("gaps", "log_bar", "kl")
        ), name


def test_make_targets_named_in_the_docs_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"make ([a-z-]+)", page.read_text()):
            if f"`make {target}" in page.read_text() or f"\nmake {target}" in page.read_text():
                assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_links_lead_somewhere() -> None:
    """Those of the site are checked where it is built."""
    for page in (ROOT / "README.md", ROOT / "DESIGN.md", ROOT / "CONTRIBUTING.md"):
        for target in re.findall(r"\]\((?!http)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
