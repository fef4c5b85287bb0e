"""Who is asking, and what they may do.

A token comes with every request of a program (``Authorization: Bearer``) and in a cookie of the
dashboard. It is looked up each time, so one that was revoked is dead at once. On this machine, as
long as nobody was ever given a token, the service is open to everybody here.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request

from spnb.live.store import Store
from spnb.live.store.tokens import Scope, Token, any_token, found
from spnb.service.errors import Refused
from spnb.service.patience import Patience

TOKEN = "spnb_token"  # the cookie of the dashboard
_HERE = Token("local", "", "local", "admin", None, datetime(1970, 1, 1, tzinfo=UTC), None, None)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request brought along to show who sent it; nothing has been looked up yet."""

    text: str | None
    scope: Scope
    address: str
    open_here: bool  # without a token, but to this machine and under one of its own names


class Needs:
    """A route's need for a scope. Every route of the API declares one."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    async def __call__(self, request: Request) -> Credentials:
        """What the request brought along; async, or it would be called in a thread."""
        return credentials_of(request, self.scope)


def credentials_of(request: Request, scope: Scope) -> Credentials:
    """What a request brought along, for something that needs this scope."""
    check_origin(request)
    kind, _, text = request.headers.get("authorization", "").partition(" ")
    given = text.strip() if kind.lower() == "bearer" else request_cookie(request, TOKEN)
    address = request.client.host if request.client else ""
    return Credentials(given, scope, address, given is None and _is_local(request))


def cookie_name(request: Request, name: str) -> str:
    """A cookie's name at this service: of two on one machine, at two ports, each has its own."""
    _, port = _sent_to(request)
    return name if port is None else f"{name}_{port}"


def request_cookie(request: Request, name: str) -> str | None:
    """What a browser sent along under this name."""
    # A program sends none, and asks so often that its address is not taken apart for this.
    return request.cookies.get(cookie_name(request, name)) if request.cookies else None


class Guard:
    """Turns credentials into the token they stand for, or refuses."""

    def __init__(self, store: Store) -> None:
        self._store, self._failures = store, Patience()

    def admit(self, credentials: Credentials) -> Token:
        """The token behind a request, if it is good and allows what is asked for."""
        if credentials.text is None:
            if not credentials.open_here or any_token(self._store):
                raise Refused(401, "this needs a token", headers={"WWW-Authenticate": "Bearer"})
            return _HERE
        self._failures.check(credentials.address)
        token = found(self._store, credentials.text)
        if token is None:
            self._failures.failed(credentials.address)
            raise Refused(
                401,
                "this token is not known here, or no longer good",
                headers={"WWW-Authenticate": "Bearer"},
            )
        if not token.allows(credentials.scope):
            raise Refused(403, f"this needs a token of scope {credentials.scope!r}")
        return token


def check_origin(request: Request) -> None:
    """Refuse what a page of another site makes a browser send."""
    origin = request.headers.get("origin")
    if origin is not None and not _is_ours(origin, request.headers.get("host")):
        raise Refused(403, "this comes from a page of another site")
    if request.headers.get("sec-fetch-site") == "cross-site" and request.method != "GET":
        raise Refused(403, "this comes from a page of another site")


def _is_ours(origin: str, host: str | None) -> bool:
    """Whether a page's origin is this service; what cannot be read is not."""
    try:
        return urlsplit(origin).netloc == host != ""
    except ValueError:
        return False


def _sent_to(request: Request) -> tuple[str, int | None]:
    """The name and port that a request was sent to; no name if they cannot be read."""
    try:
        parts = urlsplit(f"//{request.headers.get('host', '')}")
        return parts.hostname or "", parts.port
    except ValueError:
        return "", None


@lru_cache(1024)
def is_loopback(host: str) -> bool:
    """Whether a host's name or address means this machine only."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _is_local(request: Request) -> bool:
    """Sent to this machine, from this machine, and under a name that means it.

    The name counts: a site's name may be made to point here, and the browser would believe it.
    """
    server: Any = request.scope.get("server")
    client = request.client.host if request.client else ""
    name, _ = _sent_to(request)
    proxied = "x-forwarded-for" in request.headers or "forwarded" in request.headers
    return bool(server and is_loopback(client) and is_loopback(name) and not proxied)
