"""The evidence on identification in words and tables, as Markdown."""

from collections.abc import Iterable

from spnb.paper.experiments.plain import Plain


def budgets(found: Plain) -> str:
    """Error against rounds where pulls and rounds are both limited."""
    where = {
        "seven": f"The paper's seven problems, {found['runs']} runs of each",
        "random": f"{found['problems']} random problems, {found['each']} runs of each",
        "hard": "Four arms, where a quarter of the rounds means every arm in every round",
    }
    parts = [
        "## Two budgets, no oracle",
        "Use `Pack` where rounds are scarce as well as pulls. Only `UCBE` is told how hard the "
        "problem is; *more* is the error beyond its, run by run.",
        "![Error against rounds](figures/beyond-budgets.png)",
    ]
    for key, title in where.items():
        rows = [
            (f"`{row['agent']}`", f"{row['rounds']['mean']:.3f}", span(row["error"], 4),
             span(row["more"], 4))
            for row in found[key]
        ]  # fmt: skip
        head = ("agent", "rounds / pulls", "error, 95 % interval", "more")
        parts += [f"### {title}", table(head, rows)]
    return "\n\n".join(parts)


def safety(found: Plain) -> str:
    """Whether the error stays below delta."""
    size = (
        f"{found['problems']} problems, {found['runs']} runs of each; intervals of Clopper and "
        "Pearson, 95 %. The proven rule may be looked at any time."
    )
    return "\n\n".join(["## Sure, and rightly so", size, safety_table(found)])


def safety_table(found: Plain) -> str:
    rows = [
        (f"`{row['agent']}`", row["stop"], f"{row['delta']:g}", span(row["error"], 5),
         f"{_worst(row)}: {span(row['worst_error'], 4)}", str(row["undecided"]))
        for row in found["rows"]
    ]  # fmt: skip
    return table(("agent", "stop rule", "delta", "error", "worst problem", "undecided"), rows)


def _worst(row: Plain) -> str:
    """The problem with the most errors; where there are none, all are alike."""
    return row["worst"] if row["worst_error"]["mean"] else "any"


def prices(found: Plain) -> str:
    """Rounds and pulls until sure."""
    parts = [
        "## What being sure costs",
        "`Race` where rounds are scarce, `Seq(T3C)` where pulls are. *times* is the number of "
        f"pulls over T*(mu) ln(1/delta); {found['runs']} runs, 95 % intervals.",
        "![Rounds against pulls](figures/beyond-confidence.png)",
    ]
    for label, problem in found["problems"].items():
        rows = [
            (f"`{row['agent']}`", row["stop"], f"{row['delta']:g}", span(row["rounds"], 1),
             span(row["pulls"], 1), span(row["times"], 2))
            for row in problem["rows"]
        ]  # fmt: skip
        head = ("agent", "stop rule", "delta", "rounds", "pulls", "times")
        parts += [f"### {label.capitalize()}", table(head, rows)]
    return "\n\n".join(parts)


def thresholds(found: Plain) -> str:
    """Which arms exceed a level."""
    parts = [
        f"## Above a level of {found['level']:g}",
        "`Seq(APT)` within a budget of pulls, `Above` with a confidence. Share of wrong sets, "
        f"{found['runs']} runs, 95 % intervals.",
        "![Wrong sets against pulls](figures/beyond-thresholds.png)",
    ]
    for label, problem in found["problems"].items():
        rows = [
            (f"`Above`, delta = {row['delta']:g}", span(row["rounds"], 1), span(row["pulls"], 1),
             span(row["error"], 4))
            for row in problem["above"]
        ]  # fmt: skip
        head = ("agent", "rounds", "pulls", "wrong sets")
        parts += [f"### {label.capitalize()}", table(head, rows)]
    return "\n\n".join(parts)


def span(estimate: Plain, digits: int) -> str:
    mean, low, high = (estimate[name] for name in ("mean", "low", "high"))
    if low is None or high is None:
        return f"{mean:.{digits}f}"
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
