"""The report as one self-contained page: no scripts, nothing fetched, legible on a phone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from spnb.paper.experiments.verdict import VERDICTS, Check, Claim
from spnb.paper.notes import SLIPS, changes, limits, tally
from spnb.paper.plates import MARKS, Plain, Plate
from spnb.report.style import DASHED, colours

TITLES = {
    "rm": "Regret on synthetic problems",
    "bai": "Finding the best arm on synthetic problems",
    "yahoo": "When to show an article",
    "water": "When is the water at its worst",
}
KINDS = {True: "yes", False: "no", None: "open"}
ANSWERS = {True: "shown", False: "contradicted", None: "open"}
MOST_CHECKS = 30
HOW = (
    "Every verdict is computed from this run, by checks of figures against levels. A statement "
    "holds if the 95 % interval of every check lies on the claimed side. It does not hold if some "
    "check is contradicted even after Holm’s correction for the number of its checks. Otherwise it "
    "is not settled."
)


@dataclass(frozen=True)
class Report:
    """Everything the page is made of."""

    facts: Mapping[str, str]  # what was run, line by line
    results: Mapping[str, Plain]
    claims: Sequence[Claim]
    plates: Mapping[str, Sequence[Plate]]  # by part
    figures: Path

    def paper(self) -> list[Claim]:
        return [claim for claim in self.claims if not claim.statement.own]

    def own(self) -> list[Claim]:
        return [claim for claim in self.claims if claim.statement.own]


def page(report: Report) -> str:
    parts = [part for part in TITLES if part in report.results]
    links = [("claims", "What holds"), ("own", "What spnb adds")]
    links += [(part, TITLES[part]) for part in parts]
    links += [("slips", "Printed slips"), ("limits", "Known limits"), ("run", "What was run")]
    listed = "".join(f'<li><a href="#{to}">{escape(text)}</a></li>' for to, text in links)
    style = files("spnb.paper").joinpath("page.css").read_text(encoding="utf-8")
    body = [
        "<h1>The paper, reproduced</h1>",
        "<p>Every figure and every checkable statement of <em>Adapting Bandit Algorithms for "
        "Settings with Sequentially Available Arms</em> (Gabrielli, Trovò, Antonelli, 2024), "
        "computed anew with spnb as its authors did, beside what spnb recommends.</p>",
        f'<nav aria-label="On this page"><ul>{listed}</ul></nav>',
        _paper(report),
        _own(report),
        *(_part(part, report) for part in parts),
        _list("slips", "Printed slips of the paper", [f"{what}. {text}" for what, text in SLIPS]),
        _list("limits", "Known limits and differences", limits(report.results)),
        _facts(report.facts),
    ]
    return _HEAD.format(style=style) + "\n".join(body) + "\n</main>\n</body>\n</html>\n"


_HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>The paper, reproduced</title>
<style>
{style}</style>
</head>
<body>
<main>
"""


def _paper(report: Report) -> str:
    claims = report.paper()
    return (
        f'<section id="claims"><h2>What holds</h2><p>{tally(claims)} {HOW} Open a line for its '
        f"meaning, tolerance and figures.</p>{_claims(claims)}</section>"
    )


def _own(report: Report) -> str:
    rows = "".join(
        f"<tr><td>{escape(what)}</td><td>{escape(where)}</td><td>{escape(found)}</td></tr>"
        for what, where, found in changes(report.results)
    )
    heads = "".join(
        f'<th scope="col">{name}</th>' for name in ("change", "what is measured", "worth")
    )
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
    return (
        '<section id="own"><h2>What spnb adds</h2><p>Its own statements, judged in the same way.'
        f"</p>{_claims(report.own())}<h3>What each change alone is worth</h3>{table}</section>"
    )


def _claims(claims: Sequence[Claim]) -> str:
    return f'<div class="claims">{"".join(_claim(claim) for claim in claims)}</div>'


def _claim(claim: Claim) -> str:
    said = claim.statement
    rows = "".join(_check(check) for check in claim.checks[:MOST_CHECKS])
    more = len(claim.checks) - MOST_CHECKS
    rest = f"<p>and {more} more, all in claims.json</p>" if more > 0 else ""
    why = f'<p class="why">{escape(claim.why)}</p>' if claim.why else ""
    return (
        f'<details id="{said.id}"><summary><span class="id">{said.id}</span>'
        f'<span class="words">{escape(said.words)}</span>'
        f'<span class="verdict {KINDS[claim.holds]}">{VERDICTS[claim.holds]}</span></summary>'
        f"<p>{escape(said.where)}. Taken to mean: {escape(said.meaning)}. Tolerance: "
        f"{escape(said.tolerance)}.</p>{why}"
        f"<table class='checks'><tbody>{rows}</tbody></table>{rest}</details>"
    )


def _check(check: Check) -> str:
    return (
        f"<tr><td>{escape(check.text)}</td><td>{escape(check.figure())}</td>"
        f'<td class="{KINDS[check.holds]}">{ANSWERS[check.holds]}</td></tr>'
    )


def _part(part: str, report: Report) -> str:
    drawn = "".join(_figure(plate, report.figures) for plate in report.plates[part])
    note = ""
    if report.results[part].get("synthetic"):
        note = (
            '<p class="note">These days are synthetic: the paper’s log may not be passed on. '
            "Give a day file of your own with <code>--yahoo FILE</code>.</p>"
        )
    return f'<section id="{part}"><h2>{escape(TITLES[part])}</h2>{note}{drawn}</section>'


def _figure(plate: Plate, folder: Path) -> str:
    panels = "".join(
        f'<div role="img" aria-label="{escape(plate.title)}, panel {i}">'
        f"{(folder / name).read_text(encoding='utf-8')}</div>"
        for i, name in enumerate(plate.panel_files(), start=1)
    )
    keys = "".join(_key(plate, label) for label in plate.labels)
    four = " four" if len(plate.panels) == 4 else ""
    return (
        f'<figure id="figure-{plate.name}"><h3>{escape(plate.title)}</h3>'
        f'<div class="panels{four}">{panels}</div><ul class="key">{keys}</ul>'
        f"<figcaption>{escape(plate.caption)}</figcaption></figure>"
    )


def _key(plate: Plate, label: str) -> str:
    """A line of the legend: the line or the mark, and whose it is."""
    agent = label.split(" / ", maxsplit=1)[0]
    colour = colours([agent])[agent]
    if plate.points:
        sign = f'<span style="color:{colour}">{_SIGNS[MARKS[label]]}</span>'
    else:
        dashes = ' stroke-dasharray="5 2"' if label in DASHED else ""
        if label[0].isdigit() or label.startswith("theorem"):
            colour, dashes = "#555555", ' stroke-dasharray="1 2"'
        sign = (
            '<svg width="24" height="8" aria-hidden="true"><path d="M0 4H24" stroke-width="2" '
            f'stroke="{colour}"{dashes}/></svg>'
        )
    return f"<li>{sign} {escape(label)}</li>"


_SIGNS = {
    "o": "●", "s": "■", "D": "◆", "^": "▲", "v": "▼", "x": "✕", "P": "✚", "<": "◀", ">": "▶",
    "*": "★",
}  # fmt: skip


def _list(id_: str, title: str, items: Sequence[str]) -> str:
    rows = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f'<section id="{id_}"><h2>{title}</h2><ul>{rows}</ul></section>'


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    return f'<section id="run"><h2>What was run</h2><dl class="facts">{rows}</dl></section>'
