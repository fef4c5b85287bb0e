"""Who gets in, how far, and when no longer."""

import re
import socket
from datetime import timedelta
from itertools import product
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute
from typer.testing import CliRunner

from service.conftest import Service
from spnb.base.errors import AccessError, MissingError, SpecError
from spnb.cli.app import app as command
from spnb.live import clock
from spnb.live.store import Store
from spnb.live.store.tokens import new_token, revoke, tokens_of
from spnb.service.access import Needs
from spnb.service.errors import Refused
from spnb.service.pages import OPEN as OPEN_PAGES
from spnb.service.patience import Patience
from spnb.service.routes.health import OPEN as OPEN_TO_MACHINES
from spnb.service.serve import check

ARMS = ["a", "b"]
OPEN = OPEN_TO_MACHINES | OPEN_PAGES
LISTS = {"/v1/campaigns", "/", "/stream"}  # of what a token reaches, whatever it is


def routes(app: FastAPI) -> list[APIRoute]:
    """All of them, but for the one that the framework adds: that of the API's description."""
    found = [route for route in app.routes if isinstance(route, APIRoute)]
    assert len(found) == len(app.routes) - 1 > 40
    return found


def needs(route: APIRoute) -> list[str]:
    """The scopes that a route declares."""
    calls = [dependency.call for dependency in route.dependant.dependencies]
    return [call.scope for call in calls if isinstance(call, Needs)]


def test_every_route_says_what_it_needs(local: Service) -> None:
    for route in routes(local.app):
        declared = needs(route)
        assert len(declared) == (0 if route.path in OPEN else 1), route.path
        if route.path in OPEN:
            continue
        changes = set(route.methods or ()) & {"POST", "DELETE", "PUT", "PATCH"}
        reads_only = route.path.endswith("/verification")
        assert not changes or reads_only or declared[0] in ("write", "admin"), route.path


def requests_of(app: FastAPI, uid: str) -> list[tuple[str, str, APIRoute]]:
    """A request for each route and method, about this campaign."""
    found = []
    for route in routes(app):
        path = route.path.replace("{campaign}", uid)
        assert "{" not in path, "a new kind of path: say here what to put into it"
        found += [(method, path, route) for method in route.methods or ()]
    return found


def test_nobody_gets_in_without_a_token_once_there_is_one(local: Service) -> None:
    uid = local.client().create("c", arms=ARMS).uid
    local.token()
    with local.http() as http:
        for method, path, route in requests_of(local.app, uid):
            answer = answered(http, method, path, uid)
            assert (answer.status_code == 401) == (route.path not in OPEN), path


def answered(http: httpx.Client, method: str, path: str, uid: str) -> httpx.Response:
    """The answer to a request; of a stream, which has no end, only that it has begun."""
    with http.stream(method, path, **_body(method, path, uid)) as answer:
        if not answer.headers.get("content-type", "").startswith("text/event-stream"):
            answer.read()
    return answer


def _body(method: str, path: str, uid: str) -> dict[str, Any]:
    """A request that would be understood."""
    decision = f"{uid}-2-0000000000000000"
    bodies: dict[str, Any] = {
        "/v1/campaigns": {"name": "n", "arms": ARMS},
        "/arms": {"arm": "z"},
        "/limit": {"lost_after": "2d"},
        "/hook": {"url": "http://127.0.0.1:9/"},
        "/decisions": {"arm": "a", "round": 1},
        "/v1/decisions": {"items": [{"campaign": uid, "arm": "a", "round": 1}]},
        "/rewards": {"decision": decision, "reward": 1},
        "/v1/rewards": {"items": [{"decision": decision, "reward": 1}]},
        "/corrections": {"decision": decision, "reward": 1},
        "/losses": {"decision": decision},
    }
    if path == "/v1/imports":
        return {"content": b"x", "headers": {"Content-Type": "application/x-ndjson"}}
    if method == "DELETE":
        return {"params": {"seal": "0" * 64, "arm": "a"}}
    ends = [end for end in bodies if path == end or (end[1:3] != "v1" and path.endswith(end))]
    return {"json": bodies[ends[-1]]} if method in ("POST", "PUT") and ends else {}


