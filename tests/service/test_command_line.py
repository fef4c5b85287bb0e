"""Every command about campaigns works at a service as it does in a store."""

import json
import os
import re
import shlex
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from service.conftest import Service
from spnb.cli.app import app

RUN = CliRunner()


def run(service: Service, *words: str, code: int = 0, text: str | None = None) -> str:
    result = RUN.invoke(app, [*words, "--store", service.url], input=text)
    assert result.exit_code == code, (result.output, result.exception)
    return result.stdout


def test_a_campaign_from_beginning_to_end(local: Service, tmp_path: Path) -> None:
    run(local, "campaign", "new", "w", "--arms", "a,b", "--agent", "Uniform+", "--seed", "5")
    assert "pull" in run(local, "ask", "w", "--arm", "a")
    run(local, "tell", "w", "--reward", "1")
    decision = json.loads(run(local, "ask", "w", "--arm", "b", "--round", "1", "--json"))
    run(local, "tell", "w", "--decision", decision["uid"], "--wins", "3", "--trials", "4")
    run(local, "correct", "w", "--decision", str(decision["id"]), "--wins", "1", "--trials", "4")
    run(local, "ask", "w", "--arm", "a")
    run(local, "lost", "w")
    run(local, "tell", "w", text="1\n")
    assert "Uniform+" in run(local, "status", "w")
    assert len(run(local, "log", "w").splitlines()) == 9
    assert json.loads(run(local, "campaign", "show", "w", "--json"))["seed"] == 5
    assert "as they were" in run(local, "campaign", "verify", "w")
    run(local, "campaign", "set", "w", "--lost-after", "2d")
    run(local, "campaign", "add-arm", "w", "c")
    run(local, "campaign", "retire-arm", "w", "b")
    run(local, "campaign", "pause", "w")
    run(local, "ask", "w", "--arm", "a", "--round", "9", code=1)
    run(local, "campaign", "resume", "w")
    run(local, "campaign", "close", "w")
    page, log = tmp_path / "page.html", tmp_path / "log.jsonl"
    run(local, "campaign", "report", "w", "-o", str(page))
    assert "<h1>w</h1>" in page.read_text()
    run(local, "campaign", "delete", "w", "--output", str(log))
    assert run(local, "campaign", "list") == ""
    run(local, "campaign", "import", str(log), "--name", "again")
    assert "again" in run(local, "campaign", "list")
    exported = run(local, "campaign", "export", "again")
    assert exported.splitlines()[1:] == log.read_text().splitlines()[1:]


def test_a_long_log_takes_few_requests(local: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = local.client().create("w", arms=["a"], agent="Uniform+")
    for round_ in range(1, 31):
        campaign.ask("a", round_)
    sent: list[httpx.URL] = []
    handle = httpx.HTTPTransport.handle_request

    def counted(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        sent.append(request.url)
        return handle(self, request)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", counted)
    assert len(run(local, "log", "w", "--last", "25").splitlines()) == 25
    assert len(sent) <= 5


def test_what_is_wrong_is_one_line_and_exit_code_2(
    local: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = local.token("read")
    for words in (["status", "w"], ["ask", "w"], ["campaign", "list"]):
        result = RUN.invoke(app, [*words, "--store", local.url])
        assert "token" in str(result.exception)
    monkeypatch.setitem(os.environ, "SPNB_TOKEN", token)
    assert run(local, "campaign", "list") == ""
    result = RUN.invoke(app, ["status", "w", "--store", local.url])
    assert "no campaign 'w'" in str(result.exception)
    monkeypatch.setattr("spnb.client.transport.ATTEMPTS", 1)
    monkeypatch.setattr("spnb.client.synchronous.ATTEMPTS", 1)
    for place in ("http://127.0.0.1:1", "https://a:b@host", "http://"):
        result = RUN.invoke(app, ["status", "w", "--store", place])
        assert type(result.exception).__name__ in ("StoreError", "SpecError"), place
        assert "a:b" not in str(result.exception)


def test_a_time_is_told_on_the_campaigns_clock(local: Service) -> None:
    begin = ["campaign", "new", "w", "--slots", "06:00,12:00", "--zone", "Europe/Rome"]
    run(local, *begin, "--start", "2026-05-01", "--agent", "Uniform+")
    said = run(local, "ask", "w", "--at", "2026-05-01T06:00")
    assert "until 12:00 CEST" in said
    here = RUN.invoke(app, ["ask", "w", "--at", "2026-05-01T06:00", "--store", local.store])
    assert here.stdout == said


def test_a_hint_can_be_pasted(local: Service) -> None:
    name = "odd: name/..?&#%"
    said = run(local, "campaign", "new", name, "--arms", "a,b", "--agent", "Seq(TS)")
    hint = re.search(r"\(spnb (campaign set .* --lost-after 2d)\)", " ".join(said.split()))
    assert hint
    run(local, *shlex.split(hint[1]))
    assert "lost after 2d" in run(local, "log", name)


def test_the_help_of_a_store_names_what_it_may_be() -> None:
    for words, service in ((["ask"], True), (["campaign", "list"], True), (["serve"], False)):
        said = RUN.invoke(app, [*words, "--help"], env={"COLUMNS": "300"}).stdout
        assert "postgresql://" in said
        assert ("https://" in said) == service, words
