"""Templates hold nothing that nobody needs."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

SERVICE = Path(str(files("spnb.service")))
TEMPLATES = sorted((SERVICE / "templates").glob("*.html"))
STYLE = (SERVICE / "static" / "dashboard.css").read_text()


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_what_a_template_imports_is_used(path: Path) -> None:
    text = path.read_text()
    for names in re.findall(r"import ([\w, ]+) %\}", text):
        for name in names.split(", "):
            assert re.search(rf"{{[{{%][^}}]*\b{name}\(", text), name


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_every_class_has_a_style(path: Path) -> None:
    text = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", path.read_text())
    names = {name for given in re.findall(r'class="([^"]*)"', text) for name in given.split()}
    styled = set(re.findall(r"\.([a-z][\w-]*)", STYLE))
    assert names
    assert names <= styled, names - styled