def test_a_limited_token_reaches_nothing_else(service: Service) -> None:
    admin = service.token()
    client = service.client(admin)
    mine, other = client.create("mine", arms=ARMS), client.create("other", arms=ARMS)
    other.ask("a", 1)
    before = list(other.events())
    limited = service.token("admin", campaigns=["mine"])
    with service.http(limited) as http:
        for method, path, route in requests_of(service.app, other.uid):
            answer = answered(http, method, path, other.uid)
            if path in ("/v1/decisions", "/v1/rewards"):
                errors = [item["error"]["code"] for item in answer.json()["items"]]
                assert errors == ["not_found"]
            elif path in LISTS and method == "GET":
                assert answer.status_code == 200
            elif route.path not in OPEN:
                assert answer.status_code == (404 if other.uid in path else 403), path
        assert [item["name"] for item in http.get("/v1/campaigns").json()["items"]] == ["mine"]
        assert http.get("/v1/campaigns", params={"name": "other"}).json()["items"] == []
        assert ">other<" not in http.get("/").text
        assert ">mine<" in http.get("/").text
        assert "other" not in http.get("/v1/campaigns/" + mine.uid).text
    assert list(other.events()) == before
    assert [event.kind for event in mine.events()] == ["create"]


def test_another_owner_sees_nothing(service: Service) -> None:
    ours = service.client(service.token()).create("c", arms=ARMS)
    theirs = service.client(service.token(owner="them"))
    assert list(theirs.campaigns()) == []
    theirs.create("c", arms=ARMS)  # names are unique for each owner
    with service.http(service.token(owner="them")) as http:
        assert http.get(f"/v1/campaigns/{ours.uid}").status_code == 404


def test_scopes_say_how_far_a_token_goes(local: Service) -> None:
    uid = local.client(local.token()).create("c", arms=ARMS).uid
    for scope, rank in (("read", 0), ("write", 1)):
        with local.http(local.token(scope)) as http:
            for method, path, route in requests_of(local.app, uid):
                if declared := needs(route):
                    answer = answered(http, method, path, uid)
                    allowed = ["read", "write", "admin"].index(declared[0]) <= rank
                    assert (answer.status_code != 403) == allowed, (scope, method, path)


