"""Alerts reach whoever wants to hear of a campaign: signed, again until they arrive, once each."""

import asyncio
import json
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest

from service.conftest import Service
from spnb.live import clock
from spnb.service.alerts import SIGNATURE, TIMESTAMP, deliver, notice, signature


class Receiver:
    """Somebody else's server, which may be out of order."""

    def __init__(self) -> None:
        self.heard: list[tuple[dict[str, str], str]] = []
        self.status = 200
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                outer.heard.append((dict(self.headers), body))
                self.send_response(outer.status)
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hear"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    made = Receiver()
    yield made
    made.stop()


def look(service: Service) -> None:
    """What the service does every few seconds."""

    async def once() -> None:
        async with httpx.AsyncClient() as http:
            await deliver(service.app.state.desk, http)

    notice(service.app.state.desk)
    asyncio.run(once())


def test_overdue_rewards_and_the_end_are_told_once(service: Service, receiver: Receiver) -> None:
    client = service.client()
    campaign = client.create("c", arms=["a", "b"], agent="Uniform+", rounds=2)
    with service.http() as http:
        answer = http.put(f"/v1/campaigns/{campaign.uid}/hook", json={"url": receiver.url})
        secret = answer.json()["secret"]
        shown = http.get(f"/v1/campaigns/{campaign.uid}/hook")
    assert shown.json() == {"url": receiver.url}
    late = campaign.ask("a", 1)
    look(service)
    assert receiver.heard == []  # it may still come in time
    campaign.tell(campaign.ask("b", 1), reward=1)
    campaign.ask("a", 2)
    look(service)
    look(service)
    assert len(receiver.heard) == 1
    headers, body = receiver.heard[0]
    said = json.loads(body)
    assert (said["kind"], said["decision"], said["campaign"]) == ("overdue", late.id, "c")
    assert headers[SIGNATURE] == signature(secret, headers[TIMESTAMP], body)
    assert headers[SIGNATURE] != signature("x", headers[TIMESTAMP], body)
    campaign.ask("b", 2)
    look(service)
    assert [json.loads(body)["kind"] for _, body in receiver.heard] == ["overdue", "horizon"]
    with service.http() as http:
        assert http.delete(f"/v1/campaigns/{campaign.uid}/hook").status_code == 204
        assert http.get(f"/v1/campaigns/{campaign.uid}/hook").json() == {"url": None}
        for url in ("file:///etc/passwd", "ftp://x", "http://", "https://a b"):
            answer = http.put(f"/v1/campaigns/{campaign.uid}/hook", json={"url": url})
            assert answer.status_code == 422


def test_what_does_not_arrive_is_sent_again(
    local: Service, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = local.client().create("c", arms=["a"], agent="SR+", goal="best", rounds=4)
    with local.http() as http:
        http.put(f"/v1/campaigns/{campaign.uid}/hook", json={"url": receiver.url})
    receiver.status = 500
    now = clock.now()
    for minutes, heard in ((0, 1), (0.5, 1), (2, 2), (3, 2), (5, 3)):
        monkeypatch.setattr(clock, "now", lambda m=minutes: now + timedelta(minutes=m))
        look(local)
        assert len(receiver.heard) == heard, minutes
    receiver.status = 204
    for minutes in (20, 60, 10_000):
        monkeypatch.setattr(clock, "now", lambda m=minutes: now + timedelta(minutes=m))
        look(local)
    assert len(receiver.heard) == 4
    assert len({json.loads(body)["id"] for _, body in receiver.heard}) == 1
    assert json.loads(receiver.heard[0][1])["kind"] == "decided"  # of one arm nothing is to learn


def test_nobody_there_is_no_trouble(local: Service) -> None:
    campaign = local.client().create("c", arms=["a"], agent="SR+", goal="best", rounds=4)
    with local.http() as http:
        http.put(f"/v1/campaigns/{campaign.uid}/hook", json={"url": "http://127.0.0.1:1/"})
    look(local)
    assert campaign.outline().state == "finished"
