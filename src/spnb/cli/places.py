"""Where campaigns are: in a store that this process opens, or at a service."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from spnb.base.extras import need
from spnb.engine.blocks import Progress
from spnb.live.campaign import Campaign, Config, Outline
from spnb.live.store import Store
from spnb.live.store.connect import chosen_url

if TYPE_CHECKING:
    from spnb.client import Client, RemoteCampaign


def opened(place: str | None, name: str) -> "Campaign | RemoteCampaign":
    """The campaign of this name."""
    client = _client(place)
    return Campaign.open(place, name) if client is None else client.campaign(name)


def begun(place: str | None, name: str, config: Config) -> "Campaign | RemoteCampaign":
    """A new campaign of this name."""
    client = _client(place)
    if client is None:
        return Campaign.begin(place, name, config)
    return client.begin(name, config)


def outlines(place: str | None) -> Iterator[Outline]:
    """All campaigns, in a few words each."""
    client = _client(place)
    if client is not None:
        yield from client.campaigns()
        return
    store = Store(place, create=False)
    with store.reading() as tx:
        names = tx.names()
    for name in names:
        yield Campaign.open(store, name).outline()


def brought(
    place: str | None, lines: Iterable[str], name: str | None, progress: Progress | None
) -> "Campaign | RemoteCampaign":
    """A campaign that was exported elsewhere."""
    client = _client(place)
    if client is not None:
        return client.import_(lines, name)
    return Campaign.import_(place, lines, name, progress)


def _client(place: str | None) -> "Client | None":
    url = chosen_url(place)
    if not url.lower().startswith(("http://", "https://")):
        return None
    need("client")
    from spnb.client import Client

    return Client(url, keep=False)
