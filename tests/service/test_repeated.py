"""An answer may be lost on the way: whoever asks again is told the same, and it was done once."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from service.conftest import Service
from service.test_access import needs, routes
from service.test_async_client import season
from spnb.base.errors import MissingError
from spnb.service.desk import key_of

_KEY = {"Idempotency-Key": "k"}


def test_every_change_may_be_sent_under_a_key(local: Service) -> None:
    found = [
        route
        for route in routes(local.app)
        if route.path.startswith("/v1/") and route.methods != {"GET"} and needs(route) != ["read"]
    ]
    assert len(found) > 15
    for route in found:
        calls = [dependency.call for dependency in route.dependant.dependencies]
        assert key_of in calls, (route.methods, route.path)


@pytest.mark.parametrize(
    ("method", "path", "given"),
    [
        ("DELETE", "/arms", {"params": {"arm": "b"}}),
        ("PUT", "/hook", {"json": {"url": "http://127.0.0.1:1/"}}),
        ("DELETE", "/hook", {}),
        ("POST", "/move", {}),
        ("DELETE", "", {}),
    ],
)
def test_what_was_sent_twice_is_done_once(
    service: Service, method: str, path: str, given: dict[str, Any]
) -> None:
    campaign = service.client().create("c", arms=["a", "b"])
    if not path:
        given = {"params": {"seal": json.loads(list(campaign.export())[-1])["hash"]}}
    with service.http() as http:
        where = f"/v1/campaigns/{campaign.uid}{path}"
        first, again = (http.request(method, where, headers=_KEY, **given) for _ in range(2))
        assert first.is_success
        assert (first.status_code, first.text) == (again.status_code, again.text)
        other = http.post(f"/v1/campaigns/{campaign.uid}/pause", headers=_KEY)
        assert other.status_code == 422  # the key was used for something else


def test_a_key_is_good_for_its_token_only(service: Service) -> None:
    body = {"name": "secret", "arms": ["a", "b"]}
    admin, limited = service.token(), service.token(campaigns=["ads"])
    with service.http(admin) as ours, service.http(limited) as theirs:
        assert ours.post("/v1/campaigns", json=body, headers=_KEY).status_code == 201
        assert ours.post("/v1/campaigns", json=body, headers=_KEY).status_code == 201
        refused = theirs.post("/v1/campaigns", json=body, headers=_KEY)
        assert refused.status_code == 403
        assert "uid" not in refused.text
    with service.http(service.token()) as others:  # who happens to have the same idea
        other = others.post("/v1/campaigns", json=body | {"name": "x"}, headers=_KEY)
        assert other.status_code == 201


@pytest.fixture
def lossy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first answer to each change gets lost on its way back."""
    monkeypatch.setattr("spnb.client.transport._FIRST_WAIT", 0.001)
    waits, does_not = httpx.HTTPTransport, httpx.AsyncHTTPTransport
    send, send_async = waits.handle_request, does_not.handle_async_request
    seen: list[tuple[Any, ...]] = []

    def is_lost(request: httpx.Request) -> bool:
        mark = (request.method, request.url, request.headers.get("Idempotency-Key"))
        seen.append(mark)
        return request.method != "GET" and seen.count(mark) == 1

    def sent(self: httpx.HTTPTransport, request: httpx.Request) -> httpx.Response:
        response = send(self, request)
        if is_lost(request):
            response.close()
            raise httpx.ReadError("lost")
        return response

    async def sent_async(self: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
        response = await send_async(self, request)
        if is_lost(request):
            await response.aclose()
            raise httpx.ReadError("lost")
        return response

    monkeypatch.setattr(waits, "handle_request", sent)
    monkeypatch.setattr(does_not, "handle_async_request", sent_async)


@pytest.mark.usefixtures("lossy")
def test_a_client_hears_of_no_failure_where_an_answer_was_lost(service: Service) -> None:
    client = service.client()
    campaign = client.create("c", arms=["a", "b"], agent="Uniform+")
    campaign.add_arm("d")
    campaign.tell(campaign.ask("a", 1), reward=1)
    campaign.retire_arm("d")
    campaign.close()
    campaign.delete(json.loads(list(campaign.export(move=True))[-1])["hash"])
    with pytest.raises(MissingError):
        client.campaign("c")


@pytest.mark.usefixtures("lossy")
def test_nor_does_one_that_does_not_wait(service: Service) -> None:
    asyncio.run(season(service.url))
