"""How a statement is judged: checks with p-values, and one verdict over all of them.

A statement is a list of checks, each of one figure against a level.

- *Holds*: every check is shown by its own 95 % interval. That needs no correction for their number:
  if the statement is wrong, some particular check of it is wrong, and that one is taken for shown
  in at most 2.5 % of all runs.
- *Does not hold*: some check is contradicted. Each of many checks might be by chance, so this is
  asked after Holm's correction for their number: a statement that is right in all its checks is
  said not to hold in at most 2.5 % of all runs.
- "In most" needs more than half of the checks, and Holm's correction both ways.
- *Not settled*: anything else, so also whatever a run is too small to tell.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from spnb.paper.experiments.plain import Plain, sample
from spnb.simulation.intervals import Sample

VERDICTS = {True: "holds", False: "does not hold", None: "not settled"}
LEVEL = 0.025  # either side of a 95 % interval


@dataclass(frozen=True, slots=True)
class Check:
    """One figure held against a level; the p-values say how surely it is so, and is not so."""

    text: str
    found: Plain
    shown: float
    refuted: float
    percent: bool = False
    holds: bool | None = None

    def figure(self) -> str:
        return text_of(self.found, self.percent)

    def to_dict(self) -> dict[str, Any]:
        ends = {name: self.found.get(name) for name in ("mean", "low", "high")}
        tails = {"shown_p": float(f"{self.shown:.3g}"), "refuted_p": float(f"{self.refuted:.3g}")}
        return {"text": self.text, **ends, **tails, "holds": self.holds}


class MissingError(Exception):
    """These settings say nothing about the statement; the message says why."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What is said, where, what it means in figures and with which tolerance, and how to check."""

    id: str
    part: str
    where: str
    words: str
    meaning: str
    checks: Callable[[Plain], Sequence[Check]]
    tolerance: str = "none"
    quorum: Literal["all", "most"] = "all"
    why_not: str = ""
    notes: Callable[[Plain], str] | None = None

    @property
    def own(self) -> bool:
        """Whether spnb says it of itself."""
        return self.where == "spnb"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement judged by a run."""

    statement: Statement
    holds: bool | None
    checks: tuple[Check, ...] = ()
    why: str = ""

    @property
    def id(self) -> str:
        return self.statement.id

    def to_dict(self) -> dict[str, Any]:
        said = self.statement
        return {
            "id": said.id,
            "where": said.where,
            "words": said.words,
            "meaning": said.meaning,
            "tolerance": said.tolerance,
            "verdict": VERDICTS[self.holds],
            "holds": self.holds,
            "why": self.why,
            "checks": [check.to_dict() for check in self.checks],
        }


def judged(said: Statement, results: Plain) -> Claim:
    """The statement with the verdict of its checks."""
    try:
        checks = said.checks(results)
    except MissingError as missing:
        return Claim(said, None, (), str(missing))
    told = _each(checks, said.quorum)
    holds = _all(told) if said.quorum == "all" else _most(told)
    why = _amiss(told, holds) if holds is not True else ""
    if holds is False:
        why = f"{said.why_not} {why}".strip()
    if said.notes is not None:
        why = " ".join(filter(None, (why, said.notes(results))))
    return Claim(said, holds, tuple(told), why)


def _each(checks: Sequence[Check], quorum: str) -> list[Check]:
    """Every check with its own answer."""
    refuted = holm([check.refuted for check in checks])
    if quorum == "most":
        shown = holm([check.shown for check in checks])
    else:
        shown = [check.shown <= LEVEL for check in checks]
    answers = [
        False if no else True if yes else None for yes, no in zip(shown, refuted, strict=True)
    ]
    return [replace(check, holds=answer) for check, answer in zip(checks, answers, strict=True)]


def holm(values: Sequence[float], level: float = LEVEL) -> list[bool]:
    """Which of these p-values are small after Holm's correction for their number."""
    small = [False] * len(values)
    for rank, i in enumerate(sorted(range(len(values)), key=lambda i: values[i])):
        if values[i] > level / (len(values) - rank):
            break
        small[i] = True
    return small


def _all(checks: Sequence[Check]) -> bool | None:
    answers = [check.holds for check in checks]
    if False in answers:
        return False
    return None if None in answers or not answers else True


def _most(checks: Sequence[Check]) -> bool | None:
    shown = sum(check.holds is True for check in checks)
    refuted = sum(check.holds is False for check in checks)
    if 2 * shown > len(checks):
        return True
    return False if checks and 2 * refuted >= len(checks) else None


def _amiss(checks: Sequence[Check], holds: bool | None) -> str:
    listed = [f"{check.text}: {check.figure()}" for check in checks if check.holds is holds]
    what = "Contradicted" if holds is False else "Not settled by this many runs"
    rest = f"; and {len(listed) - 4} more" if len(listed) > 4 else ""
    return f"{what}: {'; '.join(listed[:4])}{rest}."


def above(text: str, found: Plain, level: float = 0.0, *, percent: bool = False) -> Check:
    """The mean is above the level."""
    of = sample(found)
    return Check(text, found, of.above(level), _not(of, level, of.below(level)), percent)


def below(text: str, found: Plain, level: float = 0.0, *, percent: bool = False) -> Check:
    """The mean is below the level."""
    of = sample(found)
    return Check(text, found, of.below(level), _not(of, level, of.above(level)), percent)


def _not(of: Sample, level: float, other_side: float) -> float:
    """The p-value against a strict inequality: values all at the level itself speak against it."""
    return 0.5**of.count if of.sd == 0 and of.mean == level else other_side


def within(text: str, found: Plain, least: float, most: float, *, percent: bool = False) -> Check:
    """The mean lies between two levels."""
    of = sample(found)
    shown = max(of.above(least), of.below(most))
    return Check(text, found, shown, min(of.below(least), of.above(most)), percent)


def exact(text: str, value: float, so: bool) -> Check:
    """A figure without chance in it."""
    found = {"mean": value, "low": value, "high": value}
    return Check(text, found, 0.0 if so else 1.0, 1.0 if so else 0.0)


def text_of(found: Plain, percent: bool = False) -> str:
    """``-14.6 % [-14.9, -14.3]``, in percent if wanted."""
    scale, unit = (100.0, " %") if percent else (1.0, "")
    mean, low, high = found["mean"], found["low"], found["high"]
    if mean is None:
        return "no figure"
    if low is None:
        return f"{mean * scale:.3g}{unit} (one run, no interval)"
    if low == mean == high:
        return f"{mean * scale:.4g}{unit}"
    size = max(abs(mean), abs(low), abs(high)) * scale
    digits = 0 if size >= 1000 else 1 if size >= 10 else 2
    shown = (f"{value * scale:.{digits}f}" for value in (mean, low, high))
    return "{}{unit} [{}, {}]".format(*shown, unit=unit)
