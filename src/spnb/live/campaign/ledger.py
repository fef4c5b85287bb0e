"""Rewards entered, corrected and given up: what each may do to a decision, and what it notes."""

from dataclasses import dataclass, fields
from typing import Any

from spnb.base.errors import ConflictError, DataError
from spnb.live.campaign.change import Case, Change
from spnb.live.campaign.reference import Reference
from spnb.live.campaign.rewards import Worth


@dataclass(frozen=True, slots=True)
class Told:
    """What is now known of a decision; ``new`` unless it was known before."""

    decision: int
    arm: str
    round: int
    reward: float | None  # None: given up for lost
    new: bool
    trials: int = 1  # the reward is the sum of so many

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {name: getattr(self, name) for name in _TOLD}


_TOLD = tuple(field.name for field in fields(Told))


def tell(change: Change, decision: Reference, worth: Worth) -> Told:
    """A reward has come, in time or after it was given up; the same one twice does no harm."""
    case = change.case(decision)
    if case.worth is not None and worth.contradicts(case.worth):
        raise ConflictError(
            f"decision {case.ask.seq} was told {_words(case.worth, worth)} before, now "
            f"{_words(worth, case.worth)}: if that was wrong, correct it"
        )
    if case.worth is None:
        kind = "tell" if case.state == "open" else "found"
        change.record(kind, note=_said(worth) or None, reward=worth.reward, **_subject(case))
    return _told(case, worth, new=case.worth is None)


def correct(change: Change, decision: Reference, worth: Worth | None) -> Told:
    """The reward was another one, or (None) there was none at all."""
    case = change.case(decision)
    was = case.worth
    if was is None:
        raise DataError(f"decision {case.ask.seq} has no reward to correct: tell it")
    new = worth is None or worth.adds_to(was)
    if new:
        before = {"was": was.reward, "entry": case.entry}
        counted = {"was_trials": was.trials} if was.trials > 1 else {}
        note = before | counted | ({} if worth is None else _said(worth))
        reward = None if worth is None else worth.reward
        change.record("correct", note=note, reward=reward, **_subject(case))
    return _told(case, worth, new=new)


def lose(change: Change, decision: Reference) -> Told:
    """Nobody waits for this reward any longer."""
    case = change.case(decision)
    if case.worth is not None:
        raise ConflictError(f"decision {case.ask.seq} was told {case.worth} before")
    if case.state == "open":
        change.record("lost", note={"by": "hand"}, **_subject(case))
    return _told(case, None, new=case.state == "open")


def _subject(case: Case) -> dict[str, Any]:
    return {"decision": case.ask.seq, "round": case.ask.round, "arm": case.ask.arm}


def _said(worth: Worth) -> dict[str, Any]:
    """What the note of an event says of a reward, beside the reward itself."""
    value = {} if worth.value is None else {"value": worth.value}
    return value | ({"trials": worth.trials} if worth.trials > 1 else {})


def _words(worth: Worth, other: Worth) -> str:
    """A reward as it was told; with its raw value where only that differs."""
    return f"the value {worth.value:g}" if worth.alike(other) else str(worth)


def _told(case: Case, worth: Worth | None, *, new: bool) -> Told:
    reward, trials = (None, 1) if worth is None else (worth.reward, worth.trials)
    return Told(case.ask.seq, str(case.ask.arm), case.ask.round or 0, reward, new, trials)
