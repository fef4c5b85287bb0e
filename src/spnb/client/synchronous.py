"""A client that waits for each answer."""

import time
from collections.abc import Iterable, Iterator
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


class Client:
    """A service at a URL. ``token`` is that of ``SPNB_TOKEN`` if left out.

    Who has only one thing to ask does not ``keep`` the connection.
    What could not be sent is sent again: every change is made once, however often it is sent.
    """

    def __init__(self, url: str, token: str | None = None, *, keep: bool = True) -> None:
        kept = httpx.Limits(max_keepalive_connections=None if keep else 0)
        self._http = httpx.Client(**settings(url, token), limits=kept)

    def do(self, call: Call[T]) -> T:
        """Send a call and read its answer."""
        for attempt in range(ATTEMPTS):
            try:
                response = self._http.request(**arguments(call))
                if is_final(response) or attempt == ATTEMPTS - 1:
                    answer: T = result(call, response)
                    return answer
            except httpx.TransportError as error:
                if attempt == ATTEMPTS - 1:
                    raise unreached(error) from error
            time.sleep(wait_before(attempt))
        raise AssertionError  # the last attempt returns or raises

    def create(self, name: str, **given: Any) -> "RemoteCampaign":
        """Begin a campaign; the arguments are those of the API (``schedule`` is a dictionary)."""
        call = calls.write("/v1/campaigns", lambda answer: answer["uid"], {"name": name, **given})
        return RemoteCampaign(self, self.do(call), name)

    def begin(self, name: str, config: Config) -> "RemoteCampaign":
        """Begin a campaign of this configuration."""
        return self.create(name, config=config.to_dict())

    def campaign(self, name: str) -> "RemoteCampaign":
        """The campaign of this name."""
        call = Call("GET", "/v1/campaigns", lambda a: calls.named(a, name), query={"name": name})
        return RemoteCampaign(self, self.do(call), name)

    def campaigns(self) -> Iterator[Outline]:
        """All campaigns that the token reaches, by name."""
        after: str | None = ""
        while after is not None:
            call = Call("GET", "/v1/campaigns", dict, query={"after": after, "limit": 200})
            page = self.do(call)
            yield from map(calls.outline, page["items"])
            after = page["next"]

    def ask_many(self, asks: Iterable[AskOf]) -> list[Decision | SpnbError]:
        """Many asks in one commit; each is answered, or refused by itself."""
        return self.do(calls.ask_many(asks))

    def tell_many(self, rewards: Iterable[RewardOf]) -> list[Told | SpnbError]:
        """Many rewards in one commit; each is taken, or refused by itself."""
        return self.do(calls.tell_many(rewards))

    def import_(self, lines: Iterable[str], name: str | None = None) -> "RemoteCampaign":
        """Bring in an exported campaign; it is verified on the way."""
        answer = self.do(calls.bring_in(lines, name))
        return RemoteCampaign(self, answer["uid"], answer["name"])

    def close(self) -> None:
        """Let go of the connections."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class RemoteCampaign:
    """A campaign of a service, with the methods of ``Campaign``."""

    def __init__(self, client: Client, uid: str, name: str) -> None:
        self._client, self.uid, self.name = client, uid, name
        self._path = f"/v1/campaigns/{uid}"

    def _get(self, what: str, read: Any, **query: Any) -> Any:
        given = {name: value for name, value in query.items() if value is not None}
        return self._client.do(Call("GET", f"{self._path}{what}", read, query=given))

    def _turn(self, verb: str) -> Outline:
        return self._client.do(calls.write(f"{self._path}/{verb}", calls.outline))

    def show(self) -> dict[str, Any]:
        """What the campaign was begun with, and where it stands."""
        answer: dict[str, Any] = self._get("", dict)
        return answer

    @property
    def config(self) -> Config:
        """What the campaign was begun with."""
        return calls.config(self.show())

    def offer(self, arm: str | None = None, at: datetime | str | int | None = None) -> Offer:
        """What an ask would be about; nothing is decided."""
        found: Offer = self._get("/offer", calls.offer, arm=arm, **calls.when(at))
        return found

    def ask(
        self,
        arm: str | None = None,
        at: datetime | str | int | None = None,
        *,
        ahead: bool = False,
    ) -> Decision:
        """Pull now? The same offer always gets the same answer.

        ``at`` is a time or a round; left out, the offer is the one that is on now.
        """
        named = calls.when(at) or calls.named_by(self.offer(arm))
        return self._client.do(calls.ask(self.uid, arm, named, ahead=ahead))

    def tell(
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
        which = self._which(decision)
        return self._client.do(calls.tell(self.uid, "rewards", which, worth))

    def correct(
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
        which = self._which(decision)
        return self._client.do(calls.tell(self.uid, "corrections", which, worth))

    def lost(self, decision: Decision | int | str | None = None) -> Told:
        """The reward of this pull will never come; if it does, it is still welcome."""
        return self._client.do(calls.tell(self.uid, "losses", self._which(decision), {}))

    def _which(self, decision: Decision | int | str | None) -> str:
        return calls.which(self.latest_pull() if decision is None else decision)

    def latest_pull(self) -> int | None:
        """The number of the latest decision to pull."""
        number: int | None = self.show()["latest_pull"]
        return number

    def pending(self) -> list[Pending]:
        """The pulls whose reward is still to come."""
        return list(self.status().pending)

    def give_up_after(self, lost_after: str) -> None:
        """From now on give up on a reward that has not come by then: ``"2d"``."""
        body = {"lost_after": lost_after}
        self._client.do(calls.write(f"{self._path}/limit", calls.outline, body))

    def pause(self) -> Outline:
        """Answer every new offer with pass, until resumed."""
        return self._turn("pause")

    def resume(self) -> Outline:
        """Go on after a pause."""
        return self._turn("resume")

    def close(self) -> Outline:
        """No more pulls, ever; rewards are still welcome."""
        return self._turn("close")

    def void(self) -> Outline:
        """Undo a jump many rounds ahead, if nothing was pulled since."""
        return self._turn("void")

    def add_arm(self, label: str, *, before: str | None = None, slot: str | None = None) -> None:
        """Offer one more arm from the next round on."""
        body = {"arm": label, "before": before, "slot": slot}
        self._client.do(calls.write(f"{self._path}/arms", calls.outline, body))

    def retire_arm(self, label: str) -> None:
        """Offer an arm no longer, from the next round on."""
        self._client.do(calls.retire(self._path, label))

    def recommend(self) -> str:
        """The arm taken to be the best."""
        arm: str = self._get("/recommendation", lambda answer: answer["arm"])
        return arm

    def status(self) -> Status:
        """Where the campaign stands."""
        found: Status = self._get("/status", calls.status)
        return found

    def outline(self) -> Outline:
        """Where the campaign stands, in one line."""
        found: Outline = self._get("", calls.outline)
        return found

    def events(self, after: int = 0) -> Iterator[Event]:
        """The log, in order."""
        more: int | None = after
        while more is not None:
            found, more = self._get("/events", calls.events, after=more, limit=1000)
            yield from found

    def verify(self, progress: Progress | None = None) -> Verdict:
        """Replay the whole log from the seed and compare every decision and the snapshot.

        Of its ``progress`` nothing is heard from afar.
        """
        return self._client.do(calls.verification(self._path))

    def export(self, *, move: bool = False) -> Iterator[str]:
        """The campaign as lines of JSON, the whole log."""
        if move:
            text: str = self._client.do(calls.write(f"{self._path}/move", str))
        else:
            text = self._get("/export", str)
        return iter(text.splitlines(keepends=True))

    def delete(self, seal: str) -> None:
        """Take the campaign out of its store; ``seal`` is the hash that its export ends with."""
        self._client.do(calls.delete(self._path, seal))
