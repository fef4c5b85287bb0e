"""Where campaigns live, and how one gets at them: a transaction at a time."""

import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from copy import copy
from types import TracebackType
from typing import Any, TypeVar

from sqlalchemy.pool import StaticPool

from spnb.base.errors import StoreError
from spnb.live.store.address import shown
from spnb.live.store.connect import PATIENCE, begin, chosen_url, connect, translated
from spnb.live.store.events import Event
from spnb.live.store.file import StoreFile
from spnb.live.store.shared import Later, SharedTransaction
from spnb.live.store.statements import compiled
from spnb.live.store.transaction import LATEST, Transaction

T = TypeVar("T", bound=Transaction)


class Store:
    """Where campaigns live: ``sqlite:///file.db``, ``sqlite://`` (in memory) or PostgreSQL.

    It shows the campaigns of one owner; names need be unique only among them.
    """

    def __init__(self, url: str | None = None, *, create: bool = True, owner: str = "") -> None:
        self.owner = owner
        self._engine = connect(chosen_url(url), create=create)
        self._file = StoreFile(self._engine)
        self._sql = compiled(self._engine.dialect)
        self._driver: Any = self._engine.dialect.dbapi
        self._turn = threading.RLock() if self.in_memory else nullcontext()
        self._turns: dict[int, threading.Lock] = defaultdict(threading.Lock)
        self._here = threading.local()  # the transaction that this thread shares, if any
        try:
            with translated(self._engine.url), self._turn:
                self._file.open(create=create)
        except StoreError:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Store({shown(self._engine.url)!r})"

    @property
    def alone(self) -> bool:
        """Whether only one transaction can write at a time, as in SQLite."""
        return self._engine.dialect.name == "sqlite"

    @property
    def in_memory(self) -> bool:
        """Whether it is gone with this process."""
        return isinstance(self._engine.pool, StaticPool)

    def owned_by(self, owner: str) -> "Store":
        """The same store as another owner sees it."""
        other = copy(self)
        other.owner = owner
        return other

    def reading(self) -> AbstractContextManager[Transaction]:
        """See one state of the store."""
        shared = self._shared()
        if shared is not None:
            return nullcontext(shared.seen_by(self.owner))
        return self._transaction(Transaction, writes=False)

    def writing(self, campaign: int | None = None) -> AbstractContextManager[Transaction]:
        """Change the store; on an error nothing has happened.

        Who changes a campaign waits here for those in this process who do so already: of all
        connections only one may get stuck behind a row that another program has locked.
        """
        shared = self._shared()
        return self._writing(campaign) if shared is None else shared.change(self.owner)

    @contextmanager
    def _writing(self, campaign: int | None) -> Iterator[Transaction]:
        turn = nullcontext() if campaign is None else self._in_turn(self._turns[campaign])
        with turn, self._transaction(Transaction, writes=True) as transaction:
            yield transaction

    @contextmanager
    def together(
        self, campaigns: Iterable[int] = (), *, crowded: bool = False
    ) -> Iterator[SharedTransaction]:
        """What this thread changes meanwhile is committed at once, at the end.

        ``campaigns`` are those that will be changed. Each change is all or nothing by itself; if
        the commit fails, none of them has happened. ``crowded`` says that many wait for it: a
        change that would take long, or wait for somebody else, then ends with ``Later``.
        """
        numbers = sorted(set(campaigns))
        with ExitStack() as turns:
            for number in numbers:
                turns.enter_context(self._in_turn(self._turns[number]))
            with self._transaction(SharedTransaction, writes=True) as shared:
                shared.crowded = crowded
                shared.lock(numbers)
                self._here.shared = shared
                try:
                    yield shared
                finally:
                    self._here.shared = None
                shared.flush()

    def step_aside(self) -> None:
        """What takes long is not done while many wait for the same commit."""
        shared = self._shared()
        if shared is not None and shared.crowded:
            raise Later

    def _shared(self) -> SharedTransaction | None:
        return getattr(self._here, "shared", None)

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
    def _transaction(self, kind: type[T], *, writes: bool) -> Iterator[T]:
        with translated(self._engine.url, self._driver.Error), self._turn:
            mark = self._file.current()
            connection = self._engine.raw_connection()
            try:
                cursor = connection.cursor()
                begin(cursor, self._engine.dialect, writes=writes)
                yield kind(cursor, self._sql, self._driver.IntegrityError, self.owner)
                connection.commit()
                if writes:
                    self._file.check(mark)
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
        self._file.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
