"""Exports changed at random: fields, kinds, numbers, notes, order, length, single characters."""

import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from live.helpers import resealed
from spnb.live.store.events import KINDS

Line = dict[str, Any]

ODD: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 0.5, 1.0, -0.5, 1e308, 10**18, 10**30, 10**400, "", "a", "b",
    "x" * 300, "\x1b[31m", "\u202e", "[red]", [], {}, [1], {"a": 1}, "2026-01-01T00:00:00+00:00",
    "9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+00:00", "2026-01-01", "above 0.3", "Seq(TS)",
    "Seq(" * 300, 20_000, 90_000, float("nan"), float("inf"), "UCB1", "unit",
]  # fmt: skip
FIELDS = [
    "seq", "at", "kind", "decision", "round", "arm", "pull", "reward", "note", "actor", "hash", "x",
]  # fmt: skip


def _value(luck: random.Random, lines: list[Line], field: str) -> Any:
    """Something odd, or what another event has there, or a little more or less."""
    if field == "kind" and luck.random() < 0.7:
        return luck.choice(KINDS)
    if luck.random() < 0.4:
        return luck.choice(lines).get(field)
    return luck.choice(ODD)


def _field(luck: random.Random, lines: list[Line]) -> None:
    event, field = luck.choice(lines), luck.choice(FIELDS)
    if luck.random() < 0.2:
        event.pop(field, None)
    elif type(event.get(field)) is int and luck.random() < 0.5:
        event[field] += luck.choice([-2, -1, 1, 2, 1000])
    else:
        event[field] = _value(luck, lines, field)


def _note(luck: random.Random, lines: list[Line]) -> None:
    events = [event for event in lines if isinstance(event.get("note"), dict) and event["note"]]
    if events:
        note = luck.choice(events)["note"]
        name = luck.choice([*note, "value", "from", "trials", "was_trials"])
        inner = note.get(name)
        if isinstance(inner, list) and inner and luck.random() < 0.5:
            inner[luck.randrange(len(inner))] = luck.choice(ODD)
        elif luck.random() < 0.2:
            note.pop(name, None)
        else:
            note[name] = luck.choice(ODD)


def _order(luck: random.Random, lines: list[Line]) -> None:
    first, second = luck.randrange(len(lines)), luck.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]


def _again(luck: random.Random, lines: list[Line]) -> None:
    lines.insert(luck.randrange(len(lines) + 1), dict(luck.choice(lines)))


def _out(luck: random.Random, lines: list[Line]) -> None:
    del lines[luck.randrange(len(lines))]


def _short(luck: random.Random, lines: list[Line]) -> None:
    del lines[luck.randrange(1, len(lines) + 1) :]


def _renumbered(luck: random.Random, lines: list[Line]) -> None:
    luck.choice([_out, _again, _order])(luck, lines)
    for number, event in enumerate(lines, start=1):
        event["seq"] = number


CHANGES: list[Callable[[random.Random, list[Line]], None]] = [
    _field, _field, _field, _field, _note, _note, _note, _order, _again, _out, _short, _renumbered,
]  # fmt: skip


def mutated(whole: list[str], luck: random.Random) -> list[str]:
    """An export with a few changes; often sealed again, or of the format that has no hashes."""
    header, *events, end = whole
    lines: list[Line] = [json.loads(line) for line in events]
    for _ in range(luck.choice([1, 1, 1, 2, 3])):
        if lines:
            luck.choice(CHANGES)(luck, lines)
    plain = [header, *(json.dumps(line) + "\n" for line in lines), end]
    how = luck.random()
    if how < 0.4:
        with suppress(Exception):  # what cannot be sealed is left as it is
            plain = resealed(plain)
    elif how < 0.8:
        first = {"format": "spnb campaign 1", "name": "c", "events": len(lines)}
        plain = [json.dumps(first) + "\n", *plain[1:-1]]
    if luck.random() < 0.1:
        plain[0] = json.dumps(json.loads(plain[0]) | {luck.choice(HEADER): luck.choice(ODD)})
    if luck.random() < 0.1:
        plain = _scratched(plain, luck)
    return plain


HEADER = ["format", "name", "uid", "salt", "events"]


def _scratched(lines: list[str], luck: random.Random) -> list[str]:
    """A few characters changed, wherever they are."""
    text = list("".join(lines))
    for _ in range(luck.randint(1, 4)):
        text[luck.randrange(len(text))] = luck.choice('{}[]",:0e\\\x00é\n ')
    return "".join(text).splitlines(keepends=True)
