"""Tokens: who may use the service, and for what. Only hashes of them are kept."""

import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Literal, get_args

from spnb.base.errors import DataError, SpecError
from spnb.base.words import shown
from spnb.live import clock
from spnb.live.store.events import instant, microseconds
from spnb.live.store.store import Store

Scope = Literal["read", "write", "admin"]
SCOPES: tuple[str, ...] = get_args(Scope)  # each may do what those before it may
_MARK = "spnb"
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Token:
    """What a token allows: a scope, for all campaigns of its owner or only for those named."""

    id: str
    owner: str
    name: str
    scope: Scope
    campaigns: tuple[str, ...] | None
    created: datetime
    expires: datetime | None
    revoked: datetime | None

    def allows(self, scope: str) -> bool:
        """Whether the scope is within that of the token."""
        return SCOPES.index(scope) <= SCOPES.index(self.scope)

    def reaches(self, campaign: str) -> bool:
        """Whether the token is good for the campaign of this name."""
        return self.campaigns is None or campaign in self.campaigns

    def valid(self, now: datetime) -> bool:
        """Neither revoked nor expired."""
        return self.revoked is None and (self.expires is None or now < self.expires)


def new_token(
    store: Store,
    name: str,
    scope: str,
    campaigns: Sequence[str] | None = None,
    lasts: timedelta | None = None,
) -> tuple[str, Token]:
    """A new token of the store's owner: its text, which is shown this once, and what it allows."""
    fits = isinstance(name, str) and name.isprintable() and 1 <= len(name.strip()) <= _LONGEST
    if not fits:
        raise SpecError(f"the name of a token is 1 to {_LONGEST} printable characters")
    if scope not in SCOPES:
        raise SpecError(f"a scope is one of {', '.join(SCOPES)}, got {shown(scope)}")
    if campaigns is not None and (isinstance(campaigns, str) or not campaigns):
        raise SpecError("a token is limited to a list of campaigns, at least one")
    id_, now = secrets.token_hex(6), clock.now()
    text = f"{_MARK}_{id_}_{secrets.token_urlsafe(32)}"
    named = None if campaigns is None else tuple(campaigns)
    expires = None if lasts is None else now + lasts
    token = Token(id_, store.owner, name.strip(), scope, named, now, expires, None)  # type: ignore[arg-type]  # just seen to be a scope
    with store.writing() as tx:
        tx.add_token(_row(token, _hash(text)))
    return text, token


def tokens_of(store: Store) -> list[Token]:
    """All tokens of the store's owner, revoked ones too, the oldest first."""
    with store.reading() as tx:
        return [_token(row) for row in tx.tokens()]


def revoke(store: Store, id_: str) -> None:
    """The token is good for nothing from now on."""
    with store.writing() as tx:
        if not tx.revoke_token(id_, microseconds(clock.now())):
            raise DataError(f"there is no token {shown(id_)} that could be revoked")


def any_token(store: Store) -> bool:
    """Whether anybody was ever given a token, by any owner: then nobody gets in without one."""
    with store.reading() as tx:
        return tx.any_token()


def found(store: Store, text: str) -> Token | None:
    """The token of this text, if it is good at this moment."""
    parts = text.split("_", 2)
    if len(text) > _LONGEST or len(parts) != 3 or parts[0] != _MARK or not text.isascii():
        return None
    with store.reading() as tx:
        row = tx.token(parts[1])
    # Compared in constant time, and also where there is nothing to compare with.
    same = hmac.compare_digest(_hash(text), "" if row is None else row[3])
    if row is None or not same:
        return None
    token = _token(row)
    return token if token.valid(clock.now()) else None


def _hash(text: str) -> str:
    """A token is 256 random bits: nobody tries them all, so a plain hash is enough."""
    return sha256(text.encode()).hexdigest()


def _row(token: Token, hash_: str) -> dict[str, Any]:
    times = {name: getattr(token, name) for name in ("created", "expires", "revoked")}
    return {
        "id": token.id,
        "owner": token.owner,
        "name": token.name,
        "hash": hash_,
        "scope": token.scope,
        "campaigns": None if token.campaigns is None else json.dumps(token.campaigns),
    } | {name: None if time is None else microseconds(time) for name, time in times.items()}


def _token(row: Sequence[Any]) -> Token:
    id_, owner, name, _, scope, campaigns, *times = row
    named = None if campaigns is None else tuple(json.loads(campaigns))
    return Token(id_, owner, name, scope, named, *map(_time, times))  # type: ignore[arg-type]  # a token is always created


def _time(at: int | None) -> datetime | None:
    return None if at is None else instant(at)
