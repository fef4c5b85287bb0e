"""Parts that are computed once: kept whole in a file, found again by settings and code."""

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from spnb.base.files import write_text
from spnb.engine.blocks import Progress, Workers, run_all
from spnb.paper.experiments.code import code_digest
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Recipe


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


def computed(recipe: Recipe, folder: Path, workers: Workers, progress: Progress | None) -> Plain:
    """Run every task of the recipe, keep the results in the folder and return them."""
    tasks = recipe.tasks()
    # The longest first, so that no worker is left alone with one at the end.
    order = sorted(tasks, key=lambda name: -tasks[name].weight)
    jobs = [tasks[name] for name in order]
    values = run_all(jobs, [job.weight for job in jobs], workers, progress)
    found = dict(zip(order, values, strict=True))
    results = json.loads(json.dumps(recipe.results(found), allow_nan=False))
    stored = {"key": part_key(recipe), "part": recipe.name, "results": results}
    write_text(part_path(folder, recipe.name), json.dumps(stored, indent=1) + "\n")
    return dict(results)
