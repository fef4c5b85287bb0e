"""Around every request: how large it may be, how long it took, what a browser may do with it."""

import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from fastapi import Request
from starlette.exceptions import HTTPException

from spnb.service.errors import Answer, Refused
from spnb.service.metrics import metrics

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST = 1024 * 1024  # bytes of a request
LARGEST_IMPORT = 512 * 1024 * 1024
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
    (
        b"content-security-policy",
        b"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; "
        b"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
]


class Limits:
    """Bounds the body, times the request and adds the headers that browsers heed."""

    def __init__(self, app: App, answer: Answer) -> None:
        self._app, self._answer = app, answer

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # the same but for the body, which the server leaves out
            scope = {**scope, "method": "GET"}
        begun, status = time.perf_counter(), 500
        most = LARGEST_IMPORT if scope["path"] == "/v1/imports" else LARGEST
        seen = 0

        async def bounded() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, _too_large(most))  # the app turns it into our shape
            return message

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", []), *_HEADERS]
            await send(message)

        try:
            if _declared(scope) > most:
                await self._refuse(scope, noted, 413, _too_large(most))
            elif _wrong_type(scope):
                await self._refuse(scope, noted, 415, "the body must be JSON")
            else:
                await self._app(scope, bounded, noted)
        finally:
            _count(scope, status, time.perf_counter() - begun)

    async def _refuse(self, scope: Scope, send: Send, status: int, message: str) -> None:
        # The rest of the body is not read: nothing else can come over this connection.
        refused = Refused(status, message, headers={"Connection": "close"})
        await self._answer(Request(scope), refused)(scope, _nothing, send)


async def _nothing() -> Message:
    return {"type": "http.disconnect"}


def _too_large(most: int) -> str:
    return f"a request may have {most} bytes at most"


def _declared(scope: Scope) -> int:
    text = _header(scope, b"content-length")
    return int(text) if text.isdigit() else 0


def _wrong_type(scope: Scope) -> bool:
    """Whether the API is sent something else than JSON; forms of other sites are among that."""
    if scope["method"] not in ("POST", "PUT") or not scope["path"].startswith("/v1/"):
        return False
    kind = _header(scope, b"content-type").split(b";")[0].strip().lower()
    if scope["path"] == "/v1/imports":
        return kind != b"application/x-ndjson"
    empty = _header(scope, b"content-length") in (b"", b"0") and not _header(
        scope, b"transfer-encoding"
    )
    return kind != b"application/json" and not empty


def _header(scope: Scope, name: bytes) -> bytes:
    return next((value for key, value in scope["headers"] if key == name), b"")


def _count(scope: Scope, status: int, seconds: float) -> None:
    # The path as it is declared: as it was sent, there would be one for each campaign.
    route = getattr(scope.get("route"), "path", "other")
    metrics.seconds.labels(route, scope["method"], str(status)).observe(seconds)
    if status == 409:
        metrics.conflicts.inc()
