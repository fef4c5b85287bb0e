"""Which store is meant, and who acts in it."""

import getpass
import os
from collections.abc import Iterator
from contextlib import contextmanager

from spnb.base.words import cut, printable
from spnb.live.campaign.config import LONGEST, check_name
from spnb.live.store import Store


@contextmanager
def opened_store(store: Store | str | None, *, create: bool = True) -> Iterator[Store]:
    """A store, or the store of a URL, which is closed if what it was opened for fails."""
    if isinstance(store, Store):
        yield store
        return
    opened = Store(store, create=create)
    try:
        yield opened
    except BaseException:
        opened.close()
        raise


def who_acts(given: str | None) -> str:
    """Who acts: the one named, else who runs this process (by number, if nobody knows a name)."""
    if given is not None:
        check_name("an actor", given)
        return given
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    return cut(printable(name).strip(" -"), LONGEST) or f"user {os.getuid()}"
