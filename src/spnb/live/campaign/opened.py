"""A campaign that is open: where it stands in its store, and how it is changed.

What may be done with it is in ``campaign.py``; what an event does is in ``course.py``.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from types import TracebackType
from typing import Self

from spnb.base.errors import ConflictError, DataError, StoreError
from spnb.live import clock
from spnb.live.campaign.change import Change
from spnb.live.campaign.checkpoints import caught_up
from spnb.live.campaign.config import Config
from spnb.live.campaign.course import Course
from spnb.live.campaign.doors import who_acts
from spnb.live.campaign.status import state_of
from spnb.live.campaign.verify import config_of
from spnb.live.store import Event, Identity, Pending, Snapshot, Store, Transaction


@dataclass(frozen=True, slots=True)
class Outline:
    """A campaign in one line."""

    name: str
    state: str
    agent: str
    round: int
    rounds: int | None
    events: int


class OpenedCampaign:
    """A campaign in a store, as this process last saw it."""

    def __init__(
        self,
        store: Store,
        who: Identity,
        first: Event | None,
        actor: str | None,
        *,
        owns: bool = False,
    ) -> None:
        self._owns = owns  # whether nobody else has the store
        self.store, self.name, self.uid = store, who.name, who.uid
        self.actor = who_acts(actor)
        self._who, self._first = who, first
        self._config: Config | None = None
        self._course: Course | None = None  # as of the last change seen
        self._turn = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Let go of the store, if it was opened for this campaign: who gave a store keeps it."""
        if self._owns:
            self.store.close()

    def __repr__(self) -> str:
        """What it was begun with, as no look into the store is needed for; see ``status()``."""
        if self._first is None:
            return f"<Campaign {self.name!r}>"
        config = self.config
        rounds = "any number of" if config.rounds is None else config.rounds
        return (
            f"<Campaign {self.name!r}: {config.agent}, {len(config.arms)} arms, {rounds} rounds, "
            f"goal {config.goal}>"
        )

    @property
    def number(self) -> int:
        """Its number in its store."""
        return self._who.number

    @property
    def config(self) -> Config:
        """What the campaign was begun with."""
        if self._config is None:
            if self._first is None:
                raise DataError(f"the log of campaign {self.name!r} has lost its beginning")
            self._config = config_of(self._first)
        return self._config

    def pending(self) -> list[Pending]:
        """The pulls whose reward is still to come."""
        with self.store.reading() as tx:
            return tx.pending(self._who.number)

    def snapshot(self) -> Snapshot:
        """The last event, its hash, and all that is needed to go on, as JSON."""
        with self.store.reading() as tx:
            return self._ours(tx.snapshot(self._who.number))

    def latest_pull(self) -> int | None:
        """The number of the latest decision to pull."""
        return self._read(self.snapshot()).latest_pull

    def outline(self) -> Outline:
        """Where the campaign stands, in one line."""
        course, config = self._read(self.snapshot()), self.config
        return Outline(
            self.name, state_of(course, clock.now()), config.agent, course.round, config.rounds,
            course.version,
        )  # fmt: skip

    def events(self, after: int = 0) -> Iterator[Event]:
        """The log, in order."""
        return self.store.history(self._who.number, after)

    def _up_to_date(self) -> Course:
        """The course for reading, its learner taught anew if it must be."""
        course = self._read(self.snapshot())
        soon = course.round + (course.round == 0)
        if not course.must_relearn(soon):
            return course
        return caught_up(self.store, self._who.number, course, soon)

    def _time(self, at: datetime | int | None) -> datetime:
        schedule = self.config.schedule
        return schedule.at(at) if schedule and isinstance(at, datetime) else clock.now()

    @contextmanager
    def _changing(self) -> Iterator[Change]:
        """A change that is saved at the end; on an error nothing has happened."""
        with self._turn:
            try:
                with self.store.writing(self._who.number) as tx:
                    change = Change(tx, self._who.number, self._current(tx), self.actor)
                    if change.course.status == "moved":
                        raise ConflictError(
                            f"campaign {self.name!r} was moved: it goes on where it was imported"
                        )
                    yield change
                    change.save()
                self._course = change.course
            except BaseException:
                self._course = None  # it may have moved on to where the store did not follow
                raise

    def _current(self, tx: Transaction) -> Course:
        snapshot = self._ours(tx.snapshot(self._who.number, lock=True))
        # The hash, and not the number alone: a backup may have been put in the store's place.
        if self._course is not None and self._course.hash == snapshot.hash:
            return self._course
        return self._read(snapshot)

    def _ours(self, snapshot: Snapshot) -> Snapshot:
        if snapshot.uid != self.uid:
            raise StoreError(f"the store was replaced: open the campaign {self.name!r} anew")
        return snapshot

    def _read(self, snapshot: Snapshot) -> Course:
        return Course.from_json(self.config, snapshot.version, snapshot.hash, snapshot.body)
