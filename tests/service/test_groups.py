"""Requests that share a commit wait for nobody else; the short way says what the usual one does."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from live.conftest import fresh_schema
from service.conftest import Service
from spnb.live.campaign import Campaign
from spnb.live.store import Store

ARMS = ["a", "b", "c"]
_JSON = {"Content-Type": "application/json"}
Serve = Callable[[str], Service]


def test_a_campaign_that_another_program_holds_keeps_nobody_else_waiting(
    serve: Serve, postgres: str
) -> None:
    service = serve(fresh_schema(postgres))
    held, free = (service.client().create(name, arms=ARMS, agent="Uniform+") for name in "hf")
    answers: list[bool] = []

    def ask_both() -> None:
        asks = [{"campaign": each.uid, "arm": "a", "round": 1} for each in (free, held)]
        with service.http() as http:
            items = http.post("/v1/decisions", json={"items": asks}).json()["items"]
        answers.extend(item["decision"]["pull"] for item in items)

    with Store(service.store) as store, store.writing() as tx:
        tx.snapshot(Campaign.open(store, "h").number, lock=True)
        waiting = threading.Thread(target=ask_both)
        waiting.start()
        for round_ in range(1, 6):  # each of these is in a later commit than the one that waits
            assert free.ask("a", round_).pull
        assert waiting.is_alive()
    waiting.join()
    assert answers == [True, True]
    assert free.verify().ok
    assert held.verify().ok


def test_a_long_lesson_is_learnt_by_itself(
    serve: Serve, shared_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spnb.live.campaign.change.LASTING", 0)  # every lesson is a long one
    here = serve(shared_url).client().create("c", arms=ARMS, agent="Challenge", seed=3)
    alike = Campaign.create(
        f"sqlite:///{tmp_path}/alike.db", "c", arms=ARMS, agent="Challenge", seed=3
    )
    for round_ in range(1, 8):
        for place, arm in enumerate(ARMS):
            ours, theirs = here.ask(arm, round_), alike.ask(arm, round_)
            assert ours.pull == theirs.pull
            if ours.pull:
                for campaign, decision in ((here, ours), (alike, theirs)):
                    campaign.tell(decision, reward=1)
                    campaign.correct(decision, reward=(round_ + place) % 2)
    assert here.verify().ok


_BODIES: list[Any] = [
    {"arm": "a", "round": 1},
    {"arm": "a", "round": 1, "at": "2026-05-01"},
    {"arm": "nobody", "round": 1},
    {"arm": "a", "round": 0},
    {"arm": "a", "round": True},
    {"arm": "a", "round": 1.0},
    {"arm": "a", "round": 99},
    {"decision": "nonsense", "reward": 1},
    {"decision": "0" * 16 + "-2-" + "0" * 16, "reward": 1},
    {"decision": "x", "reward": 2},
    {"items": []},
    {"items": [{"campaign": "0" * 16, "arm": "a", "round": 1}]},
    {"items": [{"decision": "nonsense", "reward": 1}]},
    {"items": [{"decision": "nonsense", "reward": 1}, {"decision": "x", "reward": 2}, 7]},
    {"items": [{"campaign": "x", "arm": "a", "round": 1}, {"arm": "a"}]},
    {"items": [{"campaign": "x"}], "more": 1},
    {},
    [],
]
_RAW = [b"", b"{", b"\xff", b"[" * 5000, b'{"arm": "\\ud800", "round": 1}', b'{"reward": NaN}']
_HEADERS = [{"Origin": "http://elsewhere"}, {"Authorization": "Bearer x"}, {"Idempotency-Key": ""}]


def test_the_short_way_answers_as_the_usual_one(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = serve(f"sqlite:///{tmp_path}/short.db")
    monkeypatch.setattr("spnb.service.app.Quick", lambda app, **_: app)
    usual = serve(f"sqlite:///{tmp_path}/usual.db")
    said = [_answers(service) for service in (short, usual)]
    assert said[0] == said[1]
    assert {status for _, status, _ in said[0]} >= {200, 401, 403, 404, 409, 413, 415, 422}


def _answers(service: Service) -> list[tuple[Any, int, str]]:
    """What a service says to all sorts of requests, without what differs between two campaigns."""
    campaign = service.client().create("c", arms=ARMS, agent="Uniform+", seed=1)
    decision = campaign.ask("a", 1)
    campaign.tell(decision, reward=0)
    root, found = f"/v1/campaigns/{campaign.uid}", []
    paths = [f"{root}/{what}" for what in ("decisions", "rewards", "corrections", "losses")]
    paths += ["/v1/decisions", "/v1/rewards", "/v1/campaigns/nobody/decisions"]
    paths += [f"/v1/campaigns/{'0' * 16}/decisions"]
    again = {"decision": decision.uid, "reward": 1}
    with service.http() as http:
        requests = [
            http.build_request("POST", path, json=body) for path in paths for body in _BODIES
        ]
        requests += [
            http.build_request("POST", path, content=raw, headers=_JSON)
            for path in paths
            for raw in _RAW
        ]
        requests += [
            http.build_request("POST", paths[0], json=_BODIES[0], headers=headers)
            for headers in _HEADERS
        ]
        requests += [http.build_request("POST", path, json=again) for path in paths]
        requests.append(http.build_request("POST", paths[0], data={"arm": "a"}))
        stream = iter([b"x" * 65536] * 20)
        requests.append(http.build_request("POST", paths[0], content=stream, headers=_JSON))
        for request in requests:
            answer = http.send(request)
            words = _plain(answer, campaign.uid, str(decision.uid))
            found.append((request.url.path.replace(campaign.uid, "UID"), answer.status_code, words))
    return found


def _plain(answer: httpx.Response, campaign: str, decision: str) -> str:
    return answer.text.replace(decision, "DECISION").replace(campaign, "UID")
