"""The same client, for programs that do other things while they wait."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from types import TracebackType
from typing import Any, TypeVar

import httpx

from spnb.base.errors import SpnbError
from spnb.client import calls
from spnb.client.calls import AskOf, Call, RewardOf
from spnb.client.transport import (
    ATTEMPTS,
    arguments,
    is_final,
    result,
    settings,
    unreached,
    wait_before,
)
from spnb.engine.blocks import Progress
from spnb.live.campaign import Config, Decision, Offer, Outline, Status, Told, Verdict
from spnb.live.store import Event, Pending

T = TypeVar("T")


class AsyncClient:
    """A service at a URL. ``token`` is that of ``SPNB_TOKEN`` if left out.

    What could not be sent is sent again: every change is made once, however often it is sent.
    """

    def __init__(self, url: str, token: str | None = None) -> None:
        self._http = httpx.AsyncClient(**settings(url, token))

    async def do(self, call: Call[T]) -> T:
        """Send a call and read its answer."""
        for attempt in range(ATTEMPTS):
            try:
                response = await self._http.request(**arguments(call))
                if is_final(response) or attempt == ATTEMPTS - 1:
                    answer: T = result(call, response)
                    return answer
            except httpx.TransportError as error:
                if attempt == ATTEMPTS - 1:
                    raise unreached(error) from error
            await asyncio.sleep(wait_before(attempt))
        raise AssertionError  # the last attempt returns or raises

    async def create(self, name: str, **given: Any) -> "AsyncRemoteCampaign":
        """Begin a campaign; the arguments are those of the API (``schedule`` is a dictionary)."""
        call = calls.write("/v1/campaigns", lambda answer: answer["uid"], {"name": name, **given})
        return AsyncRemoteCampaign(self, await self.do(call), name)

    async def begin(self, name: str, config: Config) -> "AsyncRemoteCampaign":
        """Begin a campaign of this configuration."""
        return await self.create(name, config=config.to_dict())

    async def campaign(self, name: str) -> "AsyncRemoteCampaign":
        """The campaign of this name."""
        call = Call("GET", "/v1/campaigns", lambda a: calls.named(a, name), query={"name": name})
        return AsyncRemoteCampaign(self, await self.do(call), name)

    async def campaigns(self) -> AsyncIterator[Outline]:
        """All campaigns that the token reaches, by name."""
        after: str | None = ""
        while after is not None:
            call = Call("GET", "/v1/campaigns", dict, query={"after": after, "limit": 200})
            page = await self.do(call)
            for item in page["items"]:
                yield calls.outline(item)
            after = page["next"]

    async def ask_many(self, asks: Iterable[AskOf]) -> list[Decision | SpnbError]:
        """Many asks in one commit; each is answered, or refused by itself."""
        return await self.do(calls.ask_many(asks))

    async def tell_many(self, rewards: Iterable[RewardOf]) -> list[Told | SpnbError]:
        """Many rewards in one commit; each is taken, or refused by itself."""
        return await self.do(calls.tell_many(rewards))

    async def import_(self, lines: Iterable[str], name: str | None = None) -> "AsyncRemoteCampaign":
        """Bring in an exported campaign; it is verified on the way."""
        answer = await self.do(calls.bring_in(lines, name))
        return AsyncRemoteCampaign(self, answer["uid"], answer["name"])

    async def close(self) -> None:
        """Let go of the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()


