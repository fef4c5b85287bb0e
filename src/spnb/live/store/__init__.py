"""The store: an append-only, sealed log of events and a snapshot of each campaign."""

from spnb.live.store.events import Event
from spnb.live.store.shared import Later, SharedTransaction
from spnb.live.store.store import Store
from spnb.live.store.transaction import Identity, Pending, Snapshot, Transaction

__all__ = [
    "Event", "Identity", "Later", "Pending", "SharedTransaction", "Snapshot", "Store",
    "Transaction",
]  # fmt: skip
