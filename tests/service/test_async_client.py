"""The client that does not wait has the methods of the one that does."""

import asyncio
import inspect
import json
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

import pytest

from service.conftest import Service
from spnb.base.errors import DataError, MissingError, StoreError
from spnb.client import AskOf, AsyncClient, AsyncRemoteCampaign, Client, RemoteCampaign, RewardOf
from spnb.live.campaign import Campaign, Decision
from spnb.live.store import Store


def methods(cls: type) -> set[str]:
    return {name for name in vars(cls) if not name.startswith("_")}


def test_both_clients_have_the_same_methods() -> None:
    assert methods(AsyncClient) == methods(Client)
    assert methods(AsyncRemoteCampaign) == methods(RemoteCampaign)
    public = {name for name in dir(Campaign) if not name.startswith("_")}
    assert public - _ELSEWHERE <= methods(RemoteCampaign)
    for name in public - _ELSEWHERE:
        for remote in (RemoteCampaign, AsyncRemoteCampaign):
            if name != "config":  # a property, but not where it must be waited for
                assert parameters(remote, name) == parameters(Campaign, name), name


_ELSEWHERE = {
    "create", "begin", "open", "of_decision", "import_",  # a client's own methods, or by its uid
    "number", "snapshot",  # of its store, and of no use elsewhere
    "alerts",  # a webhook hears of them
}  # fmt: skip


def parameters(cls: type, name: str) -> list[inspect.Parameter]:
    return list(inspect.signature(getattr(cls, name)).parameters.values())


async def season(url: str) -> None:
    async with AsyncClient(url) as client:
        first = await client.create("c", arms=["a", "b"], agent="Uniform+", seed=1)
        copy = await client.begin("d", await first.config())
        assert (await copy.show())["seed"] == 1
        decision = await first.ask("a")
        assert await first.latest_pull() == decision.id
        assert [pull.decision for pull in await first.pending()] == [decision.id]
        assert (await first.tell(reward=1)).new
        assert await first.pending() == []
        assert (await first.correct(decision, reward=0)).reward == 0
        assert (await first.lost(await first.ask("b", 1))).reward is None
        assert (await first.offer("a")).round == 2
        await first.give_up_after("2d")
        await first.add_arm("c")
        await first.retire_arm("b")
        assert (await first.pause()).state == "paused"
        assert (await first.resume()).state == "running"
        assert (await first.status()).recommended == await first.recommend()
        assert [event.seq async for event in first.events()][-1] == (await first.outline()).events
        assert (await first.verify()).ok
        lines = await first.export()
        third = await client.import_(lines, "e")
        assert [outline.name async for outline in client.campaigns()] == ["c", "d", "e"]
        asked = await client.ask_many([AskOf(copy.uid, arm="a", round=1)])
        assert isinstance(asked[0], Decision)
        assert len(await client.tell_many([RewardOf(str(asked[0].uid), wins=7, trials=120)])) == 1
        moved = await third.export(move=True)
        await third.delete(json.loads(moved[-1])["hash"])
        with pytest.raises(MissingError):
            await client.campaign("e")
        assert (await (await client.campaign("c")).close()).state == "closed"


def test_a_season_without_waiting(service: Service) -> None:
    asyncio.run(season(service.url))


@pytest.mark.parametrize("at", ["tomorrow", 0, True, 1.5])
def test_what_is_no_time_is_said_as_a_campaign_says_it(local: Service, at: Any) -> None:
    async def ask() -> None:
        async with AsyncClient(local.url) as client:
            await (await client.campaign("c")).ask("a", at)

    remote = local.client().create("c", arms=["a", "b"])
    with Store("sqlite://") as store, pytest.raises(DataError) as here:
        Campaign.create(store, "c", arms=["a", "b"]).ask("a", at)
    for there in (lambda: remote.ask("a", at), lambda: remote.offer("a", at), waited(ask)):
        with pytest.raises(DataError) as said:
            there()
        assert str(said.value) == str(here.value)


def waited(do: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    return lambda: asyncio.run(do())


def test_another_round_and_another_time_are_looked_at(local: Service) -> None:
    remote = local.client().create("c", arms=["a", "b"])
    assert remote.offer("b", 3).round == 3
    hours = {"slots": "00:00/1h", "zone": "UTC"}
    scheduled = local.client().create("s", schedule=hours)
    assert scheduled.offer(at=datetime(2030, 1, 1, 5, tzinfo=UTC)).arm == "05:00"
    with local.http() as http:
        path = f"/v1/campaigns/{remote.uid}/offer"
        both = http.get(path, params={"arm": "a", "round": 1, "at": "2030-01-01T00:00"})
        assert both.status_code == 422


def test_who_cannot_reach_the_service_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spnb.client.transport._FIRST_WAIT", 0.001)

    async def knock() -> None:
        async with AsyncClient("http://127.0.0.1:1") as client:
            await client.campaign("c")

    with pytest.raises(StoreError, match="does not answer"):
        asyncio.run(knock())
    with Client("http://127.0.0.1:1") as client, pytest.raises(StoreError, match="try again"):
        client.campaign("c")
