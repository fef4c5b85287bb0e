"""What the paper says of the monitoring study."""

from collections.abc import Sequence

from spnb.paper.experiments.bai import SHOWN_C, c_text
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.verdict import Check, MissingError, Statement, below

C = c_text(SHOWN_C)
WHERE = "Real-world datasets, monitoring"


def at_c(results: Plain, c: str) -> list[Check]:
    if c not in results["c"]:
        raise MissingError(f"This run has no c = {c}, of which the statement speaks.")
    return [
        below(f"c = {c}: numbers of rounds with a wrong answer, {pair}, below 0", found)
        for pair, found in results["c"][c]["paired"].items()
    ]


def shown(results: Plain) -> list[Check]:
    return at_c(results, C)


def every(results: Plain) -> list[Check]:
    others = [c for c in results["c"] if c != C]
    if not others:
        raise MissingError(f"This run has no other value of c than {C}.")
    return [check for c in others for check in at_c(results, c)]


def right_from(results: Plain) -> str:
    """From which number of rounds on answers are right nine times in ten."""
    if C not in results["c"]:
        return ""
    agents = {label: results["c"][C]["agents"][label] for label in ("UCBE", "Seq(UCBE)")}
    agents["SR+"] = results["SR+"]
    told = (f"{label} {found['rounds_to_90'] or 'never'}" for label, found in agents.items())
    return f"90 % right (smoothed) from this number of rounds on, c = {C}: {', '.join(told)}."


def crossing(results: Plain) -> str:
    """Where SR+ overtakes: the statement is about all numbers of rounds together."""
    told = []
    for c, at in results["c"].items():
        seq, rejects = at["agents"]["Seq(UCBE)"]["correct"], results["SR+"]["correct"]
        pairs = zip(seq["rounds"], seq["mean"], rejects["mean"], strict=True)
        told.append(f"{max((n for n, one, two in pairs if one > two), default=0)} (c = {c})")
    return (
        f"Seq(UCBE) is right more often than SR+ up to about this many rounds: {', '.join(told)}."
    )


def both(results: Plain) -> str:
    return f"{right_from(results)} {crossing(results)}".strip()


MEANING = (
    "of all numbers of rounds up to the last, Seq(UCBE) answers wrongly after fewer than UCBE and "
    "than SR+, averaged over tables"
)

STATEMENTS: Sequence[Statement] = (
    Statement(
        "W1", "water", WHERE,
        "Seq(UCBE) requires a lower number of rounds to identifying the best arm "
        "correctly than both UCBE and SR+", f"c = {C}: {MEANING}", shown, notes=both,
    ),
    Statement(
        "W2", "water", "Supplement, additional results", "for every value of c tested ... higher "
        "percentages of correct best-arm identification", f"every other c: {MEANING}", every,
        notes=crossing,
    ),
)  # fmt: skip
