"""How calls reach a service: addresses, tokens, and when to try again."""

import json
import os
import random
from typing import Any

import httpx

from spnb.base.errors import SpecError, StoreError
from spnb.client.calls import Call, failure

TOKEN = "SPNB_TOKEN"
ATTEMPTS = 6
_AGAIN = (502, 503, 504)
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 3.0
_TIMEOUT = httpx.Timeout(60.0, connect=10.0)
_PATIENT = httpx.Timeout(60.0, connect=10.0, read=None)


def settings(url: str, token: str | None) -> dict[str, Any]:
    """What an HTTP client needs to know."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, TypeError):
        raise SpecError("a service is at http://host:port or https://host") from None
    if parsed.scheme not in ("http", "https") or not parsed.host or parsed.userinfo:
        raise SpecError(
            "a service is at http://host:port or https://host; its token comes separately"
        )
    token = token or os.environ.get(TOKEN)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return {"base_url": url.rstrip("/"), "headers": headers, "timeout": _TIMEOUT}


def arguments(call: Call[Any]) -> dict[str, Any]:
    """A call as an HTTP client takes it."""
    given: dict[str, Any] = {"method": call.method, "url": call.path, "params": dict(call.query)}
    if call.patient:
        given["timeout"] = _PATIENT
    headers = {} if call.key is None else {"Idempotency-Key": call.key}
    if isinstance(call.body, bytes):
        return given | {"content": call.body, "headers": headers | {"Content-Type": _NDJSON}}
    if call.body is not None:
        # With nan where somebody has it: the service refuses it, and only the item that it is in.
        given["content"] = json.dumps(call.body)
        headers["Content-Type"] = "application/json"
    return given | {"headers": headers}


_NDJSON = "application/x-ndjson"


def wait_before(attempt: int) -> float:
    """Seconds to wait before trying again: longer each time, and not all at the same moment."""
    longest = min(_FIRST_WAIT * 2**attempt, _LONGEST_WAIT)
    return longest * random.uniform(0.5, 1.0)


def unreached(error: Exception) -> StoreError:
    """No answer came."""
    return StoreError(f"the service does not answer ({type(error).__name__}); try again")


def is_final(response: httpx.Response) -> bool:
    """Whether the answer would be the same if asked again."""
    return response.status_code not in _AGAIN


def result(call: "Call[Any]", response: httpx.Response) -> Any:
    """What an answer says; an error is raised as ours."""
    if response.status_code == 204:
        return call.read(None)
    if response.headers.get("content-type", "").startswith(_NDJSON):
        return call.read(response.text)
    try:
        answer = response.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        answer = None
    if response.is_error or answer is None:
        raise failure(response.status_code, answer)
    return call.read(answer)