class AsyncRemoteCampaign:
    """A campaign of a service, with the methods of ``Campaign``."""

    def __init__(self, client: AsyncClient, uid: str, name: str) -> None:
        self._client, self.uid, self.name = client, uid, name
        self._path = f"/v1/campaigns/{uid}"

    async def _get(self, what: str, read: Any, **query: Any) -> Any:
        given = {name: value for name, value in query.items() if value is not None}
        return await self._client.do(Call("GET", f"{self._path}{what}", read, query=given))

    async def _turn(self, verb: str) -> Outline:
        return await self._client.do(calls.write(f"{self._path}/{verb}", calls.outline))

    async def show(self) -> dict[str, Any]:
        """What the campaign was begun with, and where it stands."""
        answer: dict[str, Any] = await self._get("", dict)
        return answer

    async def config(self) -> Config:
        """What the campaign was begun with."""
        return calls.config(await self.show())

    async def offer(self, arm: str | None = None, at: datetime | str | int | None = None) -> Offer:
        """What an ask would be about; nothing is decided."""
        found: Offer = await self._get("/offer", calls.offer, arm=arm, **calls.when(at))
        return found

    async def ask(
        self,
        arm: str | None = None,
        at: datetime | str | int | None = None,
        *,
        ahead: bool = False,
    ) -> Decision:
        """Pull now? The same offer always gets the same answer.

        ``at`` is a time or a round; left out, the offer is the one that is on now.
        """
        named = calls.when(at) or calls.named_by(await self.offer(arm))
        return await self._client.do(calls.ask(self.uid, arm, named, ahead=ahead))

    async def tell(
        self,
        decision: Decision | int | str | None = None,
        *,
        reward: float | None = None,
        value: float | None = None,
        wins: int | None = None,
        trials: int | None = None,
    ) -> Told:
        """What came of a pull, the latest one if none is named; late or twice does no harm."""
        worth = {"reward": reward, "value": value, "wins": wins, "trials": trials}
        which = await self._which(decision)
        return await self._client.do(calls.tell(self.uid, "rewards", which, worth))

    async def correct(
        self,
        decision: Decision | int | str,
        *,
        reward: float | None = None,
        value: float | None = None,
        wins: int | None = None,
        trials: int | None = None,
        lost: bool = False,
    ) -> Told:
        """Replace a wrong reward, or take it back (``lost=True``). Past decisions stand."""
        worth = {"reward": reward, "value": value, "wins": wins, "trials": trials, "lost": lost}
        which = await self._which(decision)
        return await self._client.do(calls.tell(self.uid, "corrections", which, worth))

    async def lost(self, decision: Decision | int | str | None = None) -> Told:
        """The reward of this pull will never come; if it does, it is still welcome."""
        return await self._client.do(
            calls.tell(self.uid, "losses", await self._which(decision), {})
        )

    async def _which(self, decision: Decision | int | str | None) -> str:
        return calls.which(await self.latest_pull() if decision is None else decision)

    async def latest_pull(self) -> int | None:
        """The number of the latest decision to pull."""
        number: int | None = (await self.show())["latest_pull"]
        return number

    async def pending(self) -> list[Pending]:
        """The pulls whose reward is still to come."""
        return list((await self.status()).pending)

    async def give_up_after(self, lost_after: str) -> None:
        """From now on give up on a reward that has not come by then: ``"2d"``."""
        body = {"lost_after": lost_after}
        await self._client.do(calls.write(f"{self._path}/limit", calls.outline, body))

    async def pause(self) -> Outline:
        """Answer every new offer with pass, until resumed."""
        return await self._turn("pause")

    async def resume(self) -> Outline:
        """Go on after a pause."""
        return await self._turn("resume")

    async def close(self) -> Outline:
        """No more pulls, ever; rewards are still welcome."""
        return await self._turn("close")

    async def void(self) -> Outline:
        """Undo a jump many rounds ahead, if nothing was pulled since."""
        return await self._turn("void")

    async def add_arm(
        self, label: str, *, before: str | None = None, slot: str | None = None
    ) -> None:
        """Offer one more arm from the next round on."""
        body = {"arm": label, "before": before, "slot": slot}
        await self._client.do(calls.write(f"{self._path}/arms", calls.outline, body))

    async def retire_arm(self, label: str) -> None:
        """Offer an arm no longer, from the next round on."""
        await self._client.do(calls.retire(self._path, label))

    async def recommend(self) -> str:
        """The arm taken to be the best."""
        arm: str = await self._get("/recommendation", lambda answer: answer["arm"])
        return arm

    async def status(self) -> Status:
        """Where the campaign stands."""
        found: Status = await self._get("/status", calls.status)
        return found

    async def outline(self) -> Outline:
        """Where the campaign stands, in one line."""
        found: Outline = await self._get("", calls.outline)
        return found

    async def events(self, after: int = 0) -> AsyncIterator[Event]:
        """The log, in order."""
        more: int | None = after
        while more is not None:
            found, more = await self._get("/events", calls.events, after=more, limit=1000)
            for event in found:
                yield event

    async def verify(self, progress: Progress | None = None) -> Verdict:
        """Replay the whole log from the seed and compare every decision and the snapshot.

        Of its ``progress`` nothing is heard from afar.
        """
        return await self._client.do(calls.verification(self._path))

    async def export(self, *, move: bool = False) -> list[str]:
        """The campaign as lines of JSON, the whole log."""
        if move:
            text: str = await self._client.do(calls.write(f"{self._path}/move", str))
        else:
            text = await self._get("/export", str)
        return text.splitlines(keepends=True)

    async def delete(self, seal: str) -> None:
        """Take the campaign out of its store; ``seal`` is the hash that its export ends with."""
        await self._client.do(calls.delete(self._path, seal))
