"""Rewards entered, corrected and given up: what each may do to a decision, and what it notes."""

from dataclasses import dataclass
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


def tell(change: Change, decision: Reference, worth: Worth) -> Told:
    """A reward has come, in time or after it was given up; the same one twice does no harm."""
    case, reward = change.case(decision), worth.reward
    if case.state == "told" and case.reward != reward:
        raise ConflictError(
            f"decision {case.ask.seq} was told {case.reward:g} before, now {reward:g}: "
            "if that was wrong, correct it"
        )
    if case.state != "told":
        note = None if worth.value is None else {"value": worth.value}
        kind = "tell" if case.state == "open" else "found"
        change.record(kind, note=note, reward=reward, **_subject(case))
    return _told(case, reward, new=case.state != "told")


def correct(change: Change, decision: Reference, worth: Worth | None) -> Told:
    """The reward was another one, or (None) there was none at all."""
    case, reward = change.case(decision), None if worth is None else worth.reward
    if case.state != "told":
        raise DataError(f"decision {case.ask.seq} has no reward to correct: tell it")
    if case.reward != reward:
        note = {"was": case.reward, "entry": case.entry}
        if worth is not None and worth.value is not None:
            note["value"] = worth.value
        change.record("correct", note=note, reward=reward, **_subject(case))
    return _told(case, reward, new=case.reward != reward)


def lose(change: Change, decision: Reference) -> Told:
    """Nobody waits for this reward any longer."""
    case = change.case(decision)
    if case.state == "told":
        raise ConflictError(f"decision {case.ask.seq} was told {case.reward:g} before")
    if case.state == "open":
        change.record("lost", note={"by": "hand"}, **_subject(case))
    return _told(case, None, new=case.state == "open")


def _subject(case: Case) -> dict[str, Any]:
    return {"decision": case.ask.seq, "round": case.ask.round, "arm": case.ask.arm}


def _told(case: Case, reward: float | None, *, new: bool) -> Told:
    return Told(case.ask.seq, str(case.ask.arm), case.ask.round or 0, reward, new)
