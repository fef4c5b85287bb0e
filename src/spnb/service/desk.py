"""What every route does: see who asks, find the campaign, read or change it, in a thread."""

import asyncio
import json
import threading
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from fastapi import Header, Request
from fastapi.responses import Response

from spnb.base.errors import ConflictError, MissingError
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.campaign.reference import campaign_part, number_in
from spnb.live.store import Identity, Later, SharedTransaction, Store
from spnb.live.store.events import microseconds
from spnb.live.store.tokens import Token, any_token
from spnb.service.access import Credentials, Guard
from spnb.service.errors import Refused
from spnb.service.writer import LATER, Outcome, Writer

T = TypeVar("T")
_OPEN = 4096  # campaigns kept open
_READERS, _LONG = 8, 2  # threads
_KEPT = 7 * 24 * 3600 * 1_000_000  # microseconds that answers are kept for who repeats a request
_KEY, _LONGEST_KEY = "Idempotency-Key", 200
_KEY_LENGTH: dict[str, Any] = {"minLength": 1, "maxLength": _LONGEST_KEY}
_KEY_WORDS = "Of your own, for this request: sent again with it, it is answered the same"


@dataclass(frozen=True, slots=True)
class Key:
    """A request that may be repeated: its Idempotency-Key, and a mark of what it asks for."""

    text: str
    mark: str


async def key_of(
    request: Request,
    _: Annotated[  # for the API's description: asks and rewards are not read by the framework
        str | None,
        Header(alias=_KEY, description=_KEY_WORDS, json_schema_extra=_KEY_LENGTH),
    ] = None,
) -> Key | None:
    """The key that a request brought along."""
    text = request.headers.get(_KEY)
    if text is None:
        return None
    if not (1 <= len(text) <= _LONGEST_KEY and text.isprintable()):
        raise Refused(422, f"an {_KEY} is 1 to {_LONGEST_KEY} printable characters")
    # Not the URL: if the Host makes no sense, there is none.
    what = f"{request.method} {request.scope['path']}?".encode() + request.scope["query_string"]
    return Key(text, sha256(what + b"\n" + await request.body()).hexdigest())


@dataclass(frozen=True, slots=True)
class Job:
    """A change that somebody asks for.

    It is known in advance which campaigns it is about, and which decisions rewards are told to
    (which name their campaigns as well), both by their uids.
    """

    who: Credentials
    do: "Callable[[Caller], Any]"
    campaigns: Sequence[str] = ()
    decisions: Sequence[str] = ()
    key: Key | None = None
    status: int = 200

    def uids(self) -> list[str]:
        """The campaigns it is about."""
        return [*self.campaigns, *map(campaign_part, self.decisions)]


