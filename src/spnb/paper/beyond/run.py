"""All the evidence with one call: computed or found again, drawn, written down."""

from dataclasses import replace
from pathlib import Path

from spnb.base.files import write_text
from spnb.engine.blocks import Workers
from spnb.paper.beyond.changing import ChangingDays
from spnb.paper.beyond.figure import figure
from spnb.paper.beyond.hours import Hours
from spnb.paper.beyond.page import document
from spnb.paper.beyond.profit import Profit
from spnb.paper.beyond.regret import Regret
from spnb.paper.beyond.study import Study
from spnb.paper.experiments.parts import computed, kept
from spnb.paper.experiments.plain import Plain
from spnb.paper.reproduce import Listener
from spnb.report.figures import save

STUDIES: tuple[type[Study], ...] = (Regret, Profit, ChangingDays, Hours)  # a new one is a name here
QUICK_RUNS = 40


def studies(quick: bool, runs: int | None, seed: int) -> list[Study]:
    """Every study at its own size, at a small one, or with so many runs."""
    listed = [cls(seed=seed) for cls in STUDIES]
    size = runs or (QUICK_RUNS if quick else None)
    return [replace(study, runs=size) if size else study for study in listed]


def beyond(
    listed: list[Study], out: Path, workers: Workers, listener: Listener, fresh: bool = False
) -> dict[str, Plain]:
    """Results, figures and ``beyond.md`` under ``out``; what was computed earlier is kept."""
    for folder in ("results", "figures"):
        (out / folder).mkdir(parents=True, exist_ok=True)
    found: dict[str, Plain] = {}
    for study in listed:
        earlier = None if fresh else kept(study, out / "results")
        if earlier is None:
            with listener.progress(study.name) as progress:
                earlier = computed(study, out / "results", workers, progress)
        found[study.name] = earlier
        for kind in ("png", "svg"):
            save(figure(earlier), out / "figures" / f"{study.name}.{kind}")
        listener.say(f"{study.name}: done")
    write_text(out / "beyond.md", document(found))
    return found
