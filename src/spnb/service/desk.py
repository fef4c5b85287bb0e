"""What every route does: see who asks, find the campaign, read or change it, in a thread."""

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import Response

from spnb.base.errors import ConflictError, MissingError
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.campaign.reference import number_in
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
        self._campaigns: OrderedDict[tuple[Identity, str], Campaign] = OrderedDict()
        self._turn = threading.Lock()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="spnb-reader")

    def close(self) -> None:
        """Finish what was begun."""
        self.writer.close()
        self._readers.shutdown()
        self.store.close()

    async def ready(self) -> None:
        """Fail if the store does not answer."""
        await self.in_thread(lambda: any_token(self.store))

    async def read(self, who: Credentials, do: "Callable[[Caller], T]") -> T:
        """Answer something that changes nothing."""
        return await self.in_thread(lambda: do(Caller(self, self.guard.admit(who))))

    async def write(
        self,
        who: Credentials,
        do: "Callable[[Caller], Any]",
        *,
        campaigns: Sequence[str] = (),
        decisions: Sequence[str] = (),
        key: Key | None = None,
        status: int = 200,
    ) -> Response:
        """Change these campaigns (their uids), once for each key, and answer when it is durable.

        ``decisions`` (their uids, which name campaigns as well) are those that rewards are told to.
        """

        def job(known: Mapping[str, Campaign]) -> tuple[int, str]:
            caller = Caller(self, self.guard.admit(who), known)
            return caller.once(key, status, lambda: do(caller))

        try:
            code, body = await self._written(who, job, campaigns, decisions)
        except ConflictError:
            if key is None:
                raise
            # Somebody sent the same request at the same time: by now it has been answered.
            code, body = await self._written(who, job, campaigns, decisions)
        return Response(body, code, media_type="application/json")

    async def _written(
        self,
        who: Credentials,
        job: Callable[[Mapping[str, Campaign]], T],
        campaigns: Sequence[str],
        decisions: Sequence[str],
    ) -> T:
        if self.store.alone:
            return await asyncio.wrap_future(self.writer.submit(lambda: job({})))
        # A server is told in advance what will be needed: it locks and reads all of it at once.
        named = [(text.partition("-")[0], text) for text in decisions]
        uids = list(dict.fromkeys([*campaigns, *(uid for uid, _ in named)]))
        known = await self.in_thread(lambda: Caller(self, self.guard.admit(who)).find_many(uids))
        told = [(known[uid].number, number_in(text)) for uid, text in named if uid in known]
        numbers = [campaign.number for campaign in known.values()]
        return await asyncio.wrap_future(self.writer.submit(lambda: job(known), numbers, told))

    async def in_thread(self, do: Callable[[], T]) -> T:
        """Do something that waits for the store."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, do)

    def opened(self, store: Store, who: Identity, actor: str) -> Campaign:
        """A campaign, kept open: it remembers where it stood."""
        place = (who, actor)  # one that was deleted and brought back is another
        with self._turn:
            campaign = self._campaigns.get(place)
            if campaign is not None:
                self._campaigns.move_to_end(place)
                return campaign
        campaign = Campaign.open(store, who.name, actor=actor)
        with self._turn:
            self._campaigns[place] = campaign
            if len(self._campaigns) > _OPEN:
                self._campaigns.popitem(last=False)
        return campaign


class Caller:
    """Who asks, with what they can reach."""

    def __init__(
        self, desk: Desk, token: Token, known: Mapping[str, Campaign] = MappingProxyType({})
    ) -> None:
        self.desk, self.token, self._known = desk, token, known
        self.store = desk.store.owned_by(token.owner)
        self.actor = token.name

    def find_many(self, uids: Sequence[str]) -> dict[str, Campaign]:
        """The campaigns of these uids, as far as there are any and the token reaches them."""
        with self.store.reading() as tx:
            found = tx.named_many(uids)
        reached = [who for who in found if self.token.reaches(who.name)]
        return {who.uid: self.desk.opened(self.store, who, self.actor) for who in reached}

    def campaign(self, uid: str) -> Campaign:
        """The campaign of this uid; what the token does not reach is not there."""
        found = self._known.get(uid) or self.find_many([uid]).get(uid)
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
            if key.mark.startswith("00"):  # now and then
                tx.forget_answers(now - _KEPT)
        return status, body


def _json(answer: Any) -> str:
    return json.dumps(answer, ensure_ascii=False, allow_nan=False)
