"""Parts that are computed once: kept whole in a file, found again by settings and code."""

import hashlib
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spnb.base.files import write_text
from spnb.engine.blocks import Progress, Workers, run_all
from spnb.paper.experiments.code import code_digest
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Recipe, Task


@dataclass(frozen=True, slots=True)
class Timed:
    """A task that tells how many seconds it took."""

    task: Task

    def __call__(self, tick: object = None) -> tuple[float, Any]:
        start = time.monotonic()
        value = self.task(tick)
        return time.monotonic() - start, value


def part_path(folder: Path, name: str) -> Path:
    return folder / f"{name}.json"


def part_key(recipe: Recipe) -> str:
    """Equal for equal settings and equal code."""
    settings = json.dumps(asdict(recipe), sort_keys=True)
    text = f"{recipe.name} {settings} {code_digest()}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def kept(recipe: Recipe, folder: Path) -> Plain | None:
    """The results of an earlier run, if its settings and code were the same."""
    path = part_path(folder, recipe.name)
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # not there, or not ours: compute it
        return None
    if not isinstance(stored, dict) or stored.get("key") != part_key(recipe):
        return None
    results: Plain = stored["results"]
    return results


def computed(
    recipe: Recipe, folder: Path, workers: Workers, progress: Progress | None
) -> tuple[Plain, dict[Any, float]]:
    """Run every task of the recipe and keep the results in the folder.

    Returns them, and how many seconds each task took; the seconds are no part of what is kept.
    """
    tasks = recipe.tasks()
    # The longest first, so that no worker is left alone with one at the end.
    order = sorted(tasks, key=lambda name: -tasks[name].weight)
    jobs = [Timed(tasks[name]) for name in order]
    timed = run_all(jobs, [tasks[name].weight for name in order], workers, progress)
    found = {name: value for name, (_, value) in zip(order, timed, strict=True)}
    seconds = {name: taken for name, (taken, _) in zip(order, timed, strict=True)}
    results = json.loads(json.dumps(recipe.results(found), allow_nan=False))
    stored = {"key": part_key(recipe), "part": recipe.name, "results": results}
    write_text(part_path(folder, recipe.name), json.dumps(stored, indent=1) + "\n")
    return dict(results), seconds
