"""A live campaign: ask at each offer, tell each reward, and never lose one."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from spnb.bandits.agents import Agent
from spnb.bandits.policies import Policy
from spnb.base.errors import ConflictError, DataError
from spnb.engine.blocks import Progress
from spnb.live import clock
from spnb.live.campaign import ledger
from spnb.live.campaign.arms import arm_added, arm_retired
from spnb.live.campaign.asking import decide, give_up_late, known
from spnb.live.campaign.change import Change
from spnb.live.campaign.config import Config, Goal, check_name, new_config
from spnb.live.campaign.course import Course
from spnb.live.campaign.ledger import Told
from spnb.live.campaign.offers import Decision, meant
from spnb.live.campaign.portable import exported, imported
from spnb.live.campaign.rewards import RewardRule
from spnb.live.campaign.status import Status, status_of
from spnb.live.campaign.verify import Verdict, verify
from spnb.live.schedule import Schedule, minutes_of
from spnb.live.store import Event, Pending, Store, Transaction


@dataclass(frozen=True, slots=True)
class Outline:
    """A campaign in one line."""

    name: str
    state: str
    agent: str
    round: int
    rounds: int | None
    events: int


class Campaign:
    """A campaign in a store. Any number of processes may use it at the same time."""

    def __init__(self, store: Store, name: str, number: int, config: Config) -> None:
        self.store, self.name, self.config = store, name, config
        self._number = number
        self._course: Course | None = None  # as of the last change seen
        self._turn = threading.RLock()

    @classmethod
    def create(
        cls,
        store: Store | str | None,
        name: str,
        *,
        arms: Sequence[str] | None = None,
        agent: str | Agent | Policy = "Seq(TS)",
        rounds: int | None = None,
        goal: Goal = "regret",
        seed: int | None = None,
        schedule: Schedule | str | None = None,
        reward: RewardRule | str | None = None,
        lost_after: str | None = None,
        hardness: float | None = None,
    ) -> "Campaign":
        """Begin a campaign; a store is a ``Store`` or its URL.

        ``rounds`` is the horizon: after it, every answer is to pass. ``lost_after`` (``"2d"``)
        gives up on a reward that has not come by then. ``hardness`` is H1, for who knows it.
        """
        check_name("the name of a campaign", name)
        if isinstance(schedule, str):
            schedule = Schedule.parse(schedule)
        if schedule is not None and schedule.start is None:
            schedule = schedule.starting(clock.now())
        limit = None if lost_after is None else minutes_of(lost_after)
        config = new_config(arms, agent, rounds, goal, seed, schedule, reward, limit, hardness)
        opened, course = opened_store(store), Course.new(config)
        with opened.writing() as tx:
            number = tx.create(name, course.to_json())
            change = Change(tx, number, course)
            change.record("create", note=config.to_dict())
            change.save()
        return cls(opened, name, number, config)

    @classmethod
    def open(cls, store: Store | str | None, name: str) -> "Campaign":
        """The campaign of this name."""
        opened = opened_store(store, create=False)
        with opened.reading() as tx:
            number = tx.find(name)
            if number is None:
                names = ", ".join(tx.names()) or "none"
                raise DataError(f"there is no campaign {name!r}; the store has: {names}")
            first = tx.events(number, until=1)
        if not first:
            raise DataError(f"the log of campaign {name!r} has lost its beginning")
        return cls(opened, name, number, Config.from_dict(first[0].extra()))

    def ask(self, arm: str | None = None, at: datetime | int | None = None) -> Decision:
        """Pull now? The same offer always gets the same answer.

        With a schedule the offer is the one on at the time ``at`` (now, if left out). Without one
        the arm is named; ``at`` may name the round, else an arm that lies behind the last one
        asked about begins the next round, and the same arm again means the same offer.
        """
        fresh: Course | None = None
        while True:
            time = self._time(at)
            with self._changing() as change:
                offer = meant(change.course, arm, at, time)
                if isinstance(offer, Decision):
                    return offer
                answer = known(change, offer)
                if answer is not None:
                    return answer
                give_up_late(change, time)
                if not change.course.must_relearn(offer.round) or change.adopt(fresh):
                    return decide(change, offer, time)
                fresh = change.course.successor(offer.round)
            # Long logs take a while to learn from: nobody need wait for it.
            fresh.relearn(self._history)

    def tell(
        self,
        decision: Decision | int | None = None,
        *,
        reward: float | None = None,
        value: float | None = None,
    ) -> Told:
        """What came of a pull, the latest one if none is named; late or twice does no harm."""
        worth = self.config.reward.reward(reward, value)
        with self._changing() as change:
            return ledger.tell(change, _number(decision), worth, value)

    def correct(
        self,
        decision: Decision | int,
        *,
        reward: float | None = None,
        value: float | None = None,
        lost: bool = False,
    ) -> Told:
        """Replace a wrong reward, or take it back (``lost``). Past decisions stand."""
        worth = None if lost else self.config.reward.reward(reward, value)
        with self._changing() as change:
            return ledger.correct(change, _number(decision), worth, value)

    def lost(self, decision: Decision | int | None = None) -> Told:
        """The reward of this pull will never come; if it does, it is still welcome."""
        with self._changing() as change:
            return ledger.lose(change, _number(decision))

    def pause(self) -> None:
        """Answer every new offer with pass, until resumed; rewards are still welcome."""
        self._turn_to("paused", "pause")

    def resume(self) -> None:
        """Go on after a pause."""
        self._turn_to("running", "resume")

    def close(self) -> None:
        """No more pulls, ever; rewards are still welcome."""
        self._turn_to("closed", "close")

    def _turn_to(self, status: str, kind: str) -> None:
        with self._changing() as change:
            if change.course.status == "closed" and status != "closed":
                raise ConflictError(f"campaign {self.name!r} is closed")
            if change.course.status != status:
                change.record(kind)

    def add_arm(self, label: str, *, before: str | None = None, slot: str | None = None) -> None:
        """Offer one more arm from the next round on; a retired one comes back with its history.

        With a schedule its ``slot`` (its name, if left out) says when; else it comes last, or
        ``before`` another one.
        """
        with self._changing() as change:
            arm_added(change, label, before, slot)

    def retire_arm(self, label: str) -> None:
        """Offer an arm no longer, from the next round on."""
        with self._changing() as change:
            arm_retired(change, label)

    def recommend(self) -> str:
        """The arm held for the best."""
        course = self._up_to_date()
        return course.arms[course.learner.recommend()].label

    def status(self) -> Status:
        """Where the campaign stands."""
        return status_of(self.name, self._up_to_date(), self.pending())

    def pending(self) -> list[Pending]:
        """The pulls whose reward is still to come."""
        with self.store.reading() as tx:
            return tx.pending(self._number)

    def snapshot(self) -> tuple[int, str]:
        """The number of the last event, and all that is needed to go on, as JSON."""
        with self.store.reading() as tx:
            return tx.snapshot(self._number)

    def outline(self) -> Outline:
        """Where the campaign stands, in one line."""
        version, body = self.snapshot()
        course, config = Course.from_json(self.config, version, body), self.config
        rounds = config.rounds
        return Outline(self.name, course.status, config.agent, course.round, rounds, version)

    def events(self, after: int = 0) -> Iterator[Event]:
        """The log, in order."""
        return self.store.history(self._number, after)

    def verify(self, progress: Progress | None = None) -> Verdict:
        """Replay the whole log from the seed and compare every decision and the snapshot."""
        return verify(self.store, self._number, self.config, progress)

    def export(self) -> Iterator[str]:
        """The campaign as lines of JSON, the whole log."""
        return exported(self.store, self._number, self.name)

    @classmethod
    def import_(
        cls,
        store: Store | str | None,
        lines: Iterable[str],
        name: str | None = None,
        progress: Progress | None = None,
    ) -> "Campaign":
        """Bring in what was exported, verified on the way; ``name`` gives it another name."""
        opened = opened_store(store)
        return cls.open(opened, imported(opened, lines, name, progress))

    def _up_to_date(self) -> Course:
        """The course for reading, its learner taught anew if it must be."""
        course = Course.from_json(self.config, *self.snapshot())
        soon = course.round + (course.round == 0)
        return (
            course.successor(soon).relearn(self._history) if course.must_relearn(soon) else course
        )

    def _time(self, at: datetime | int | None) -> datetime:
        schedule = self.config.schedule
        return schedule.at(at) if schedule and isinstance(at, datetime) else clock.now()

    def _history(self, until: int) -> Iterator[Event]:
        return self.store.history(self._number, until=until)

    @contextmanager
    def _changing(self) -> Iterator[Change]:
        """A change that is saved at the end; on an error nothing has happened."""
        with self._turn:
            try:
                with self.store.writing() as tx:
                    change = Change(tx, self._number, self._current(tx))
                    yield change
                    change.save()
                self._course = change.course
            except BaseException:
                self._course = None  # it may have moved on to where the store did not follow
                raise

    def _current(self, tx: Transaction) -> Course:
        version, body = tx.snapshot(self._number, lock=True)
        if self._course is not None and self._course.version == version:
            return self._course
        return Course.from_json(self.config, version, body)


def opened_store(store: Store | str | None, *, create: bool = True) -> Store:
    """A store, or the store of a URL."""
    return store if isinstance(store, Store) else Store(store, create=create)


def _number(decision: Decision | int | None) -> int | None:
    if isinstance(decision, Decision):
        if decision.id is None:
            raise DataError(f"nothing was decided ({decision.reason}): there is nothing to tell")
        return decision.id
    return decision