class Desk:
    """One for each process: the store, who may use it, and the campaigns that are open."""

    def __init__(self, store: Store) -> None:
        self.store, self.guard = store, Guard(store)
        self.writer: Writer[Job] = Writer(self._together, self._alone)
        self._campaigns: OrderedDict[tuple[Identity, str], Campaign] = OrderedDict()
        self._stores: dict[str, Store] = {}
        self._turn = threading.Lock()
        self._readers = ThreadPoolExecutor(_READERS, thread_name_prefix="spnb-reader")
        self._long = ThreadPoolExecutor(_LONG, thread_name_prefix="spnb-long")

    def close(self) -> None:
        """Finish what was begun."""
        self.writer.close()
        self._readers.shutdown()
        self._long.shutdown()
        self.store.close()

    async def ready(self) -> None:
        """Fail if the store does not answer."""
        await self.in_thread(lambda: any_token(self.store))

    async def read(self, who: Credentials, do: "Callable[[Caller], T]") -> T:
        """Answer something that changes nothing."""
        return await self.in_thread(lambda: do(self._caller(who)))

    async def study(self, who: Credentials, do: "Callable[[Caller], T]") -> T:
        """The same for what may take minutes (a whole log): it keeps no other reader waiting."""
        return await self.in_thread(lambda: do(self._caller(who)), self._long)

    async def write(self, who: Credentials, do: "Callable[[Caller], Any]", **more: Any) -> Response:
        """Change campaigns, once for each key, and answer when it is durable.

        ``more`` is what else a ``Job`` says.
        """
        return await self._answered(Job(who, do, **more), self.writer.submit)

    async def write_slowly(
        self, who: Credentials, do: "Callable[[Caller], Any]", **more: Any
    ) -> Response:
        """The same for what may take minutes before it writes: it keeps no other writer waiting."""

        def submit(job: Job) -> Awaitable[tuple[int, str]]:
            return self.study(who, lambda caller: caller.once(job))

        return await self._answered(Job(who, do, **more), submit)

    async def _answered(
        self, job: Job, submit: Callable[[Job], Awaitable[tuple[int, str]]]
    ) -> Response:
        try:
            code, body = await submit(job)
        except ConflictError:
            if job.key is None:
                raise
            # Somebody sent the same request at the same time: by now it has been answered.
            code, body = await submit(job)
        return Response(body, code, media_type="application/json")

    def _together(self, jobs: Sequence[Job]) -> list[Outcome]:
        """Do many jobs in one transaction; what would have to wait is left for later."""
        with self.store.together(crowded=True) as shared:
            callers = [outcome_of(partial(self._caller, job.who)) for job in jobs]
            pairs = list(zip(jobs, callers, strict=True))
            if not self.store.alone:
                _reserve(shared, [(job, who) for job, who in pairs if isinstance(who, Caller)])
            return [
                outcome_of(partial(who.once, job)) if isinstance(who, Caller) else who
                for job, who in pairs
            ]

    def _alone(self, job: Job) -> tuple[int, str]:
        """Do one job, however long it has to wait."""
        caller = self._caller(job.who)
        if self.store.alone:
            return caller.once(job)
        known = caller.find_many(job.uids())
        with self.store.together(campaign.number for campaign in known.values()):
            return self._caller(job.who).once(job)

    def _caller(self, who: Credentials) -> "Caller":
        return Caller(self, self.guard.admit(who))

    def owned_by(self, owner: str) -> Store:
        """The store as an owner sees it."""
        found = self._stores.get(owner)
        if found is None:
            found = self._stores[owner] = self.store.owned_by(owner)
        return found

    async def in_thread(self, do: Callable[[], T], pool: ThreadPoolExecutor | None = None) -> T:
        """Do something that waits for the store."""
        return await asyncio.get_running_loop().run_in_executor(pool or self._readers, do)

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


def _reserve(shared: SharedTransaction, admitted: "Sequence[tuple[Job, Caller]]") -> None:
    """Lock and read at once what will be needed: a server makes one wait for every statement."""
    held = shared.take({(who.store.owner, uid) for job, who in admitted for uid in job.uids()})
    told = [
        (held[place].number, number_in(text))
        for job, who in admitted
        for text in job.decisions
        if (place := (who.store.owner, campaign_part(text))) in held
    ]
    shared.recall(told)


def outcome_of(do: Callable[[], Any]) -> Outcome:
    """What comes of doing something, among others."""
    try:
        return do()
    except Later:
        return LATER
    except Exception as error:  # it belongs to whoever asked for this
        return error


class Caller:
    """Who asks, with what they can reach."""

    def __init__(self, desk: Desk, token: Token) -> None:
        self.desk, self.token = desk, token
        self.store = desk.owned_by(token.owner)
        self.actor = token.name
        self._found: dict[str, Campaign] = {}

    def find_many(self, uids: Sequence[str]) -> dict[str, Campaign]:
        """The campaigns of these uids, as far as there are any and the token reaches them."""
        with self.store.reading() as tx:
            found = tx.named_many(uids)
        reached = [who for who in found if self.token.reaches(who.name)]
        opened = {who.uid: self.desk.opened(self.store, who, self.actor) for who in reached}
        self._found |= opened
        return opened

    def campaign(self, uid: str) -> Campaign:
        """The campaign of this uid; what the token does not reach is not there."""
        found = self._found.get(uid) or self.find_many([uid]).get(uid)
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

    def once(self, job: Job) -> tuple[int, str]:
        """Do it, unless it was done before under this key: then the answer is the same."""
        key = job.key
        if key is None:
            return job.status, _json(job.do(self))
        # A token's keys are its own: what another one was answered may be none of its business.
        kept = sha256(f"{self.token.id} {key.text}".encode()).hexdigest()
        with self.store.reading() as tx:
            before = tx.answer(kept)
        if before is not None:
            mark, code, body = before
            if mark != key.mark:
                raise Refused(422, f"the {_KEY} {key.text!r} was used for something else")
            return code, body
        body, now = _json(job.do(self)), microseconds(clock.now())
        with self.store.writing() as tx:
            tx.keep_answer(kept, key.mark, job.status, body, now)
            if key.mark.startswith("00"):  # now and then
                tx.forget_answers(now - _KEPT)
        return job.status, body


_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
