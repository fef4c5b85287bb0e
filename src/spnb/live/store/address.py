"""Store URLs: read with care, and never shown with what is secret in them."""

import re
from typing import Any

from sqlalchemy import URL, exc, make_url

from spnb.base.errors import SpecError

_RULE = "a store is sqlite:///file.db or postgresql://user@host:port/database"
_HOST = re.compile(r"[\w.:%-]*")
_DATABASE = re.compile(r"[^@:]*")
_SETTING = re.compile(r"\w+")  # a driver quotes the names that it does not know


def checked(text: str) -> tuple[URL, dict[str, Any]]:
    """A URL without its query, and the settings that the query holds; errors quote nothing.

    Even what is no password where it should be may be (a part of) one.
    """
    try:
        url = make_url(text)
    except (exc.ArgumentError, ValueError, TypeError):
        raise SpecError(f"{_RULE}; what was given is neither (it may hold a password)") from None
    settings = {key: value for key, value in url.query.items() if isinstance(value, str)}
    if len(settings) < len(url.query):
        raise SpecError(f"{_RULE}, every setting given once")
    bare = url.set(query={})
    if bare.drivername in ("postgresql", "postgres", "postgresql+psycopg"):
        return _server(bare.set(drivername="postgresql+psycopg"), settings)
    if bare.drivername != "sqlite":
        raise SpecError(f"{_RULE}; other databases are not supported")
    if bare.username or bare.password or bare.host or bare.port:
        raise SpecError(
            "a store in SQLite is sqlite:///file.db: three slashes, and no user or host"
        )
    if "\0" in (bare.database or ""):
        raise SpecError("the name of a file cannot hold a NUL")
    return bare, settings


def _server(url: URL, settings: dict[str, Any]) -> tuple[URL, dict[str, Any]]:
    odd = (
        (url.port is not None and not 0 < url.port < 2**16)
        or not _HOST.fullmatch(url.host or "")
        or not _DATABASE.fullmatch(url.database or "")
        or "@" in (url.username or "")
        or not all(map(_SETTING.fullmatch, settings))
    )
    if odd:
        raise SpecError(f"{_RULE}, port 1 to 65535; a password's @ : / ? must be percent-encoded")
    return url, settings


def shown(url: URL) -> str:
    """A URL that may be printed; not even the user, which may be a password in the wrong place."""
    if url.get_backend_name() == "sqlite":
        # Somebody may have put a server's address behind the wrong scheme.
        name = re.sub(r":.*@", ":***@", url.database or "", flags=re.DOTALL)
        return f"sqlite:///{name}"
    user, port = "***@" if url.username else "", f":{url.port}" if url.port else ""
    return f"postgresql://{user}{url.host or ''}{port}/{url.database or ''}"


def scrubbed(message: str, url: URL) -> str:
    """A server's message without the user and the password that it may quote."""
    for secret in (url.password, url.username):
        if secret and len(str(secret)) >= 3:
            message = message.replace(str(secret), "***")
    return message
