"""Where campaigns live, and how one gets at them: a transaction at a time."""

import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from types import TracebackType
from typing import Any

from sqlalchemy.pool import StaticPool

from spnb.base.errors import StoreError
from spnb.live.store.address import shown
from spnb.live.store.connect import PATIENCE, begin, chosen_url, connect, translated
from spnb.live.store.events import Event
from spnb.live.store.migrate import ensure_schema
from spnb.live.store.statements import compiled
from spnb.live.store.transaction import LATEST, Transaction


class Store:
    """Where campaigns live: ``sqlite:///file.db``, ``sqlite://`` (in memory) or PostgreSQL.

    It shows the campaigns of one owner; names need be unique only among them.
    """

    def __init__(self, url: str | None = None, *, create: bool = True, owner: str = "") -> None:
        self.owner = owner
        self._engine = connect(chosen_url(url), create=create)
        self._sql = compiled(self._engine.dialect)
        self._driver: Any = self._engine.dialect.dbapi
        alone = isinstance(self._engine.pool, StaticPool)
        self._turn = threading.RLock() if alone else nullcontext()
        self._turns: dict[int, threading.Lock] = defaultdict(threading.Lock)
        try:
            with translated(self._engine.url), self._turn:
                ensure_schema(self._engine, create=create)
        except StoreError:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Store({shown(self._engine.url)!r})"

    def owned_by(self, owner: str) -> "Store":
        """The same store as another owner sees it."""
        other = copy(self)
        other.owner = owner
        return other

    def reading(self) -> AbstractContextManager[Transaction]:
        """See one state of the store."""
        return self._transaction(writes=False)

    @contextmanager
    def writing(self, campaign: int | None = None) -> Iterator[Transaction]:
        """Change the store; on an error nothing has happened.

        Who changes a campaign waits here for those in this process who do so already: of all
        connections only one may get stuck behind a row that another program has locked.
        """
        turn = nullcontext() if campaign is None else self._in_turn(self._turns[campaign])
        with turn, self._transaction(writes=True) as transaction:
            yield transaction

    @contextmanager
    def _in_turn(self, lock: threading.Lock) -> Iterator[None]:
        if not lock.acquire(timeout=PATIENCE):
            name = shown(self._engine.url)
            raise StoreError(f"cannot use {name}: this campaign is busy; try again")
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _transaction(self, *, writes: bool) -> Iterator[Transaction]:
        with translated(self._engine.url, self._driver.Error), self._turn:
            connection = self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                begin(cursor, self._engine.dialect, writes=writes)
                yield Transaction(cursor, self._sql, self._driver.IntegrityError, self.owner)
                connection.commit()
            finally:
                connection.close()  # back to the pool, which rolls back what was not committed

    def history(self, campaign: int, after: int = 0, until: int = LATEST) -> Iterator[Event]:
        """The log, in order; however long, only a few events are in memory at a time."""
        while True:
            with self.reading() as transaction:
                chunk = transaction.events(campaign, after, until)
            if not chunk:
                return
            yield from chunk
            after = chunk[-1].seq

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
