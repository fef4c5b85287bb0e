"""The page about the service is true: its lines run against a real one."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from service.conftest import Service

PAGE = (Path(__file__).parents[2] / "docs" / "service.md").read_text()
LINES = re.compile(r"^```\n(URL=.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_first_lines_of_the_page_ask_and_tell(local: Service) -> None:
    found = LINES.search(PAGE)
    assert found
    text = re.sub("^URL=.*", f"URL={local.url}", found[1], flags=re.MULTILINE)
    names = [line for line in text.splitlines() if not line.startswith("curl ")]

    def run(line: str) -> dict[str, Any]:
        script = "\n".join([*names, line])
        done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
        answer: dict[str, Any] = json.loads(done.stdout)
        assert "error" not in answer, answer
        return answer

    begin, ask, tell = [line for line in text.splitlines() if line.startswith("curl ")]
    uid = run(begin)["uid"]
    decision = run(ask.replace("UID", uid))
    assert decision["pull"]
    told = run(tell.replace("UID-2-...", decision["uid"]).replace("UID", uid))
    assert told["reward"] == 1
