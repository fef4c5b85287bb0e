"""Where alerts go: a webhook for a campaign, and a list of what is still to be delivered."""

import secrets
from dataclasses import dataclass
from typing import Any

from spnb.live.store.store import Store
from spnb.live.store.transaction import Identity

_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Hook:
    """A campaign that somebody wants to hear of."""

    owner: str
    campaign: Identity


@dataclass(frozen=True, slots=True)
class Delivery:
    """An alert on its way; ``due`` is when it is to be sent, ``tries`` how often it was."""

    id: str
    url: str
    secret: str
    body: str
    due: int
    tries: int


def set_hook(store: Store, campaign: int, url: str) -> str:
    """Send alerts about a campaign there from now on; the secret that they are signed with."""
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    with store.writing() as tx:
        tx.drop_hook(campaign)
        tx.add_hook(campaign, url, secret)
    return secret


def drop_hook(store: Store, campaign: int) -> None:
    """Send no more alerts about a campaign."""
    with store.writing() as tx:
        tx.drop_hook(campaign)


def hook_of(store: Store, campaign: int) -> str | None:
    """Where alerts about a campaign go."""
    with store.reading() as tx:
        return tx.hook(campaign)


def hooks(store: Store) -> list[Hook]:
    """All campaigns that somebody wants to hear of, whoever owns them."""
    with store.reading() as tx:
        return [Hook(owner, Identity(*who)) for owner, *who in tx.hooks()]


def raise_alert(store: Store, campaign: int, kind: str, subject: int, body: str, now: int) -> None:
    """Have an alert delivered, once for each subject."""
    row: dict[str, Any] = {"campaign": campaign, "kind": kind, "subject": subject, "body": body}
    with store.writing() as tx:
        tx.add_alert({"id": secrets.token_hex(16), "tries": 0, "due": now, **row})


def due(store: Store, now: int) -> list[Delivery]:
    """The alerts to be sent now, the oldest first."""
    with store.reading() as tx:
        return [Delivery(*row) for row in tx.due_alerts(now)]


def claim(store: Store, alert: Delivery, again: int) -> bool:
    """Whether it is ours to send; if it fails it is due again at that time."""
    with store.writing() as tx:
        return tx.claim_alert(alert.id, alert.due, again)


def settled(store: Store, alert: Delivery) -> None:
    """It was delivered, or is given up."""
    with store.writing() as tx:
        tx.settle_alert(alert.id)
