"""Rewards entered, corrected and given up: what each may do to a decision, and what it notes."""

from dataclasses import dataclass
from typing import Any

from spnb.base.errors import ConflictError, DataError
from spnb.live.campaign.change import Case, Change


@dataclass(frozen=True, slots=True)
class Told:
    """What is now known of a decision; ``new`` unless it was known before."""

    decision: int
    arm: str
    round: int
    reward: float | None  # None: given up for lost
    new: bool


def tell(change: Change, decision: int | None, reward: float, value: float | None) -> Told:
    """A reward has come, in time or after it was given up; the same one twice does no harm."""
    case = change.case(decision)
    if case.state == "told" and case.reward != reward:
        raise ConflictError(
            f"decision {case.ask.seq} was told {case.reward:g} before, now {reward:g}: "
            "if that was wrong, correct it"
        )
    if case.state != "told":
        note = None if value is None else {"value": value}
        kind = "tell" if case.state == "open" else "found"
        change.record(kind, note=note, reward=reward, **_subject(case))
    return _told(case, reward, new=case.state != "told")


def correct(
    change: Change, decision: int | None, reward: float | None, value: float | None
) -> Told:
    """The reward was another one, or (None) there was none at all."""
    case = change.case(decision)
    if case.state != "told":
        raise DataError(f"decision {case.ask.seq} has no reward to correct: tell it")
    if case.reward != reward:
        note = {"was": case.reward, "entry": case.entry}
        if value is not None:
            note["value"] = value
        change.record("correct", note=note, reward=reward, **_subject(case))
    return _told(case, reward, new=case.reward != reward)


def lose(change: Change, decision: int | None) -> Told:
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
