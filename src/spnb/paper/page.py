"""The report as one self-contained page: no scripts, nothing fetched, legible on a phone."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from spnb.paper.experiments.verdict import VERDICTS, Claim, text_of
from spnb.paper.notes import DIFFERENCES, SLIPS
from spnb.paper.plates import Plain, Plate

TITLES = {
    "rm": "Regret on synthetic problems",
    "bai": "Finding the best arm on synthetic problems",
    "yahoo": "When to show an article",
    "water": "When is the water at its worst",
}
COLOURS = {True: "yes", False: "no", None: "open"}


@dataclass(frozen=True)
class Report:
    """Everything the page is made of."""

    facts: Mapping[str, str]  # what was run, line by line
    results: Mapping[str, Plain]
    claims: Sequence[Claim]
    plates: Mapping[str, Sequence[Plate]]  # by part
    figures: Path


def page(report: Report) -> str:
    parts = [part for part in TITLES if part in report.results]
    links = [("claims", "What holds"), *((part, TITLES[part]) for part in parts)]
    links += [("slips", "Printed slips"), ("limits", "Known limits"), ("run", "What was run")]
    listed = "".join(f'<li><a href="#{to}">{escape(text)}</a></li>' for to, text in links)
    style = files("spnb.paper").joinpath("page.css").read_text(encoding="utf-8")
    body = [
        "<h1>The paper, reproduced</h1>",
        "<p>Every figure and every claim of <em>Adapting Bandit Algorithms for Settings with "
        "Sequentially Available Arms</em> (Gabrielli, Trovò, Antonelli, 2024), computed anew with "
        "spnb, beside what spnb adds.</p>",
        f'<nav aria-label="On this page"><ul>{listed}</ul></nav>',
        _claims(report.claims),
        *(_part(part, report) for part in parts),
        _slips(),
        _limits(report.results),
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


def _claims(claims: Sequence[Claim]) -> str:
    words = {True: "shown to hold", False: "contradicted", None: "not settled"}
    count = {kind: sum(claim.holds is kind for claim in claims) for kind in words}
    said = ", ".join(f"{count[kind]} {word}" for kind, word in words.items() if count[kind])
    head = "".join(
        f'<th scope="col">{name}</th>' for name in ("", "claim", "verdict", "paper", "here")
    )
    rows = "".join(_claim(claim) for claim in claims)
    return (
        '<section id="claims"><h2>What holds</h2>'
        f"<p>Of {len(claims)} claims: {said}. Every verdict is computed from this run: a claim "
        "holds if all its intervals (95 %) lie on the claimed side, does not hold if one lies on "
        "the other, and is not settled otherwise.</p>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></section>"
    )


def _claim(claim: Claim) -> str:
    word, kind = VERDICTS[claim.holds], COLOURS[claim.holds]
    why = f'<span class="why">{escape(claim.why)}</span>' if claim.why else ""
    ours = escape(claim.ours).replace("; ", ";<br>").replace(". ", ".<br>")
    return (
        f'<tr><td data-name="Claim">{claim.id}</td><td>{escape(claim.claim)}</td>'
        f'<td class="verdict {kind}">{word}</td>'
        f'<td data-name="Paper">{escape(claim.paper)}</td>'
        f'<td data-name="Here" class="numbers">{ours}{why}</td></tr>'
    )


def _part(part: str, report: Report) -> str:
    drawn = "".join(_figure(plate, report.figures) for plate in report.plates[part])
    note = ""
    if report.results[part].get("synthetic"):
        note = (
            '<p class="note">This day is synthetic: the paper’s log may not be passed on. '
            "Give a day file of your own with <code>--yahoo FILE</code>.</p>"
        )
    return f'<section id="{part}"><h2>{escape(TITLES[part])}</h2>{note}{drawn}</section>'


def _figure(plate: Plate, folder: Path) -> str:
    wide, column = (_data(folder / plate.file(layout, "svg")) for layout in ("wide", "column"))
    return (
        f"<figure><h3>{escape(plate.title)}</h3>"
        f'<picture><source media="(max-width: 700px)" srcset="{column}">'
        f'<img src="{wide}" alt="{escape(plate.title)}"></picture>'
        f"<figcaption>{escape(plate.caption)}</figcaption></figure>"
    )


def _data(path: Path) -> str:
    return "data:image/svg+xml;base64," + b64encode(path.read_bytes()).decode("ascii")


def _slips() -> str:
    rows = "".join(
        f"<li><strong>{escape(what)}.</strong> {escape(text)}</li>" for what, text in SLIPS
    )
    return f'<section id="slips"><h2>Printed slips of the paper</h2><ul>{rows}</ul></section>'


def limits(results: Mapping[str, Plain]) -> list[str]:
    """What does not go well, and where this run differs from the paper, with this run's figures."""
    said = list(DIFFERENCES)
    if "rm" in results:
        aside = results["rm"]["aside"]
        ((arms, change),) = aside["Seq(UCB1) - UCB1"].items()
        said.append(
            f"Seq does not help every policy: with UCB1 at K = {arms} the regret of Seq minus that "
            f"of one pull a round is {text_of(change)}."
        )
        said.append(_left_out(aside["UCBrev - UCBrev+"]))
    if "yahoo" in results:
        low = results["yahoo"]["aside"]
        said.append(
            f"With ten arms of click rates from {min(low['rates'])} to {max(low['rates'])} "
            f"Seq(TS) is about level with TS: regret {text_of(low['TS'])}, difference "
            f"{text_of(low['Seq(TS) - TS'])}."
        )
    if "bai" in results:
        said.append(_rejects(results["bai"]["experiments"]))
    return said


def _left_out(differences: Plain) -> str:
    listed = "; ".join(f"K = {arms}: {text_of(each)}" for arms, each in differences.items())
    better = [arms for arms, each in differences.items() if each["mean"] < 0]
    said = (
        "The paper leaves UCBrev out of its figures as strictly worse than UCBrev+. Regret of "
        f"UCBrev minus that of UCBrev+: {listed}."
    )
    if better:
        said += (
            f" So that is not so at K = {', '.join(better)}: within these rounds one pull a round "
            "cannot pull many bad arms, and UCBrev+ pulls them all until it drops them."
        )
    return said


def _rejects(experiments: Plain) -> str:
    used = [
        found["agents"]["SR"]["rounds"]["mean"] / found["budget"] for found in experiments.values()
    ]
    plus = [
        found["agents"]["SR+"]["rounds"]["mean"] / found["budget"] for found in experiments.values()
    ]
    return (
        "SR is left out of the figures, as in the paper: with the pulls of SR+ it needs "
        f"{min(used):.0%} to {max(used):.0%} of UCBE's rounds, SR+ {min(plus):.0%} to "
        f"{max(plus):.0%}."
    )


def _limits(results: Mapping[str, Any]) -> str:
    rows = "".join(f"<li>{escape(text)}</li>" for text in limits(results))
    return f'<section id="limits"><h2>Known limits and differences</h2><ul>{rows}</ul></section>'


def _facts(facts: Mapping[str, str]) -> str:
    rows = "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in facts.items())
    return f'<section id="run"><h2>What was run</h2><dl class="facts">{rows}</dl></section>'
