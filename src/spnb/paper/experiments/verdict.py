"""A claim and its checks: each compares an interval with a level, and may stay undecided."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from spnb.paper.experiments.plain import Plain

VERDICTS = {True: "holds", False: "does not hold", None: "not settled"}


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison: true, false, or None where the interval straddles the level."""

    text: str
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Claim:
    """What the paper says, what came out here, and whether the two agree."""

    id: int
    claim: str
    paper: str
    ours: str
    holds: bool | None
    why: str
    checks: tuple[Check, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        checks = [{"text": check.text, "holds": check.holds} for check in self.checks]
        return {
            "id": self.id,
            "claim": self.claim,
            "paper": self.paper,
            "ours": self.ours,
            "holds": self.holds,
            "why": self.why,
            "checks": checks,
        }


def judged(
    id_: int, claim: str, paper: str, ours: str, checks: Sequence[Check], why_not: str = ""
) -> Claim:
    """The claim with the verdict of its checks; ``why_not`` is said where it does not hold."""
    holds = verdict([check.holds for check in checks])
    why = ""
    if holds is not True:
        amiss = [check.text for check in checks if check.holds is holds]
        what = "Does not hold" if holds is False else "Not settled by this many runs"
        why = " ".join(filter(None, [why_not if holds is False else "", _named(what, amiss)]))
    return Claim(id_, claim, paper, ours, holds, why, tuple(checks))


def unanswered(id_: int, claim: str, paper: str, why: str) -> Claim:
    """A claim that these settings cannot speak to."""
    return Claim(id_, claim, paper, "", None, why)


def verdict(holds: Sequence[bool | None]) -> bool | None:
    """False if anything is contradicted, true if everything is shown, else undecided."""
    if False in holds:
        return False
    return None if None in holds or not holds else True


def _named(what: str, amiss: Sequence[str]) -> str:
    rest = f" and {len(amiss) - 6} more" if len(amiss) > 6 else ""
    return f"{what}: {'; '.join(amiss[:6])}{rest}"


def ends(estimate: Plain) -> tuple[float, float]:
    """The interval; the mean by itself where a single run gives none, which settles nothing."""
    if estimate["low"] is None:
        return float("-inf"), float("inf")
    return float(estimate["low"]), float(estimate["high"])


def above(text: str, estimate: Plain, level: float = 0.0) -> Check:
    """The interval lies above the level."""
    low, high = ends(estimate)
    return Check(text, True if low > level else False if high <= level else None)


def below(text: str, estimate: Plain, level: float = 0.0) -> Check:
    """The interval lies below the level."""
    low, high = ends(estimate)
    return Check(text, True if high < level else False if low >= level else None)


def within(text: str, estimate: Plain, least: float, most: float) -> Check:
    """The interval lies between two levels."""
    low, high = ends(estimate)
    inside = least <= low and high <= most
    outside = high < least or low > most
    return Check(text, True if inside else False if outside else None)


def text_of(estimate: Plain, percent: bool = False) -> str:
    """``-14.6 [-14.9, -14.3]``, in percent if wanted."""
    scale, unit = (100.0, " %") if percent else (1.0, "")
    mean, low, high = estimate["mean"], estimate["low"], estimate["high"]
    if low is None:
        return f"{mean * scale:.3g}{unit} (one run, no interval)"
    size = max(abs(mean), abs(low), abs(high)) * scale
    digits = 0 if size >= 1000 else 1 if size >= 10 else 2
    shown = (f"{value * scale:.{digits}f}" for value in (mean, low, high))
    return "{}{unit} [{}, {}]".format(*shown, unit=unit)
