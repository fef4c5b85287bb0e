"""How a learner hears of what happened: event by event, or all over again from the log."""

from collections.abc import Callable, Iterable

from spnb.base.errors import ConflictError
from spnb.live.campaign.config import Arm, Config
from spnb.live.learner import Learner
from spnb.live.store.events import Event

History = Callable[[int], Iterable[Event]]
"""The log up to and including this event, from its beginning."""


def teach(learner: Learner, place: int, kind: str, reward: float | None) -> None:
    """Tell a learner what came of a pull."""
    if kind == "lost":
        learner.lost(place)
    elif reward is None:
        raise ConflictError("an entry without a reward cannot be taught")
    elif kind == "tell":
        learner.observe(place, reward)
    else:
        learner.found(place, reward)


def relearned(
    config: Config, arms: tuple[Arm, ...], round_: int, until: int, history: History
) -> Learner:
    """A learner for these arms who has been through the whole log, corrections known in advance."""
    corrected = {
        event.extra()["entry"]: event.reward for event in history(until) if event.kind == "correct"
    }
    place = {arm.label: at for at, arm in enumerate(arms)}
    learner, now = config.learner(len(arms)), 1
    for event in history(until):
        if event.kind == "ask":
            for _ in range(now, event.round or 0):
                learner.next_round()
            now = max(now, event.round or 0)
            if event.pull and event.arm in place:
                learner.pulled(place[event.arm])
        elif event.kind in ("tell", "lost", "found") and event.arm in place:
            kind, reward = event.kind, corrected.get(event.seq, event.reward)
            if kind == "tell" and reward is None:
                kind = "lost"  # taken back later
            if kind == "lost" or reward is not None:
                teach(learner, place[event.arm], kind, reward)
    for _ in range(now, round_):
        learner.next_round()
    return learner
