"""Who fails to sign in again and again has to wait."""

import threading
import time
from collections import OrderedDict

from spnb.service.errors import Refused

_FAILURES, _SECONDS, _ADDRESSES = 20, 60.0, 10_000


class Patience:
    """Counts failures of each address; kept in memory, for a minute."""

    def __init__(self) -> None:
        self._counts: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._turn = threading.Lock()

    def check(self, address: str) -> None:
        """Refuse an address that has failed too often."""
        with self._turn:
            count, since = self._counts.get(address, (0, 0.0))
        if count >= _FAILURES and time.monotonic() - since < _SECONDS:
            raise Refused(429, "too many failures to sign in", headers={"Retry-After": "60"})

    def failed(self, address: str) -> None:
        """One more failure."""
        now = time.monotonic()
        with self._turn:
            count, since = self._counts.pop(address, (0, now))
            fresh = now - since >= _SECONDS
            self._counts[address] = (1, now) if fresh else (count + 1, since)
            if len(self._counts) > _ADDRESSES:
                self._counts.popitem(last=False)
