"""The site builds strictly, needs nothing from elsewhere, and leaves nothing out."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import spnb
from spnb import gym, theory
from spnb.cli.app import app
from spnb.service.app import create_app

pytestmark = pytest.mark.xdist_group("site")  # what is made once serves one worker

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(place)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.returncode == 0, done.stderr
    return place


def text(page: Path) -> str:
    return re.sub(r"<[^>]*>", "", page.read_text(encoding="utf-8"))


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(
            r"<(?:script|link|img|iframe)[^>]*(?:src|href)=\"?([^\" >]+)", page.read_text()
        )
        assert [each for each in loaded if "//" in each and not each.startswith("data:")] == []


def own_words(value: Any) -> str:
    """What a class or function says of itself: not its parent's words, nor a dataclass's own."""
    told = vars(value).get("__doc__") if inspect.isclass(value) else value.__doc__
    return "" if not told or told.startswith(f"{value.__name__}(") else told


def test_every_public_name_has_its_entry(site: Path) -> None:
    page = (site / "reference" / "python.html").read_text(encoding="utf-8")
    names: list[Any] = [getattr(spnb, name) for name in spnb.__all__]
    names += [value for value in vars(theory).values() if inspect.isfunction(value)]
    names += [getattr(gym, name) for name in gym.__all__]
    for each in names:
        assert f'id="{each.__module__}.{each.__qualname__}"' in page
        assert own_words(each), each


def test_every_command_and_option_has_its_entry(site: Path) -> None:
    page = text(site / "reference" / "command-line.html")
    sections = {part.split(" [", 1)[0].strip(): part for part in page.split("Usage: ")[1:]}
    found = list(commands(get_command(app), "spnb"))
    assert len(found) > 30
    for path, command in found:
        assert (command.help or "").strip(), path
        for option in command.params:
            assert option.help, (path, option.name)
            name = max(option.opts, key=len)
            assert name.upper() in sections[path].upper(), (path, name)


def commands(command: Any, path: str) -> Iterator[tuple[str, Any]]:
    if hasattr(command, "list_commands"):
        for name in command.list_commands(None):
            yield from commands(command.get_command(None, name), f"{path} {name}")
    else:
        yield path, command


def test_every_route_has_its_entry(site: Path) -> None:
    page = text(site / "reference" / "http.html")
    for path, methods in create_app("sqlite://").openapi()["paths"].items():
        for method, route in methods.items():
            assert f"{method.upper()} {path}" in page
            assert route["description"].strip()


def test_every_setting_has_its_entry() -> None:
    page = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    for source in (ROOT / "src").rglob("*.py"):
        for name in re.findall(r"\bSPNB_[A-Z_]+", source.read_text(encoding="utf-8")):
            assert f"`{name}`" in page


def test_formulas_are_drawn_by_the_browser_itself(site: Path) -> None:
    page = (site / "theorems.html").read_text(encoding="utf-8")
    assert page.count("<math") >= 6
    assert "```" not in page


def test_every_fenced_example_is_drawn_as_a_block(site: Path) -> None:
    for source in (ROOT / "docs").glob("*.md"):
        fences = re.findall(r"^```(?!math)\w+", source.read_text(encoding="utf-8"), re.MULTILINE)
        page = (site / source.name).with_suffix(".html").read_text(encoding="utf-8")
        assert page.count('class="highlight"') >= len(fences), source.name
