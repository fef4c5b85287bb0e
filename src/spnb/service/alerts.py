"""Alerts out: what happened to a campaign, sent to its webhook, signed, again until it arrives.

Nobody who asks or tells waits for any of this: alerts are noted in the store, and a task of each
process sends what is due. Several processes may look at once; each alert is noted once, and sent
by whoever claims it first. Who receives one twice knows it by its id.
"""

import asyncio
import hmac
import json
import logging
import random
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from hashlib import sha256

import httpx

from spnb.base.errors import SpnbError
from spnb.live import clock
from spnb.live.store import hooks
from spnb.live.store.events import microseconds
from spnb.service.desk import Desk

log = logging.getLogger("spnb.service")
PERIOD = 15.0  # seconds between two looks
SIGNATURE, TIMESTAMP = "Spnb-Signature", "Spnb-Timestamp"
_MINUTE = 60_000_000  # microseconds
_LONGEST_WAIT, _MOST_TRIES = 12 * 60 * _MINUTE, 20  # about five days in all
_TIMEOUT = 10.0
_AT_ONCE = 50


def signature(secret: str, timestamp: str, body: str) -> str:
    """What a receiver computes as well, to know that an alert is from here and not an old one."""
    return hmac.new(secret.encode(), f"{timestamp}.{body}".encode(), sha256).hexdigest()


@asynccontextmanager
async def watching(desk: Desk) -> AsyncIterator[None]:
    """Look after campaigns with a hook, as long as the service runs."""
    task = asyncio.create_task(_watch(desk))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _watch(desk: Desk) -> None:
    async with httpx.AsyncClient(timeout=None, follow_redirects=False) as http:
        while True:
            try:
                await desk.in_thread(partial(notice, desk))
                await deliver(desk, http)
            except Exception as error:  # the store may be away; nobody would miss a task that ends
                _complain("alerts wait", error)
            await asyncio.sleep(PERIOD * random.uniform(0.8, 1.2))  # not all processes at once


def notice(desk: Desk) -> None:
    """Note the alerts of all campaigns that have a hook."""
    for hook in hooks.hooks(desk.store):
        try:
            _notice(desk, hook)
        except Exception as error:  # of this campaign: the others have alerts too
            _complain(f"alerts of campaign {hook.campaign.uid} wait", error)


def _notice(desk: Desk, hook: hooks.Hook) -> None:
    store, who = desk.owned_by(hook.owner), hook.campaign
    for alert in desk.opened(store, who, "alerts").alerts():
        said = {"kind": alert.kind, "message": alert.message, "decision": alert.subject or None}
        body = json.dumps({"campaign": who.name, "uid": who.uid, **said})
        now = microseconds(clock.now())
        hooks.raise_alert(store, who.number, alert.kind, alert.subject, body, now)


def _complain(what: str, error: Exception) -> None:
    """Say in the log what is tried again at the next look."""
    log.warning("%s: %s", what, error, exc_info=not isinstance(error, SpnbError))


async def deliver(desk: Desk, http: httpx.AsyncClient) -> None:
    """Send what is due: to each hook one after the other, to different ones at the same time."""
    due: dict[str, list[hooks.Delivery]] = defaultdict(list)
    for alert in await desk.in_thread(partial(hooks.due, desk.store, microseconds(clock.now()))):
        due[alert.url].append(alert)
    turns = asyncio.Semaphore(_AT_ONCE)
    each = (_deliver(desk, http, alerts, turns) for alerts in due.values())
    for outcome in await asyncio.gather(*each, return_exceptions=True):
        if isinstance(outcome, Exception):
            _complain("alerts wait", outcome)


async def _deliver(
    desk: Desk, http: httpx.AsyncClient, alerts: list[hooks.Delivery], turns: asyncio.Semaphore
) -> None:
    async with turns:
        for alert in alerts:
            again = microseconds(clock.now()) + min(_MINUTE * 2**alert.tries, _LONGEST_WAIT)
            if not await desk.in_thread(partial(hooks.claim, desk.store, alert, again)):
                continue
            arrived = await _sent(http, alert)
            if arrived or alert.tries + 1 >= _MOST_TRIES:
                await desk.in_thread(partial(hooks.settled, desk.store, alert))
            if not arrived:
                return  # nor would the others, and each would take its time: at the next look


async def _sent(http: httpx.AsyncClient, alert: hooks.Delivery) -> bool:
    timestamp = f"{clock.now():%Y-%m-%dT%H:%M:%SZ}"
    body = json.dumps({"id": alert.id, **json.loads(alert.body)})
    headers = {
        "Content-Type": "application/json",
        TIMESTAMP: timestamp,
        SIGNATURE: signature(alert.secret, timestamp, body),
    }
    try:
        # Of the whole exchange, however slowly it goes; and of the answer only how it begins.
        async with (
            asyncio.timeout(_TIMEOUT),
            http.stream("POST", alert.url, content=body, headers=headers) as response,
        ):
            return response.is_success
    except Exception as error:  # whatever a URL does to the client: the next alert is sent
        log.warning("an alert did not arrive (%s)", type(error).__name__)
        return False
