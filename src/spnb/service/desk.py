"""What every route does: see who asks, find the campaign, read or change it, in a thread."""

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import JSONResponse, Response

from spnb.base.errors import ConflictError, GoneError, MissingError
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.store import Identity, Store
from spnb.live.store.events import microseconds
from spnb.live.store.tokens import Token, any_token
from spnb.service.access import Credentials, Guard
from spnb.service.errors import Refused
from spnb.service.writer import Writer

T = TypeVar("T")
_OPEN = 4096  # campaigns kept open
_READERS = 8
_KEPT = 7 * 24 * 3600 * 1_000_000  # microseconds that answers are kept for who repeats a request
_LONGEST_KEY = 200


@dataclass(frozen=True, slots=True)
class Key:
    """A request that may be repeated: its Idempotency-Key, and a mark of what it asks for."""

    text: str
    mark: str


async def key_of(request: Request) -> Key | None:
    """The key that a request brought along."""
    text = request.headers.get("idempotency-key")
    if text is None:
        return None
    if not (1 <= len(text) <= _LONGEST_KEY and text.isprintable()):
        raise Refused(422, f"an Idempotency-Key is 1 to {_LONGEST_KEY} printable characters")
    what = f"{request.method} {request.url.path}?{request.url.query}\n".encode()
    return Key(text, sha256(what + await request.body()).hexdigest())


class Desk:
    """One for each process: the store, who may use it, and the campaigns that are open."""

    def __init__(self, store: Store) -> None:
        self.store, self.guard, self.writer = store, Guard(store), Writer(store)
        self._campaigns: OrderedDict[tuple[str, str, str], Campaign] = OrderedDict()
        self._turn = threading.Lock()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="spnb-reader")

    def close(self) -> None:
        """Finish what was begun."""
        self.writer.close()
        self._readers.shutdown()
        self.store.close()

    async def ready(self) -> None:
        """Fail if the store does not answer."""
        await self._in_thread(lambda: any_token(self.store))

    async def read(self, who: Credentials, do: "Callable[[Caller], T]") -> T:
        """Answer something that changes nothing."""

        def job() -> T:
            return do(Caller(self, self.guard.admit(who)))

        try:
            return await self._in_thread(job)
        except GoneError:
            if not self._forget_all():
                raise
            return await self._in_thread(job)

    async def write(
        self,
        who: Credentials,
        do: "Callable[[Caller], Any]",
        *,
        campaigns: Sequence[str] = (),
        key: Key | None = None,
        status: int = 200,
    ) -> Response:
        """Change these campaigns (their uids), once for each key, and answer when it is durable."""

        def job() -> tuple[int, str]:
            caller = Caller(self, self.guard.admit(who))
            return caller.once(key, status, lambda: do(caller))

        try:
            code, body = await self._written(who, job, campaigns)
        except GoneError:
            if not self._forget_all():
                raise
            code, body = await self._written(who, job, campaigns)
        except ConflictError:
            if key is None:
                raise
            # Somebody sent the same request at the same time: by now it has been answered.
            code, body = await self._written(who, job, campaigns)
        return Response(body, code, media_type="application/json")

    async def _written(self, who: Credentials, job: Callable[[], T], campaigns: Sequence[str]) -> T:
        numbers: list[int] = []
        if not self.store.alone and campaigns:  # there, rows are locked in one order
            numbers = await self._in_thread(lambda: self._numbers(who, campaigns))
        return await asyncio.wrap_future(self.writer.submit(job, numbers))

    async def _in_thread(self, do: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._readers, do)

    def _numbers(self, who: Credentials, campaigns: Sequence[str]) -> list[int]:
        caller = Caller(self, self.guard.admit(who))
        found = (caller.find(uid) for uid in dict.fromkeys(campaigns))
        return [campaign.number for campaign in found if campaign is not None]

    def kept(self, store: Store, uid: str, actor: str) -> Campaign | None:
        """A campaign that is open already."""
        with self._turn:
            found = self._campaigns.get((store.owner, uid, actor))
            if found is not None:
                self._campaigns.move_to_end((store.owner, uid, actor))
            return found

    def opened(self, store: Store, who: Identity, actor: str) -> Campaign:
        """A campaign, kept open: it remembers where it stood."""
        campaign = self.kept(store, who.uid, actor) or Campaign.open(store, who.name, actor=actor)
        with self._turn:
            self._campaigns[store.owner, who.uid, actor] = campaign
            if len(self._campaigns) > _OPEN:
                self._campaigns.popitem(last=False)
        return campaign

    def _forget_all(self) -> bool:
        """Open all campaigns anew: one is gone, or has come back. Whether any was open."""
        with self._turn:
            known = bool(self._campaigns)
            self._campaigns.clear()
        return known


class Caller:
    """Who asks, with what they can reach."""

    def __init__(self, desk: Desk, token: Token) -> None:
        self.desk, self.token = desk, token
        self.store = desk.store.owned_by(token.owner)
        self.actor = token.name

    def find(self, uid: str) -> Campaign | None:
        """The campaign of this uid, if the token reaches it."""
        found = self.desk.kept(self.store, uid, self.actor)
        if found is None:
            with self.store.reading() as tx:
                who = tx.named(uid)
            found = None if who is None else self.desk.opened(self.store, who, self.actor)
        return found if found is not None and self.token.reaches(found.name) else None

    def campaign(self, uid: str) -> Campaign:
        """The campaign of this uid; what the token does not reach is not there."""
        found = self.find(uid)
        if found is None:
            raise MissingError(f"there is no campaign {uid!r}")
        return found

    def named(self, name: str) -> Campaign | None:
        """The campaign of this name, if there is one and the token reaches it."""
        with self.store.reading() as tx:
            who = tx.find(name)
        if who is None or not self.token.reaches(name):
            return None
        return self.desk.opened(self.store, who, self.actor)

    def unlimited(self) -> None:
        """Refuse a token that is limited to some campaigns."""
        if self.token.campaigns is not None:
            raise Refused(403, "a token that is limited to some campaigns may not do this")

    def once(self, key: Key | None, status: int, do: Callable[[], Any]) -> tuple[int, str]:
        """Do it, unless it was done before under this key: then the answer is the same."""
        if key is None:
            return status, _json(do())
        with self.store.reading() as tx:
            before = tx.answer(key.text)
        if before is not None:
            mark, code, body = before
            if mark != key.mark:
                raise Refused(422, f"the Idempotency-Key {key.text!r} was used for something else")
            return code, body
        body, now = _json(do()), microseconds(clock.now())
        with self.store.writing() as tx:
            tx.keep_answer(key.text, key.mark, status, body, now)
            tx.forget_answers(now - _KEPT)
        return status, body


def _json(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False)


def json_response(answer: Any, status: int = 200) -> JSONResponse:
    """An answer that was read, not written."""
    return JSONResponse(answer, status)
