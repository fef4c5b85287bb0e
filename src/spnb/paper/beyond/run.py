"""All the evidence with one call: computed or found again, drawn, written down."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from spnb.base.files import write_text
from spnb.engine.blocks import Workers
from spnb.paper.beyond import answers, budgets, confidence, quotes, thresholds
from spnb.paper.beyond.changing import ChangingDays
from spnb.paper.beyond.figure import figure
from spnb.paper.beyond.hours import Hours
from spnb.paper.beyond.page import INTRODUCTION, quote, section
from spnb.paper.beyond.profit import Profit
from spnb.paper.beyond.regret import Regret
from spnb.paper.beyond.study import Study
from spnb.paper.experiments.parts import computed, kept
from spnb.paper.experiments.plain import Plain
from spnb.paper.reproduce import Listener
from spnb.report.figures import save

STUDIES: tuple[type[Study], ...] = (Regret, Profit, ChangingDays, Hours)


@dataclass(frozen=True)
class Evidence:
    """A recipe, the section of the page that its results make, and how they are drawn."""

    recipe: Any
    section: Callable[[Plain], str]
    draw: Callable[[Plain, Path], None]
    quote: Callable[[Plain], str]  # for pages that quote the evidence


def _study(study: Study) -> Evidence:
    def draw(found: Plain, folder: Path) -> None:
        for kind in ("png", "svg"):
            save(figure(found), folder / f"{study.name}.{kind}")

    return Evidence(study, partial(section, study.name), draw, quote)


def _draw_plates(module: Any, found: Plain, folder: Path) -> None:
    for plate in module.plates(found):
        plate.save(folder)


Words = Callable[[Plain], str]

# Recipe, module that draws it, its section of the page, and what other pages quote.
_ANSWERS: tuple[tuple[Any, Any, Words, Words], ...] = (
    (budgets.Budgets, budgets, answers.budgets, quotes.budgets),
    (confidence.Safety, confidence, answers.safety, quotes.safety),
    (confidence.Prices, confidence, answers.prices, quotes.prices),
    (thresholds.Thresholds, thresholds, answers.thresholds, quotes.thresholds),
)


def evidence(quick: bool, runs: int | None, seed: int) -> list[Evidence]:
    """Every part at its own size, at a small one, or with so many runs."""
    studies = [cls(seed=seed) for cls in STUDIES]
    sized = [study.quick() if quick else study for study in studies]
    found = [_study(replace(study, runs=runs) if runs else study) for study in sized]
    for cls, module, words, quoted in _ANSWERS:
        recipe = replace(cls.quick() if quick else cls(), seed=seed)
        recipe = replace(recipe, runs=runs) if runs else recipe
        found.append(Evidence(recipe, words, partial(_draw_plates, module), quoted))
    return found


def beyond(
    listed: list[Evidence], out: Path, workers: Workers, listener: Listener, fresh: bool = False
) -> dict[str, Plain]:
    """Results, figures, ``beyond.md`` and what pages quote under ``out``; what is kept is used."""
    for folder in ("results", "figures"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    found: dict[str, Plain] = {}
    sections, blocks = [INTRODUCTION], {}
    for part in listed:
        recipe = part.recipe
        earlier = None if fresh else kept(recipe, out / "results")
        if earlier is None:
            with listener.progress(recipe.name) as progress:
                earlier, _ = computed(recipe, out / "results", workers, progress)
        found[recipe.name] = earlier
        part.draw(earlier, out / "figures")
        sections.append(part.section(earlier))
        blocks[recipe.name.removeprefix("beyond-")] = part.quote(earlier)
        listener.say(f"{recipe.name}: done")
    write_text(out / "beyond.md", "\n\n".join(sections) + "\n")
    write_text(out / "quotes.json", json.dumps(blocks, indent=1, ensure_ascii=False) + "\n")
    return found
