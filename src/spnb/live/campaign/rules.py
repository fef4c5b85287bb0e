"""What an event of each kind must say, before anything is done with it."""

import math
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from spnb.base.errors import DataError
from spnb.base.words import shown
from spnb.live.campaign.config import LONGEST, MOST_MINUTES
from spnb.live.campaign.course import Differs
from spnb.live.campaign.rewards import MOST_TRIALS
from spnb.live.store import Event
from spnb.live.store.events import KINDS, microseconds, note_text

_FIRST, _LAST = (
    microseconds(datetime(year, 1, 1, tzinfo=UTC)) for year in (2, 9999)
)  # times that a clock in any zone can show
_MOST = 10**15  # rounds, events, places
_LONGEST_NOTE = 4 * 1024 * 1024
LONGEST_REASON = 1000

# The fields that an event of a kind has, of those that not every event has.
_FIELDS: dict[str, tuple[str, ...]] = {
    "create": ("note",),
    "ask": ("round", "arm", "pull", "note"),
    "tell": ("decision", "round", "arm", "reward"),
    "found": ("decision", "round", "arm", "reward"),
    "lost": ("decision", "round", "arm", "note"),
    "correct": ("decision", "round", "arm", "note"),
    "add": ("arm", "note"),
    "retire": ("arm",),
    "void": ("decision", "round", "note"),
    "adopt": ("note",),
    "limit": ("note",),
    "move": (),
    "arrive": ("note",),
}
_ALWAYS = ("seq", "at", "actor", "hash")
_OPTIONAL = {"tell": ("note",), "found": ("note",), "correct": ("reward",)}

Test = Callable[[Any], bool]


def _whole(least: int) -> Test:
    return lambda value: type(value) is int and least <= value <= _MOST


def _text(longest: int) -> Test:
    return lambda value: (
        isinstance(value, str) and 1 <= len(value) <= longest and value.isprintable()
    )


def _measured(value: Any) -> bool:
    """A number; an older spnb also kept the text that it had read as one."""
    if type(value) not in (int, float, bool) and not _text(40)(value):
        return False
    try:
        return math.isfinite(float(value))
    except (ValueError, OverflowError):  # a text that is no number, a number beyond all bounds
        return False


def _reward(value: Any) -> bool:
    return type(value) is float and 0.0 <= value <= MOST_TRIALS


def _trials(value: Any) -> bool:
    return type(value) is int and 2 <= value <= MOST_TRIALS


def _position(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and _whole(0)(value[0]) and _whole(-1)(value[1])
    )


def _counts(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_whole(1), value.values()))


_TYPES: dict[str, tuple[Test, str]] = {
    "seq": (_whole(1), "a whole number >= 1"),
    "at": (lambda at: type(at) is int and _FIRST <= at < _LAST, "a time in the years 2 to 9998"),
    "decision": (_whole(1), "the number of a decision"),
    "round": (_whole(0), "the number of a round"),
    "arm": (_text(LONGEST), "the name of an arm"),
    "pull": (lambda pull: type(pull) is bool, "true or false"),
    "reward": (_reward, "a number in [0, 1], or so many wins"),
    "note": (lambda note: isinstance(note, str) and len(note) <= _LONGEST_NOTE, "a note"),
    "actor": (lambda actor: actor == "" or _text(LONGEST)(actor), "who did it"),
    "hash": (lambda hash_: isinstance(hash_, str) and len(hash_) <= 64, "a hash"),
}

# What a note holds, and what of it may be missing.
_NOTES: dict[str, tuple[dict[str, Test], set[str]]] = {
    "ask": ({"reason": _text(LONGEST_REASON), "from": _position}, {"from"}),
    "tell": ({"value": _measured, "trials": _trials}, {"value", "trials"}),
    "found": ({"value": _measured, "trials": _trials}, {"value", "trials"}),
    "lost": ({"by": lambda by: by in ("hand", "limit")}, set()),
    "correct": (
        {
            "was": _reward,
            "entry": _whole(1),
            "value": _measured,
            "trials": _trials,
            "was_trials": _trials,
        },
        {"value", "trials", "was_trials"},
    ),
    "add": ({"place": _whole(0), "slot": lambda slot: slot is None or _whole(0)(slot)}, set()),
    "void": ({"last": _whole(-1), "asked": _counts}, set()),
    "adopt": ({"form": _whole(2)}, set()),
    "limit": ({"lost_after": lambda value: _whole(1)(value) and value <= MOST_MINUTES}, set()),
    "arrive": ({"state": lambda state: state in ("running", "paused", "closed")}, set()),
}


def check(event: Event) -> None:
    """``Differs``, with the rule, unless the event is one of its kind in every field."""
    if event.kind not in KINDS:
        raise Differs(f"there is no such kind of event: {shown(event.kind)}")
    needed = _FIELDS.get(event.kind, ())
    allowed = {*needed, *_OPTIONAL.get(event.kind, ())}
    for name, (fits, rule) in _TYPES.items():
        value = getattr(event, name)
        if name in _ALWAYS or (name in allowed and value is not None):
            if not fits(value):
                raise Differs(f"its {name} must be {rule}, got {shown(value)}")
        elif (value is None) == (name in needed):
            verb = "needs" if value is None else "has no"
            raise Differs(f"an event of this kind {verb} {name}")
    if event.note is not None and event.kind != "create":
        _check_note(event)
    if event.reward is not None:
        _check_reward(event)


def _check_note(event: Event) -> None:
    tests, optional = _NOTES[event.kind]
    try:
        extra: Any = event.extra()
        plain = isinstance(extra, dict) and note_text(extra) == event.note
    except (ValueError, RecursionError):
        plain = False
    if not plain:
        raise Differs(f"its note is not one that spnb writes: {shown(event.note)}")
    if not extra or not set(tests) - optional <= set(extra) <= set(tests):
        raise Differs(f"its note must hold {', '.join(tests)}, it holds {shown(list(extra))}")
    for name, value in extra.items():
        if not tests[name](value):
            raise Differs(f"its {name} cannot be {shown(value)}")


def _check_reward(event: Event) -> None:
    """A reward lies in [0, 1]; that of counts is a whole number of wins."""
    reward, trials = event.reward or 0.0, event.trials
    if reward > trials or (trials > 1 and reward % 1):
        rule = "in [0, 1]" if trials == 1 else f"a whole number of its {trials} trials"
        raise Differs(f"its reward must be {rule}, got {shown(event.reward)}")


def checked_number(what: str, value: Any, least: int) -> int:
    """A whole number within reason, of a file's header."""
    if not _whole(least)(value):
        raise DataError(f"{what} must be a whole number >= {least}, got {shown(value)}")
    return int(value)
