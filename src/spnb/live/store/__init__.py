"""The store: an append-only log of events and a snapshot of each campaign."""

from spnb.live.store.events import Event
from spnb.live.store.store import Pending, Store, Transaction

__all__ = ["Event", "Pending", "Store", "Transaction"]
