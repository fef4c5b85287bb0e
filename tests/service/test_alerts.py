"""Alerts reach whoever wants to hear of a campaign: signed, again until they arrive, once each."""

import asyncio
import json
import socket
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest

from service.conftest import Service
from spnb.client import RemoteCampaign
from spnb.live import clock
from spnb.live.store import Store, hooks
from spnb.service import alerts
from spnb.service.alerts import SIGNATURE, TIMESTAMP, deliver, notice, signature, watching


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


NO_URLS = [
    "file:///etc/passwd", "ftp://x", "http://", "https://a b", "http://[::1", "http://[zz]/",
    "http://:80/", "http:///path", "http://x:99999/", "http://x:0/", "http://x:port/",
    "http://?x", "http://xn--/",
]  # fmt: skip


@pytest.mark.parametrize("url", NO_URLS)
def test_what_is_no_url_is_refused_when_it_is_set(local: Service, url: str) -> None:
    campaign = decided(local, "c")
    with local.http() as http:
        answer = http.put(f"/v1/campaigns/{campaign.uid}/hook", json={"url": url})
        assert answer.status_code == 422
        assert answer.json()["error"]["message"].startswith("url: ")
        assert http.get(f"/v1/campaigns/{campaign.uid}/hook").json() == {"url": None}


def decided(service: Service, name: str) -> RemoteCampaign:
    """A campaign that has an alert from the beginning: of one arm nothing is to learn."""
    return service.client().create(name, arms=["a"], agent="SR+", goal="best", rounds=4)


def set_hook(service: Service, campaign: RemoteCampaign, url: str) -> None:
    """Whatever the service would say to that URL."""
    with Store(service.store) as store, store.reading() as tx:
        who = tx.named(campaign.uid)
    assert who is not None
    with Store(service.store) as store:
        hooks.set_hook(store, who.number, url)


@pytest.mark.parametrize("url", ["http://[::1", "http://127.0.0.1:99999/", "http://a..b/", "x"])
def test_a_url_that_cannot_be_used_keeps_no_alert_from_others(
    local: Service,
    receiver: Receiver,
    url: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_hook(local, decided(local, "bad"), url)
    set_hook(local, decided(local, "good"), receiver.url)
    look(local)
    assert [json.loads(body)["campaign"] for _, body in receiver.heard] == ["good"]
    assert "an alert did not arrive" in caplog.text
    set_hook(local, local.client().campaign("bad"), receiver.url)
    later = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    look(local)
    assert [json.loads(body)["campaign"] for _, body in receiver.heard] == ["good", "bad"]


def test_a_damaged_campaign_keeps_no_alert_from_others(
    local: Service, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    bad = decided(local, "a bad one")
    set_hook(local, bad, receiver.url)
    set_hook(local, decided(local, "good"), receiver.url)
    with sqlite3.connect(local.store.removeprefix("sqlite:///")) as database:
        database.execute("UPDATE spnb_snapshots SET body = '{}' WHERE campaign = 1")
    database.close()
    look(local)
    assert [json.loads(body)["campaign"] for _, body in receiver.heard] == ["good"]
    assert f"alerts of campaign {bad.uid} wait: the snapshot is damaged" in caplog.text


def test_a_hook_that_does_not_answer_is_tried_once_at_a_look(
    local: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"c{n}" for n in range(7)]
    for name in names:
        set_hook(local, decided(local, name), "http://127.0.0.1:1/")
    desk, now = local.app.state.desk, [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: now[0])
    notice(desk)
    heard: list[str] = []

    def hang(request: httpx.Request) -> httpx.Response:
        heard.append(json.loads(request.content)["campaign"])
        now[0] += timedelta(seconds=9)
        raise httpx.ReadTimeout("nobody answers")

    async def looks() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(hang)) as http:
            for _ in range(8):
                await deliver(desk, http)

    asyncio.run(looks())
    assert sorted(heard[:7]) == names
    assert heard[7:] == heard[:1]  # more than a minute ago: its turn has come again


class Drip:
    """A receiver that never comes to an end: it answers a byte at a time, or forever."""

    def __init__(self, start: bytes, more: bytes, pause: float) -> None:
        self.sent, self._gone = 0, threading.Event()
        self._start, self._more, self._pause = start, more, pause
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/"
        self._thread = threading.Thread(target=self._answer)
        self._thread.start()

    def _answer(self) -> None:
        connection, _ = self._socket.accept()
        with connection, suppress(OSError):
            connection.recv(65536)
            connection.sendall(self._start)
            while not self._gone.wait(self._pause):
                connection.sendall(self._more)
                self.sent += len(self._more)

    def stop(self) -> None:
        self._gone.set()
        self._thread.join()
        self._socket.close()


@pytest.mark.parametrize(
    ("start", "more", "pause"),
    [
        (b"HTTP/1.1 200 OK\r\nX: ", b"x", 0.1),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", b"x" * 65536, 0.0),
    ],
)
def test_a_receiver_without_an_end_holds_nobody_up(
    local: Service,
    receiver: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    start: bytes,
    more: bytes,
    pause: float,
) -> None:
    monkeypatch.setattr(alerts, "_TIMEOUT", 1.0)
    drip = Drip(start, more, pause)
    try:
        set_hook(local, decided(local, "slow"), drip.url)
        set_hook(local, decided(local, "good"), receiver.url)
        begun = time.monotonic()
        look(local)
        assert time.monotonic() - begun < 30
    finally:
        drip.stop()
    assert [json.loads(body)["campaign"] for _, body in receiver.heard] == ["good"]
    assert drip.sent < 50_000_000


def test_hooks_do_not_wait_for_each_other(local: Service) -> None:
    for n in range(5):
        set_hook(local, decided(local, f"c{n}"), f"http://127.0.0.1:1/{n}")
    notice(local.app.state.desk)
    together = asyncio.Barrier(5)

    async def answer(request: httpx.Request) -> httpx.Response:
        await together.wait()  # until all have come
        return httpx.Response(200)

    async def once() -> None:
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            await asyncio.wait_for(deliver(local.app.state.desk, http), 60)

    asyncio.run(once())
    assert not together.broken


def test_whatever_happens_the_next_look_comes(
    local: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looks: list[int] = []

    def fail(desk: Any) -> None:
        looks.append(1)
        raise RuntimeError("unforeseen")

    async def watch() -> None:
        async with watching(local.app.state.desk):
            while len(looks) < 3:
                await asyncio.sleep(0.01)

    monkeypatch.setattr(alerts, "PERIOD", 0.01)
    monkeypatch.setattr(alerts, "notice", fail)
    asyncio.run(asyncio.wait_for(watch(), 30))
    assert "alerts wait: unforeseen" in caplog.text
