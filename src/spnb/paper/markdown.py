"""The reproduction as a Markdown page for the documentation."""

from collections.abc import Iterable, Sequence

from spnb.paper.experiments.verdict import VERDICTS, Claim
from spnb.paper.notes import SLIPS
from spnb.paper.page import TITLES, Report, limits

_INTRO = """# The paper, reproduced

Every figure and every claim of *Adapting Bandit Algorithms for Settings with Sequentially Available
Arms* (Gabrielli, Trovò, Antonelli, 2024), computed anew. This page was written by
`spnb reproduce`; do not edit it by hand.

## What holds

A claim holds if all its 95 % intervals lie on the claimed side, does not hold if one lies on the
other side, and is not settled otherwise. Nobody set a verdict: each is computed from the run.
"""


def document(report: Report) -> str:
    parts = [part for part in TITLES if part in report.results]
    sections = [
        _INTRO,
        _claims(report.claims),
        *(_part(part, report) for part in parts),
        "## Printed slips of the paper\n\n" + _list(f"**{what}.** {text}" for what, text in SLIPS),
        "## Known limits and differences\n\n" + _list(limits(report.results)),
        "## What was run\n\n" + _list(f"{name}: {value}" for name, value in report.facts.items()),
    ]
    return "\n".join(sections)


def _claims(claims: Sequence[Claim]) -> str:
    rows = ["| | claim | paper | verdict |", "|---|---|---|---|"]
    for claim in claims:
        cells = (claim.id, claim.claim, claim.paper, f"**{VERDICTS[claim.holds]}**")
        rows.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")
    found = [
        f"**{claim.id}.** {claim.ours}." + (f" *{claim.why}*" if claim.why else "")
        for claim in claims
    ]
    return "\n".join(rows) + "\n\nWhat came out, with intervals:\n\n" + _list(found)


def _part(part: str, report: Report) -> str:
    listed = _list(f"**{plate.title}.** {plate.caption}" for plate in report.plates[part])
    return f"## {TITLES[part]}\n\n{listed}"


def _list(items: Iterable[str]) -> str:
    return "".join(f"- {item}\n" for item in items)
