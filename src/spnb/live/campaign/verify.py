"""Replay a log from its seed and see whether it says what happened."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from spnb.engine.blocks import Progress
from spnb.live.campaign.config import Config
from spnb.live.campaign.course import Course, Differs
from spnb.live.campaign.learning import History
from spnb.live.store import Event, Pending, Store

_STRIDE = 1000  # events between two signs of life


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a replay found; ``problem`` names the first event that differs, ``event`` its number."""

    ok: bool
    events: int
    problem: str | None = None
    event: int | None = None


@dataclass(slots=True)
class Replay:
    """A course that goes through a log again, and insists on every word of it."""

    course: Course
    history: History
    waiting: dict[int, Pending] = field(default_factory=dict)
    given_up: set[int] = field(default_factory=set)

    def step(self, event: Event) -> None:
        """One more event; ``Differs`` if it cannot have happened so."""
        self._entitled(event)
        if event.kind == "ask" and self.course.must_relearn(event.round or 0):
            self.course = self.course.successor(event.round or 0).relearn(self.history)
        try:
            self.course.apply(event, check=True)
        except (KeyError, TypeError, ValueError) as error:
            raise Differs(f"it makes no sense here ({error})") from error
        if event.kind == "ask" and event.pull:
            pull = Pending(event.seq, event.round or 0, str(event.arm), event.at)
            self.waiting[event.seq] = pull

    def _entitled(self, event: Event) -> None:
        """A reward comes once, and only for a pull that waits for it (or was given up)."""
        number = event.decision or 0
        if event.kind in ("tell", "lost"):
            pull = self.waiting.pop(number, None)
            if pull is None or (pull.arm, pull.round) != (event.arm, event.round):
                raise Differs(f"no pull {number} of {event.arm!r} waits for a reward")
            if event.kind == "lost":
                self.given_up.add(number)
        elif event.kind == "found":
            if number not in self.given_up:
                raise Differs(f"pull {number} was not given up")
            self.given_up.discard(number)
        elif event.kind == "correct" and event.reward is None:
            self.given_up.add(number)


def replayed(
    config: Config, events: Iterable[Event], history: History, total: int, progress: Progress | None
) -> tuple[Replay, Verdict | None]:
    """Go through all events; the verdict is there if one of them differs."""
    replay = Replay(Course.new(config), history)
    report = progress or (lambda done, all_of_it: None)
    for event in events:
        try:
            replay.step(event)
        except Differs as finding:
            said = f"event {event.seq} ({event.kind} of {event.time:%Y-%m-%d %H:%M}): {finding}"
            return replay, Verdict(False, replay.course.version, said, event.seq)
        if event.seq % _STRIDE == 0:
            report(event.seq, total)
    return replay, None


def verify(store: Store, number: int, config: Config, progress: Progress | None) -> Verdict:
    """Whether decisions, snapshot and pending pulls are what the log leads to, bit for bit."""
    with store.reading() as tx:
        version, body = tx.snapshot(number)
        waiting = tx.pending(number)

    def history(until: int) -> Iterable[Event]:
        return store.history(number, until=until)

    replay, verdict = replayed(config, history(version), history, version, progress)
    if verdict is not None:
        return verdict
    done = replay.course.version
    if done != version:
        problem = f"the log ends at event {done}, the snapshot is of event {version}"
        return Verdict(False, done, problem, done + 1)
    if replay.course.to_json() != body:
        return Verdict(False, done, f"the snapshot is not what event {done} leads to", done)
    if list(replay.waiting.values()) != waiting:
        return Verdict(False, done, "the pulls noted as pending are not those of the log", done)
    return Verdict(True, done)
