"""A log gone through again, event by event, by the rules of live use."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from spnb.base.errors import DataError
from spnb.base.words import said, shown
from spnb.live.campaign import rules
from spnb.live.campaign.arms import check_added, check_retired
from spnb.live.campaign.checkpoints import wrong_since
from spnb.live.campaign.course import FEW, Course, Differs
from spnb.live.campaign.learning import LASTING, Checkpoint, History
from spnb.live.campaign.offers import FARTHEST
from spnb.live.campaign.rewards import RewardRule, Worth, worth_of
from spnb.live.learner import FORM
from spnb.live.store import Event, Pending
from spnb.live.store.events import seal

_NEXT = {"pause": ("running",), "resume": ("paused",), "close": ("running", "paused")}


@dataclass(slots=True)
class Case:
    """A pull of the log, and what is known of its reward; ``entry`` brought it."""

    arm: str
    round: int
    at: int
    state: str = "open"
    worth: Worth | None = None
    entry: int = 0


@dataclass(slots=True)
class Replay:
    """A course that goes through a log again, and insists on every word of it.

    ``patience`` is how many events and rounds may be gone through over again: a log made to take
    for ever ends there.
    """

    course: Course
    history: History
    patience: float = float("inf")
    sealed: bool = True
    cases: dict[int, Case] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)  # since the last leap
    marks: list[Checkpoint] = field(default_factory=list)
    was: str = ""  # the state before the campaign was moved
    stands: int = 0  # up to this event an older form decided

    def step(self, event: Event) -> Event:
        """One more event, sealed; ``Differs`` if it cannot have happened so."""
        if event.seq != self.course.version + 1:
            raise Differs(f"expected event {self.course.version + 1}, found {shown(event.seq)}")
        whole = self._sealed(event)
        rules.check(whole)
        try:
            self._entitled(whole)
            if whole.kind == "ask":
                self._ready(whole.round or 0)
            self.course.apply(whole, check=True)
        except (KeyError, TypeError, ValueError) as error:
            raise Differs(f"it makes no sense here ({said(error)})") from error
        self._noted(whole)
        return whole

    def waiting(self) -> list[Pending]:
        """The pulls whose rewards are still to come."""
        return [
            Pending(number, case.round, case.arm, case.at)
            for number, case in self.cases.items()
            if case.state == "open"
        ]

    def _sealed(self, event: Event) -> Event:
        try:
            found = seal(event, self.course.hash)
        except (TypeError, ValueError):
            found = ""
        if self.sealed and event.hash != found:
            raise Differs("it was changed: this is not what its hash seals")
        return event if self.sealed else replace(event, hash=found)

    def _entitled(self, event: Event) -> None:
        """Whether this may happen now, by the rules of live use."""
        course, kind = self.course, event.kind
        if (kind == "create") != (course.version == 0):
            raise Differs("a log begins with its create event, and has no other")
        if (kind == "arrive") != (course.status == "moved"):
            raise Differs("after a campaign was moved it arrives, and nothing else happens")
        if kind in _NEXT and course.status not in _NEXT[kind]:
            raise Differs(f"the campaign was {course.status}")
        if kind in _RULES:
            _RULES[kind](self, event)

    def _adopted(self, event: Event) -> None:
        if not self.course.form < event.extra()["form"] <= FORM:
            raise Differs(f"the campaign has a learner of form {self.course.form} already")
        self.stands = event.seq

    def _limited(self, event: Event) -> None:
        if event.extra()["lost_after"] == self.course.lost_after:
            raise Differs("it changes nothing")

    def _moved(self, event: Event) -> None:
        self.was = self.course.status

    def _arrived(self, event: Event) -> None:
        if event.extra()["state"] != self.was:
            raise Differs(f"the campaign was {self.was} before it was moved")

    def _added(self, event: Event) -> None:
        extra = event.extra()
        check_added(self.course, str(event.arm), extra["slot"], extra["place"])

    def _retired(self, event: Event) -> None:
        check_retired(self.course, str(event.arm))

    def _on_offer(self, event: Event) -> None:
        course, round_ = self.course, event.round or 0
        arms = course.arms_in(round_)
        labels = [arm.label for arm in arms]
        place = labels.index(event.arm) if event.arm in labels else -1
        ahead = (round_, place) > (course.round, course.last) and round_ >= 1
        if place < 0 or not ahead or not course.open_in(round_):
            raise Differs(f"{event.arm!r} was not on offer in round {round_}")
        if round_ > course.round + FARTHEST:
            raise Differs(f"round {round_} is too far ahead of round {course.round}")
        before = event.extra().get("from")
        here = [course.round, course.last if arms is course.arms else len(arms) - 1]
        leaps = round_ > course.round + FEW
        if before is None and leaps and event.actor:  # an older spnb noted neither
            raise Differs("it jumps far ahead and does not say from where")
        if before is not None and (before != here or not leaps):
            raise Differs(f"it did not come from {before}")

    def _rewarded(self, event: Event) -> None:
        number, kind = event.decision or 0, event.kind
        case = self.cases.get(number)
        if case is None or (case.arm, case.round) != (event.arm, event.round):
            raise Differs(f"there is no pull {number} of {event.arm!r} in round {event.round}")
        wanted = {"tell": "open", "lost": "open", "found": "lost", "correct": "told"}[kind]
        if case.state != wanted:
            raise Differs(f"the reward of pull {number} was {case.state}, not {wanted}")
        extra, rule = event.extra(), self.course.config.reward
        if kind == "lost" and extra["by"] == "limit" and self.course.lost_after is None:
            raise Differs("this campaign gives up no reward by itself")
        if kind == "correct" and case.worth is not None:
            _check_correction(event, case.worth, case.entry)
        if event.reward is None:
            if {"value", "trials"} & set(extra):
                raise Differs("a value and trials need a reward")
            return
        told = _told_by(event, rule)
        if told.reward != event.reward:
            raise Differs(
                f"the value {told.value} is a reward of {told.reward}, not of {event.reward}"
            )

    def _voidable(self, event: Event) -> None:
        course, extra = self.course, event.extra()
        if course.leap != (event.decision, event.round, extra["last"]):
            raise Differs("there was no such jump, or something was pulled since")
        if dict(self.asked) != extra["asked"]:
            raise Differs("these are not the asks since the jump")

    def _ready(self, round_: int) -> None:
        """Teach the learner anew, where a live ask would have."""
        course = self.course
        self._spend(max(round_ - course.round - 1, 0))
        if not course.must_relearn(round_):
            return
        fresh = course.successor(round_)
        if course.form != FORM:  # what it decided stands: nobody needs to be taught
            learner = course.config.learner(fresh.arms)
            self.course = replace(fresh, learner=learner)
            return
        if fresh.arms is not course.arms:
            self.marks.clear()
        start = self.marks[-1] if self.marks else None
        self._spend(course.version + course.round - (start.seq + start.round if start else 0))
        self.course = fresh.relearn(self.history, start, self.marks.append)

    def _spend(self, steps: int) -> None:
        self.patience -= steps
        if self.patience < 0:
            raise DataError("this log goes over its past again and again: it would take for ever")

    def _noted(self, event: Event) -> None:
        """Keep what the rules need to know later."""
        self._note_case(event)
        if event.kind == "ask":
            if self.course.leap is None or self.course.leap[0] == event.seq:
                self.asked.clear()
            self.asked[str(event.arm)] += 1
        wrong = wrong_since(event)
        if wrong is not None:
            while self.marks and self.marks[-1].seq >= wrong:
                self.marks.pop()
        if self.course.due(event.seq - 1):
            self.marks.append(self.course.checkpoint())
            if event.seq % LASTING == 0:
                self._thin(event.seq - LASTING)

    def _thin(self, recent: int) -> None:
        """Of the checkpoints that are no longer recent, keep the first of each stretch."""
        stretches = {mark.seq // LASTING: mark for mark in reversed(self.marks)}
        lasting = {mark.seq for mark in stretches.values()}
        self.marks = [mark for mark in self.marks if mark.seq > recent or mark.seq in lasting]

    def _note_case(self, event: Event) -> None:
        number = event.decision or 0
        if event.kind == "ask" and event.pull:
            self.cases[event.seq] = Case(str(event.arm), event.round or 0, event.at)
        elif event.kind in ("tell", "found", "correct"):
            case = self.cases[number]
            case.state = "told" if event.reward is not None else "lost"
            case.worth = None if event.reward is None else worth_of(event)
            case.entry = case.entry if event.kind == "correct" else event.seq
        elif event.kind == "lost":
            self.cases[number].state = "lost"


def _check_correction(event: Event, was: Worth, entry: int) -> None:
    extra = event.extra()
    if (extra["was"], extra.get("was_trials", 1), extra["entry"]) != (
        was.reward,
        was.trials,
        entry,
    ):
        raise Differs(f"this pull was told {was} in event {entry}")
    if event.reward is not None and not worth_of(event).adds_to(was):
        raise Differs("it corrects nothing")


def _told_by(event: Event, rule: RewardRule) -> Worth:
    """What the reward rule makes of what was told."""
    value = event.extra().get("value")
    if event.trials == 1:
        return rule.worth(event.reward if value is None else None, value)
    if value is not None:
        raise Differs("a value is of one trial")
    return rule.worth(wins=event.reward, trials=event.trials)


_RULES: dict[str, Callable[[Replay, Event], None]] = {
    "ask": Replay._on_offer,
    "tell": Replay._rewarded,
    "lost": Replay._rewarded,
    "found": Replay._rewarded,
    "correct": Replay._rewarded,
    "add": Replay._added,
    "retire": Replay._retired,
    "void": Replay._voidable,
    "adopt": Replay._adopted,
    "limit": Replay._limited,
    "move": Replay._moved,
    "arrive": Replay._arrived,
}