def test_revoked_and_expired_tokens_die_at_once(
    local: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    local.token()
    with Store(local.store) as store:
        text, token = new_token(store, "short", "read", lasts=timedelta(minutes=5))
        with local.http(text) as http:
            assert http.get("/v1/campaigns").status_code == 200
            later = clock.now() + timedelta(minutes=5)
            monkeypatch.setattr(clock, "now", lambda: later)
            assert http.get("/v1/campaigns").status_code == 401
            monkeypatch.undo()
            assert http.get("/v1/campaigns").status_code == 200
            revoke(store, token.id)
            assert http.get("/v1/campaigns").status_code == 401
            assert tokens_of(store)[-1].revoked is not None


@pytest.mark.parametrize(
    "text",
    ["x", "spnb_", "spnb__", "spnb_000000000000_x", "spnb_é_x", "' OR 1=1 --", "x" * 5000],
)
def test_what_is_no_token_opens_nothing(local: Service, text: str) -> None:
    local.token()
    with local.http() as http:
        headers = {b"Authorization": b"Bearer " + text.encode()}
        answer = http.get("/v1/campaigns", headers=headers)
        assert answer.status_code == 401
        assert len(text) < 8 or text not in answer.text


def test_a_token_with_another_secret_is_refused_and_failures_are_counted(local: Service) -> None:
    text = local.token()
    wrong = text[:-1] + ("x" if text[-1] != "x" else "y")
    with local.http(wrong) as http:
        answers = [http.get("/v1/campaigns").status_code for _ in range(25)]
    assert answers == [401] * 20 + [429] * 5
    with local.http() as http:
        assert http.get("/healthz").status_code == 200


def test_who_fails_twenty_times_within_a_minute_waits_for_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now, patience = [0.0], Patience()
    monkeypatch.setattr("spnb.service.patience.time.monotonic", lambda: now[0])
    for _ in range(20):
        patience.check("here")
        patience.failed("here")
    patience.check("there")
    for now[0] in (0.0, 59.9):
        with pytest.raises(Refused, match="too many"):
            patience.check("here")
    now[0] = 60.0
    patience.check("here")
    patience.failed("here")
    patience.check("here")  # counted anew


def test_pages_of_other_sites_get_nothing_done(local: Service) -> None:
    local.client()
    with local.http() as http:
        body = {"name": "x", "arms": ARMS}
        for headers in (
            {"Origin": "https://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
            {"Host": "evil.example"},  # its name made to point here: it is not open under that
            {"X-Forwarded-For": "192.0.2.1"},
        ):
            answer = http.post("/v1/campaigns", json=body, headers=headers)
            assert answer.status_code in (401, 403), headers
        same = {"Origin": local.url}
        assert http.post("/v1/campaigns", json=body, headers=same).status_code == 201


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Origin", "http://["),
        ("Origin", "http://[zz]/"),
        ("Host", "["),
        ("Host", "[zz]"),
        ("Host", "localhost:port"),
        ("Host", "localhost:99999"),
    ],
)
def test_addresses_that_cannot_be_read_are_foreign(
    local: Service, name: str, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    key = {"Idempotency-Key": "k", "Cookie": "spnb_token=x"}
    with local.http() as http:
        for path, extra in product(("/v1/campaigns", "/", "/new", "/metrics", "/no"), ({}, key)):
            for method in ("GET", "POST"):
                answer = http.request(method, path, headers={name: value} | extra)
                assert 400 <= answer.status_code < 500, (method, path)
        made = http.post("/v1/campaigns", json={"name": "x", "arms": ARMS}, headers={name: value})
        assert made.status_code in (401, 403)
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("charset", ["utf-7", "unicode_escape", "undefined", "nonsense"])
def test_a_form_is_in_utf_8_whatever_it_says(local: Service, charset: str) -> None:
    text = {"utf-7": "+2AA-", "unicode_escape": "\\ud800"}.get(charset, "x")
    body = f'--B\r\nContent-Disposition: form-data; name="form_mark"\r\n\r\n{text}\r\n--B--\r\n'
    local.token()  # or nobody need sign in
    kind = {"Content-Type": f"multipart/form-data; boundary=B; charset={charset}"}
    with local.http() as http:
        http.get("/sign-in")  # for the cookie of its form
        assert http.cookies
        answer = http.post("/sign-in", content=body, headers=kind)
        assert answer.status_code == (422 if charset == "nonsense" else 400)


@pytest.mark.parametrize("token", ["none", "limited"])
def test_what_nobody_may_import_is_not_read(local: Service, token: str) -> None:
    text = local.token("admin", campaigns=["c"])
    host, port = local.url.removeprefix("http://").split(":")
    said = f"Authorization: Bearer {text}\r\n" if token == "limited" else ""
    head = (
        f"POST /v1/imports HTTP/1.1\r\nHost: {host}:{port}\r\n{said}Idempotency-Key: k\r\n"
        "Content-Type: application/x-ndjson\r\nContent-Length: 400000000\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=30) as connection:
        connection.sendall(head.encode())  # the body is still to come
        answer = connection.recv(4096)
    assert answer.startswith(b"HTTP/1.1 40" + (b"1" if token == "none" else b"3"))


def test_a_service_for_others_needs_a_token_first(tmp_path: Any) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    assert check(url, "127.0.0.1")
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(SpecError, match="token"):
            check(url, host)
    with Store(url) as store:
        new_token(store, "n", "read")
    assert not check(url, "0.0.0.0")
    with pytest.raises(SpecError, match="lasts"):
        check("sqlite://", "127.0.0.1")


def test_tokens_on_the_command_line(tmp_path: Any, local: Service) -> None:
    run, store = CliRunner(), ["--store", local.store]
    made = run.invoke(command, ["token", "new", "ann", "--scope", "read", "--lasts", "1d", *store])
    text = made.stdout.strip()
    assert re.fullmatch(r"spnb_[0-9a-f]{12}_[\w-]{43}", text)
    assert list(local.client(text).campaigns()) == []
    listed = run.invoke(command, ["token", "list", *store]).stdout
    assert "ann" in listed
    assert text.split("_")[2] not in listed
    assert run.invoke(command, ["token", "revoke", text.split("_")[1], *store]).exit_code == 0
    with pytest.raises(AccessError):
        list(local.client(text).campaigns())
    again = run.invoke(command, ["token", "revoke", text.split("_")[1], *store])
    assert again.exit_code != 0
    with Store(local.store) as opened, pytest.raises(SpecError, match="scope"):
        new_token(opened, "x", "all")
    for bad in ({"name": ""}, {"name": "x", "campaigns": []}, {"name": "x", "campaigns": "c"}):
        with Store(local.store) as opened, pytest.raises(SpecError):
            new_token(opened, scope="read", **bad)


def test_names_with_markup_and_tricks_are_only_names(local: Service) -> None:
    client = local.client()
    names = ["<script>alert(1)</script>", "../../etc", "a/b", "'; DROP TABLE x; --", "é漢字", "%2e"]
    for name in names:
        assert client.create(name, arms=["<b>", "&amp;"]).outline().name == name
        assert client.campaign(name).ask("<b>", 1).arm == "<b>"
    assert sorted(outline.name for outline in client.campaigns()) == sorted(names)
    for name in ("\x1b[2J", "a\nb", " a", ""):
        with local.http() as http:
            body = {"name": name, "arms": ARMS}
            assert http.post("/v1/campaigns", json=body).status_code == 422
    with pytest.raises(MissingError):
        client.campaign("nobody")
