"""Open pages are told when there is something new (server-sent events), and fetch it themselves.

A stream says a mark of what there is to see: whoever comes back after a lost connection compares it
with what the page shows. It ends when the token is no longer good and when the service stops.
"""

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import StreamingResponse

from spnb.base.errors import SpnbError
from spnb.service.access import Credentials
from spnb.service.desk import Caller, Desk
from spnb.service.errors import Refused
from spnb.service.routes.common import AtDesk, CampaignUid, Reader

router = APIRouter(include_in_schema=False)
_PAUSE = 1.0  # seconds between two looks into the store
_SIGN_OF_LIFE = 15  # looks after which something is said in any case

Mark = Callable[[Caller], str]


def mark_of_all(caller: Caller) -> str:
    """A mark of all campaigns that the caller reaches, and of how far each has come."""
    with caller.store.reading() as tx:
        seen = [(name, at) for name, at in tx.versions() if caller.token.reaches(name)]
    return sha256(repr(seen).encode()).hexdigest()[:16]


@router.get("/stream")
async def of_all(request: Request, who: Reader, desk: AtDesk) -> StreamingResponse:
    """Something of any campaign is new."""
    return await _stream(request, who, desk, mark_of_all)


@router.get("/campaigns/{campaign}/stream")
async def of_one(
    request: Request, campaign: CampaignUid, who: Reader, desk: AtDesk
) -> StreamingResponse:
    """Something of this campaign is new."""

    def mark(caller: Caller) -> str:
        caller.campaign(campaign)  # whoever does not reach it, is not told of it
        with caller.store.reading() as tx:
            return str(tx.version(campaign))

    return await _stream(request, who, desk, mark)


@contextmanager
def ending_with(app: FastAPI) -> Iterator[None]:
    """Streams of this app end when the process is told to stop: nobody waits for them."""
    app.state.stopping = stopping = asyncio.Event()
    if threading.current_thread() is threading.main_thread():
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            before = signal.getsignal(number)

            def stop(number: int, frame: Any, before: Any = before) -> None:
                loop.call_soon_threadsafe(stopping.set)
                if callable(before):
                    before(number, frame)

            signal.signal(number, stop)
    try:
        yield
    finally:
        stopping.set()


async def _stream(request: Request, who: Credentials, desk: Desk, mark: Mark) -> StreamingResponse:
    first = await desk.read(who, mark)  # who may not look gets a refusal, not a stream
    stopping: asyncio.Event = request.app.state.stopping

    async def told() -> AsyncIterator[str]:
        seen, quiet = first, 0
        yield f"data: {first}\n\n"
        while not stopping.is_set():
            await _rest(stopping)
            try:
                now = await desk.read(who, mark)
            except (Refused, SpnbError):
                return  # the page will ask again, and be told why
            quiet = quiet + 1 if now == seen else 0
            if now != seen or quiet >= _SIGN_OF_LIFE:
                seen, quiet = now, 0
                yield f"data: {now}\n\n"

    headers = {"X-Accel-Buffering": "no"}  # nginx would hold the news back
    return StreamingResponse(told(), media_type="text/event-stream", headers=headers)


async def _rest(stopping: asyncio.Event) -> None:
    try:
        await asyncio.wait_for(stopping.wait(), _PAUSE)
    except TimeoutError:
        return
