"""The reproduction as a Markdown page, and its figures as blocks that other pages quote."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from spnb.paper.experiments.verdict import VERDICTS, Check, Claim
from spnb.paper.notes import SLIPS, changes, limits, tally
from spnb.paper.page import HOW, TITLES, Report

MOST_CHECKS = 12
QUOTED = 1

_INTRO = """# The paper, reproduced

Every figure and every checkable statement of *Adapting Bandit Algorithms for Settings with
Sequentially Available Arms* (Gabrielli, Trovò, Antonelli, 2024), computed anew as its authors did,
beside what spnb recommends. This page was written by `spnb reproduce`; do not edit it by hand.
"""


def document(report: Report) -> str:
    parts = [part for part in TITLES if part in report.results]
    sections = [
        _INTRO,
        f"## What holds\n\n{tally(report.paper())} {HOW}\n",
        _table(report.paper()),
        "Figures with 95 % intervals:\n\n" + _list(map(_figures, report.paper())),
        "## What spnb adds\n\n" + _table(report.own()),
        "Figures with 95 % intervals:\n\n" + _list(map(_figures, report.own())),
        *_regret_part(report),
        _changes(report),
        *(_part(part, report) for part in parts),
        "## Printed slips of the paper\n\n" + _list(f"**{what}.** {text}" for what, text in SLIPS),
        "## Known limits and differences\n\n" + _list(limits(report.results)),
        "## What was run\n\n" + _list(f"{name}: {value}" for name, value in report.facts.items()),
    ]
    return "\n".join(sections)


def _table(claims: Sequence[Claim]) -> str:
    rows = [
        _row(
            claim.id, claim.statement.words,
            f"{claim.statement.meaning} (tolerance: {claim.statement.tolerance})",
            f"**{VERDICTS[claim.holds]}**",
        )
        for claim in claims
    ]  # fmt: skip
    head = "| | words | taken to mean | verdict |\n|---|---|---|---|\n"
    return head + "".join(rows)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def _figures(claim: Claim) -> str:
    shown = "; ".join(_check(check) for check in claim.checks[:MOST_CHECKS])
    more = len(claim.checks) - MOST_CHECKS
    rest = f"; and {more} more" if more > 0 else ""
    why = f" *{claim.why}*" if claim.why else ""
    return f"**{claim.id}.** {shown}{rest}.{why}"


def _check(check: Check) -> str:
    return f"{check.text}: {check.figure()}"


def _changes(report: Report) -> str:
    rows = "".join(_row(*row) for row in changes(report.results))
    head = "| change | what is measured | worth |\n|---|---|---|\n"
    return f"### What each change alone is worth\n\n{head}{rows}"


def _part(part: str, report: Report) -> str:
    listed = _list(f"**{plate.title}.** {plate.caption}" for plate in report.plates[part])
    return f"## {TITLES[part]}\n\n{listed}"


def _list(items: Iterable[str]) -> str:
    return "".join(f"- {item}\n" for item in items)


def blocks(report: Report) -> dict[str, str]:
    """What other pages quote of the run, by name."""
    rows = "".join(
        _row(claim.statement.words, VERDICTS[claim.holds], _first(claim)) for claim in report.own()
    )
    head = "| what spnb says of itself | verdict | figures, 95 % intervals |\n| --- | --- | --- |\n"
    told = f"\n{_conditions(report)}\n"
    found = {"tally": tally(report.paper()) + "\n", "own": head + rows + told}
    if "rm" in report.results:
        found["regret"] = _regrets(report.results["rm"])
    return found


def _regret_part(report: Report) -> Iterable[str]:
    if "rm" in report.results:
        yield "## Regret of all agents\n\n" + _regrets(report.results["rm"])


def _regrets(found: dict[str, Any]) -> str:
    """The regret of every agent, with its interval and with the order that the arms had."""
    sizes = found["problems"]
    text = _row("regret, 95 % interval", "order", *(f"K = {arms}" for arms in sizes))
    text += "| --- | --- |" + " ---: |" * len(sizes) + "\n"
    for order, part in (("random", "ours"), (found["order"], "agents")):
        for agent in next(iter(sizes.values()))[part]:
            shown = (each[part][agent]["regret"] for each in sizes.values())
            cells = (f"{r['mean']:.0f} [{r['low']:.0f}, {r['high']:.0f}]" for r in shown)
            text += _row(f"`{agent}`", order, *cells)
    return text


def _conditions(report: Report) -> str:
    """Under which conditions the figures were had."""
    said = [f"From `spnb reproduce`, seed {report.facts['seed']}."]
    if "rm" in report.results:
        found = report.results["rm"]
        near = next(iter(found["limits"].values()))["regret / limit"]["Challenge"]["runs"]
        said.append(
            f"Regret: {found['runs']} runs of {found['rounds']} rounds, {near} for the limits."
        )
    if "bai" in report.results:
        found = report.results["bai"]
        said.append(
            f"Identification: {found['runs']} runs of each of {len(found['experiments'])} "
            "problems, with UCBE's number of pulls; UCBE, Seq(UCBE) and Pack(UCBE) are told H1, "
            "which no live learner knows; `Pack plugin` and SR+ are not."
        )
    return " ".join(said)


def _first(claim: Claim) -> str:
    """The first few figures of a claim."""
    shown = "; ".join(
        f"{_LEVEL.sub('', check.text)}: {check.figure()}" for check in claim.checks[:QUOTED]
    )
    more = len(claim.checks) - QUOTED
    return f"{shown}; and {more} more" if more > 0 else shown


def quoted(text: str, found: dict[str, str]) -> str:
    """The text with every block between its two marks as it came out of the run, if it did."""

    def fill(match: re.Match[str]) -> str:
        start, name, before, end = match.groups()
        return f"{start}\n{found.get(name, before)}{end}"

    return _BLOCK.sub(fill, text)


# What a figure is held against, which the verdict beside it has told already.
_LEVEL = re.compile(r",? (below|above|within|at most) [^:]*$")
_BLOCK = re.compile(r"(<!-- reproduced: (\w+) -->)\n(.*?)(<!-- end -->)", flags=re.DOTALL)
