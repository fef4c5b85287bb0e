"""The API does what its description says, whatever is sent to it."""

import subprocess
import sys
from pathlib import Path

import pytest

from service.conftest import Service
from spnb.service.routes.health import OPEN

KEY = "Idempotency-Key"
# What cannot be said in a schema (a round or a time, never both) makes valid requests refused, and
# what makes no sense is refused before anybody looks for a token. Of many items each is refused by
# itself, and the others are done: that is no refusal of the request.
_SETTINGS = """
[checks]
positive_data_acceptance.enabled = false
missing_required_header.enabled = false

[[operations]]
include-path = ["/v1/decisions", "/v1/rewards"]
checks.negative_data_rejection.enabled = false
"""


def test_no_request_breaks_it_and_no_answer_is_undescribed(
    local: Service, tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spnb.service.patience._FAILURES", 10**9)  # it tries tokens of all kinds
    words = [
        "run", f"{local.url}/v1/openapi.json", "-H", f"Authorization: Bearer {local.token()}",
        "--max-examples", "10", "--seed", str(seed), "--exclude-path", "/v1/imports", "--no-color",
    ]  # fmt: skip
    (tmp_path / "schemathesis.toml").write_text(_SETTINGS)
    tool = Path(sys.executable).with_name("schemathesis")
    done = subprocess.run([tool, *words], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
    assert "Stateful" in done.stdout


def test_the_description_has_words_for_everything(local: Service) -> None:
    with local.http() as http:
        paths = http.get("/v1/openapi.json").json()["paths"]
    for path, methods in paths.items():
        for method, operation in methods.items():
            assert operation.get("description"), (method, path)


def test_the_description_says_what_a_request_must_and_may_bring_along(local: Service) -> None:
    with local.http() as http:
        description = http.get("/v1/openapi.json").json()
    (scheme,) = description["components"]["securitySchemes"].values()
    assert (scheme["type"], scheme["scheme"]) == ("http", "bearer")
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            assert ("security" in operation) == (path not in OPEN), path
            keys = [each for each in operation.get("parameters", []) if each["name"] == KEY]
            changes = method != "get" and not path.endswith("/verification")
            assert len(keys) == changes, (method, path)
            assert method not in ("post", "put") or {"413", "415"} <= set(operation["responses"])
