"""How a learner hears of what happened: event by event, or over again from a checkpoint."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from spnb.base.errors import ConflictError, DataError
from spnb.live.campaign.config import Arm, Config
from spnb.live.learner import Learner
from spnb.live.store.events import Event

History = Callable[[int, int], Iterable[Event]]
"""The log after one event, up to and including another."""

Corrected = dict[int, tuple[float | None, int]]
"""Of entries corrected later: the right reward, of how many trials."""

DENSE = 64  # events or rounds between two checkpoints of late
LASTING = 4096  # events between two checkpoints that stay for good


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What the learner for these arms knew after an event, which was in this round."""

    seq: int
    round: int
    arms: tuple[str, ...]
    learner: dict[str, Any]

    def to_json(self) -> str:
        body = {"seq": self.seq, "round": self.round, "arms": self.arms, "learner": self.learner}
        return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> "Checkpoint | None":
        """None where it is damaged: the log is what counts."""
        try:
            body = json.loads(text)
            return cls(body["seq"], body["round"], tuple(body["arms"]), body["learner"])
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class Lesson:
    """What a learner is to be taught: these arms, up to this event, without what was voided."""

    config: Config
    arms: tuple[Arm, ...]
    until: int
    round: int
    voided: tuple[tuple[int, int], ...]
    began: tuple[int, str] | None = None  # the first offer, if it was not the first of a round

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(arm.label for arm in self.arms)

    def begin(self, start: Checkpoint | None) -> tuple[Learner, int, int]:
        """The learner to begin with, the event and the round where it stands."""
        if start is not None and start.arms == self.labels and start.seq <= self.until:
            try:
                return Learner.from_dict(start.learner), start.seq, start.round
            except (DataError, KeyError, TypeError, ValueError, AttributeError):
                pass  # damaged, or written by another version of spnb in its own way
        return self.config.learner(self.arms), 0, 1


def join(
    learner: Learner,
    began: tuple[int, str] | None,
    round_: int,
    place: int,
    places: dict[str, int],
) -> None:
    """Let a learner know that arms before the first offer are not to come in this round."""
    if began is not None and began[0] == round_ and began[1] in places:
        learner.join(places[began[1]], place)


def teach(learner: Learner, place: int, kind: str, reward: float | None, trials: int) -> None:
    """Tell a learner what came of a pull."""
    if kind == "lost":
        learner.lost(place)
    elif reward is None:
        raise ConflictError("an entry without a reward cannot be taught")
    elif kind == "tell":
        learner.observe(place, reward, trials)
    else:
        learner.found(place, reward, trials)


def relearned(
    lesson: Lesson,
    history: History,
    start: Checkpoint | None,
    keep: Callable[[Checkpoint], None],
) -> Learner:
    """A learner who has been through the log, corrections known in advance.

    ``start`` is a checkpoint that no correction since has made wrong; ``keep`` is given those
    found on the way.
    """
    learner, after, now = lesson.begin(start)
    events = _stretch(history, after, lesson.until)
    corrected: Corrected = {
        event.extra()["entry"]: (event.reward, event.trials)
        for event in events()
        if event.kind == "correct"
    }
    labels, place = lesson.labels, {arm.label: at for at, arm in enumerate(lesson.arms)}
    recent = lesson.until - LASTING
    for event in events():
        if event.kind == "ask":
            if is_void(event.seq, lesson.voided):
                continue
            round_ = event.round or 0
            for _ in range(now, round_):
                learner.next_round()
            now = max(now, round_)
            if event.arm in place:
                join(learner, lesson.began, round_, place[event.arm], place)
            if event.pull and event.arm in place:
                learner.pulled(place[event.arm])
        elif event.kind in ("tell", "lost", "found") and event.arm in place:
            _retell(learner, place[event.arm], event, corrected)
        if event.seq % (DENSE if event.seq > recent else LASTING) == 0:
            keep(Checkpoint(event.seq, now, labels, learner.to_dict()))
    for _ in range(now, lesson.round):
        learner.next_round()
    return learner


def _stretch(history: History, after: int, until: int) -> Callable[[], Iterable[Event]]:
    """A stretch of the log, to be gone through twice; a short one is read once."""
    if until - after > LASTING:
        return lambda: history(after, until)
    events = list(history(after, until))
    return lambda: events


def _retell(learner: Learner, place: int, event: Event, corrected: Corrected) -> None:
    kind = event.kind
    reward, trials = corrected.get(event.seq) or (event.reward, event.trials)
    if kind == "tell" and reward is None:
        kind = "lost"  # taken back later
    if kind == "lost" or reward is not None:
        teach(learner, place, kind, reward, trials)


def is_void(seq: int, voided: tuple[tuple[int, int], ...]) -> bool:
    """Whether a decision lies in one of the stretches that were voided."""
    return any(first <= seq < last for first, last in voided)
