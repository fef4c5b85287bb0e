"""The course of a campaign: where it stands, and what each event of its log does to it.

Nothing here knows a clock or a database. The same code moves a live campaign on and replays its
log, so that what is verified is what happened.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from spnb.base.errors import DataError
from spnb.live.campaign.config import Arm, Config
from spnb.live.campaign.learning import (
    DENSE,
    Checkpoint,
    History,
    Lesson,
    join,
    relearned,
    teach,
)
from spnb.live.campaign.tally import Tally
from spnb.live.learner import FORM, Learner
from spnb.live.store.events import Event

ALLOWANCE = 250_000  # steps back into the log that nobody has to pay for
FEW = 7  # rounds: who leaps farther ahead of the campaign may have a wrong clock
STATES = {"pause": "paused", "resume": "running", "close": "closed", "move": "moved"}

_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


class Differs(Exception):  # noqa: N818 - not an error of ours but a finding
    """A replayed event is not what the log says."""


@dataclass(slots=True)
class Course:
    """The moving part of a campaign.

    ``hash`` is that of the last event. ``arms`` are those of the current round; ``coming`` those
    from the next round on, if they differ. ``stale`` says that the learner must be taught anew
    before it is asked again, as one of an older ``form`` always must. ``leap`` is the ask that went
    many rounds ahead, with the round and the place before it, until something is pulled;
    ``voided`` are stretches of the log whose asks do not count. ``began`` is the first offer, its
    round and arm, if it was not the first one of a round. ``lost_after`` may change on the way.

    ``behind`` is the first entry (its event and round) that was changed and is still to be learnt;
    ``went_back`` counts the steps, events and rounds, that were gone through again. Both keep what
    is learnt anew in proportion to what has happened: see ``must_relearn``.
    """

    config: Config
    version: int
    hash: str
    round: int
    last: int  # the place of the arm asked about last in this round
    status: str
    stale: bool
    latest_pull: int | None
    arms: tuple[Arm, ...]
    coming: tuple[Arm, ...] | None
    tally: dict[str, Tally]
    learner: Learner
    leap: tuple[int, int, int] | None = None
    voided: tuple[tuple[int, int], ...] = ()
    form: int = FORM
    behind: tuple[int, int] | None = None
    went_back: int = 0
    began: tuple[int, str] | None = None
    lost_after: int | None = None
    _place: dict[str, int] = field(init=False, repr=False)
    _written_arms: tuple[tuple[Arm, ...] | None, str] = field(init=False, repr=False, compare=False)
    _written_tally: dict[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._written_arms, self._written_tally = (None, ""), {}
        self._place = {arm.label: place for place, arm in enumerate(self.arms)}

    @classmethod
    def new(cls, config: Config, salt: str) -> "Course":
        """Before anything has happened; the chain of hashes begins with the salt."""
        tally = {arm.label: Tally() for arm in config.arms}
        learner, arms = config.learner(config.arms), config.arms
        older, form = config.form != FORM, config.form
        begun = cls(config, 0, salt, 0, -1, "running", older, None, arms, None, tally, learner)
        return replace(begun, form=form, lost_after=config.lost_after)

    def to_json(self) -> str:
        """The snapshot; its length does not depend on how much has happened."""
        body = {
            "round": self.round,
            "last": self.last,
            "status": self.status,
            "stale": self.stale,
            "latest_pull": self.latest_pull,
            "coming": None if self.coming is None else _listed(self.coming),
            "learner": self.learner.to_dict(),
        }
        adopted = None if self.form == self.config.form else self.form
        changed = None if self.lost_after == self.config.lost_after else self.lost_after
        rare = {
            "leap": self.leap,
            "voided": self.voided,
            "form": adopted,
            "behind": self.behind,
            "went_back": self.went_back,
            "began": self.began,
            "lost_after": changed,
        }
        body |= {name: value for name, value in rare.items() if value}
        return f'{_json(body)[:-1]},"arms":{self._arms_text()},"tally":{self._tally_text()}}}'

    def _arms_text(self) -> str:
        if self._written_arms[0] is not self.arms:
            self._written_arms = (self.arms, _json(_listed(self.arms)))
        return self._written_arms[1]

    def _tally_text(self) -> str:
        """Each event changes the counts of one arm: the text of the others is kept."""
        texts = self._written_tally
        for label, tally in self.tally.items():
            if label not in texts:
                texts[label] = f"{_json(label)}:{_json(tally.to_list())}"
        return f"{{{','.join(map(texts.__getitem__, self.tally))}}}"

    @classmethod
    def from_json(cls, config: Config, version: int, hash_: str, text: str) -> "Course":
        """What ``to_json`` wrote."""
        try:
            body: dict[str, Any] = json.loads(text)
            arms, coming = _arms(body["arms"]), body["coming"]
            leap, behind, began = (body.get(name) for name in ("leap", "behind", "began"))
            learner = _learner(body["learner"])
            return cls(
                config=config,
                version=version,
                hash=hash_,
                round=body["round"],
                last=body["last"],
                status=body["status"],
                stale=body["stale"] or learner is None or body.get("form", config.form) != FORM,
                latest_pull=body["latest_pull"],
                arms=arms,
                coming=None if coming is None else _arms(coming),
                tally={label: Tally(*counts) for label, counts in body["tally"].items()},
                learner=learner or config.learner(arms),
                leap=None if leap is None else (leap[0], leap[1], leap[2]),
                voided=tuple((first, last) for first, last in body.get("voided", ())),
                form=body.get("form", config.form),
                behind=None if behind is None else (behind[0], behind[1]),
                went_back=body.get("went_back", 0),
                began=None if began is None else (began[0], began[1]),
                lost_after=body.get("lost_after", config.lost_after),
            )
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise DataError(f"the snapshot is damaged ({error}): restore a backup") from error

    def arms_in(self, round_: int) -> tuple[Arm, ...]:
        """The arms that a round offers."""
        return self.coming if self.coming is not None and round_ > self.round else self.arms

    def slots(self, round_: int) -> list[int]:
        """The slots of a round, in a campaign that goes by the clock."""
        return [arm.slot or 0 for arm in self.arms_in(round_)]

    def must_relearn(self, round_: int) -> bool:
        """Whether an ask in this round needs the learner to be taught anew first.

        Corrections are learnt at once, unless they are so many and so old that going back to them
        would take ever more of everybody's time: then they wait until enough has happened since.
        """
        if self.stale or self.arms_in(round_) is not self.arms:
            return True
        return self.behind is not None and self.affords(self._way(round_))

    def affords(self, steps: int) -> bool:
        """Whether so many steps back are in proportion to what has happened."""
        return self.shortfall(steps) <= 0

    def shortfall(self, steps: int) -> int:
        """The steps forward that are missing until so many steps back are in proportion."""
        if self.config.patience is None:
            return 0
        paid = ALLOWANCE + self.config.patience * (self.version + self.round)
        return -((paid - self.went_back - steps) // (self.config.patience - 1))

    def lesson_in(self) -> int:
        """After about how many more events corrections that wait will be learnt."""
        return max(self.shortfall(self._way(self.round)), 0) if self.behind is not None else 0

    def _way(self, round_: int) -> int:
        """The steps back that teaching the learner anew takes."""
        if self.config.patience is None:
            return 0
        if self.arms_in(round_) is not self.arms:
            return self.version + self.round
        if self.behind is None:
            return 0
        return self.version - self.behind[0] + self.round - self.behind[1] + DENSE

    def open_in(self, round_: int) -> bool:
        """Whether offers of this round are decided at all."""
        rounds = self.config.rounds
        return self.status == "running" and not self.spent and (rounds is None or round_ <= rounds)

    @property
    def spent(self) -> bool:
        """Whether all pulls that there were to be are made."""
        return self.config.pulls is not None and self.pulled >= self.config.pulls

    @property
    def pulled(self) -> int:
        """The pulls so far."""
        return sum(tally.pulled for tally in self.tally.values())

    @property
    def decided(self) -> bool:
        """Whether the best arm was looked for, and the agent has made up its mind."""
        return self.config.goal == "best" and self.learner.stopped

    def wants(self, place: int) -> bool:
        """The decision: would this arm be pulled now?"""
        return not self.decided and self.learner.ask(place)

    def enter(self, round_: int) -> None:
        """Move on to this round; those between go by with nothing pulled."""
        for _ in range(max(self.round, 1), round_):
            self.learner.next_round()
        if round_ > self.round:
            self.round, self.last = round_, -1

    def meet(self, round_: int, place: int) -> None:
        """Come to the offer of this round and place."""
        first = self.round == 0
        self.enter(round_)
        if first and place > 0 and self.config.joins:
            self.began = (round_, self.arms[place].label)
        join(self.learner, self.began, round_, place, self._place)

    def apply(self, event: Event, *, check: bool = False) -> None:
        """Let an event happen; ``check`` insists on the decision that the log says was taken."""
        self._written_tally.pop(event.arm or "", None)
        if event.kind == "ask":
            self._ask(event, check)
        elif event.kind in ("tell", "lost", "found"):
            self._hear(event)
        elif event.kind == "correct":
            self._correct(event)
        elif event.kind in ("add", "retire"):
            self._change_arms(event)
        elif event.kind == "void":
            self._void(event)
        elif event.kind == "adopt":
            self.form, self.stale = event.extra()["form"], True
        elif event.kind == "limit":
            self.lost_after = event.extra()["lost_after"]
        elif event.kind == "arrive":
            self.status = event.extra()["state"]
        elif event.kind != "create":
            self.status = STATES[event.kind]
        self.version, self.hash = event.seq, event.hash

    def _ask(self, event: Event, check: bool) -> None:
        label, round_ = str(event.arm), event.round or 0
        place, tally = self._place[label], self.tally[label]
        self.meet(round_, place)
        if check and self.form == FORM and self.wants(place) != event.pull:
            said, found = ("pull", "pass") if event.pull else ("pass", "pull")
            raise Differs(f"the log says {said}, the agent says {found}")
        self.last = place
        tally.asked += 1
        before = event.extra().get("from") if '"from"' in (event.note or "") else None
        if before:
            self.leap = (event.seq, before[0], before[1])
        if event.pull:
            self.learner.pulled(place)
            tally.pulled += 1
            self.latest_pull, self.leap = event.seq, None

    def _hear(self, event: Event) -> None:
        label, reward = str(event.arm), event.reward
        tally = self.tally[label]
        if event.kind == "lost":
            tally.lost += 1
        else:
            tally.told += 1
            tally.sum += reward or 0.0
            tally.more += event.trials - 1
            tally.lost -= event.kind == "found"
        known = not self.stale and self.form == FORM and label in self._place
        if known and not (event.kind == "found" and self.behind is not None):
            # Behind, the learner may not know that this reward was given up for lost.
            teach(self.learner, self._place[label], event.kind, reward, event.trials)

    def _correct(self, event: Event) -> None:
        tally, extra = self.tally[str(event.arm)], event.extra()
        was, trials = extra["was"], extra.get("was_trials", 1)
        if event.reward is None:
            tally.told -= 1
            tally.lost += 1
        tally.sum += (event.reward or 0.0) - was
        tally.more += event.trials - trials
        if (event.reward, event.trials) != (was, trials):  # or only the raw value
            self._changed(extra["entry"], event.round or 0)

    def _changed(self, entry: int, round_: int) -> None:
        """What the log says from this entry on is not what the learner has heard."""
        if self.config.patience is None:
            self.stale = True
        else:
            self.behind = min(self.behind or (entry, round_), (entry, round_))

    def _change_arms(self, event: Event) -> None:
        label, arms, extra = str(event.arm), self.coming or self.arms, event.extra()
        if event.kind == "retire":
            self.coming = tuple(arm for arm in arms if arm.label != label)
            return
        place = extra["place"]
        self.coming = (*arms[:place], Arm(label, extra["slot"]), *arms[place:])
        self.tally.setdefault(label, Tally())

    def _void(self, event: Event) -> None:
        extra = event.extra()
        self.round, self.last = event.round or 0, extra["last"]
        for label, asked in extra["asked"].items():
            self.tally[label].asked -= asked
        self._written_tally.clear()
        self.voided = (*self.voided, (event.decision or 0, event.seq))
        self.leap, self.stale = None, True
        self._changed(event.decision or 0, self.round)
        if self.round == 0:
            self.began = None

    def successor(self, round_: int) -> "Course":
        """The same course as an ask in this round finds it, its learner still to be taught."""
        arms = self.arms_in(round_)
        moved = arms is not self.arms
        return replace(
            self,
            stale=False,
            behind=None,
            went_back=self.went_back + self._way(round_),
            arms=arms,
            coming=None if moved else self.coming,
            # Whoever comes back to this round (a leap was voided) finds it over.
            last=len(arms) - 1 if moved else self.last,
            leap=None if moved else self.leap,
            tally={label: replace(tally) for label, tally in self.tally.items()},
        )

    def relearn(
        self,
        history: History,
        start: Checkpoint | None,
        keep: Callable[[Checkpoint], None] = lambda checkpoint: None,
    ) -> "Course":
        """Teach the learner anew from the log.

        It becomes what it would be had the arms always been these and the rewards always right;
        past decisions stand, whatever it thinks of them now.
        """
        lesson = Lesson(self.config, self.arms, self.version, self.round, self.voided, self.began)
        self.learner = relearned(lesson, history, start, keep)
        return self

    def checkpoint(self) -> Checkpoint:
        """What the learner knows now."""
        labels = tuple(self._place)
        return Checkpoint(self.version, max(self.round, 1), labels, self.learner.to_dict())

    def due(self, version: int) -> bool:
        """Whether a checkpoint is due, having come from this event."""
        moved_on = self.version // DENSE != version // DENSE
        return moved_on and not self.stale and self.behind is None


def _learner(saved: dict[str, Any]) -> Learner | None:
    """The learner of a snapshot; None if another version of spnb wrote it in its own way.

    The log is what counts: such a learner is taught anew from it.
    """
    try:
        return Learner.from_dict(saved)
    except DataError:
        return None


def readable(snapshot: Any) -> bool:
    """Whether the learner of a snapshot is one that this version wrote."""
    return isinstance(snapshot, dict) and _learner(snapshot.get("learner", {})) is not None


def _listed(arms: tuple[Arm, ...]) -> list[list[Any]]:
    return [[arm.label, arm.slot] for arm in arms]


def _arms(listed: list[list[Any]]) -> tuple[Arm, ...]:
    return tuple(Arm(label, slot) for label, slot in listed)
