"""The page about the service is true: its example runs, at a real service, with a real token."""

import re
from pathlib import Path
from typing import Any

from service.conftest import Service

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
EXAMPLE = re.compile(r"^## From Python\n\n```\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLACE, TOKEN = '"https://spnb.example.org"', '"spnb_..."'


def test_the_example_runs(local: Service) -> None:
    token = local.token("write")
    (code,) = EXAMPLE.findall(PAGE)
    assert PLACE in code
    assert TOKEN in code
    known: dict[str, Any] = {}
    exec(code.replace(PLACE, repr(local.url)).replace(TOKEN, repr(token)), known)
    assert known["decision"].pull  # the first offer always is: its reward was told
    names = [outline.name for outline in local.client(token).campaigns()]
    assert names == ["ads"]
    assert [event.kind for event in local.client(token).campaign("ads").events()][-1] == "tell"
