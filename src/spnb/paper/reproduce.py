"""The whole paper with one call: compute the parts, judge the claims, draw, write the report."""

import json
import os
import platform
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from spnb.base.errors import DataError
from spnb.base.files import write_text
from spnb.engine.blocks import Progress, Workers, run_all
from spnb.paper import markdown, plates_bai, plates_rm, plates_studies
from spnb.paper.experiments import pools
from spnb.paper.experiments.code import code_digest, commit, versions
from spnb.paper.experiments.parts import computed, kept, part_key
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Recipe, Task
from spnb.paper.experiments.rm import paper_seconds
from spnb.paper.experiments.settings import PARTS, Settings
from spnb.paper.experiments.statements import claims
from spnb.paper.experiments.verdict import Claim
from spnb.paper.page import Report, page
from spnb.paper.plates import Plate

PAPER_SECONDS = {"10": 18, "25": 43, "50": 102}


class Listener(Protocol):
    """Who hears how the work goes."""

    def say(self, text: str) -> None: ...

    def progress(self, title: str) -> AbstractContextManager[Progress]: ...


@dataclass(frozen=True)
class Job:
    """Where the work is done and where it goes."""

    out: Path
    workers: int = 1
    cluster: str | None = None
    fresh: bool = False
    bounds: bool = False


def reproduce(
    settings: Settings, job: Job, listener: Listener, parts: Sequence[str] = PARTS
) -> list[Claim]:
    """Everything under ``job.out``; returns the claims with their verdicts.

    Parts finished earlier under the same settings and code are taken from there, asked for or
    not, so that the report is as complete as it can be.
    """
    folders = {name: _folder(job.out / name) for name in (".", "results", "figures")}
    recipes = {part: _recipe(settings, part, listener) for part in parts}
    with pools.local(job.workers) as pool:
        away = pools.cluster(job.cluster) if job.cluster else nullcontext(pool)
        with away as crew:
            results, facts = _parts(recipes, folders["results"], crew, job, listener)
        for part in PARTS:
            if part not in recipes and not _reads_file(settings, part):
                earlier = kept(settings.recipe(part), folders["results"])
                if earlier is not None:
                    results[part] = earlier
                    listener.say(f"{part}: in the report as computed earlier")
        plates = {part: _plates(part, found, job.bounds) for part, found in results.items()}
        _draw(plates, folders["figures"], pool, listener)
    found = claims(results)
    told = _facts(settings, job, facts) | _running_times(results, facts)
    _write(Report(told, results, found, plates, folders["figures"]), facts, job.out)
    return found


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot use the folder {path}: {error.strerror}") from None
    if not os.access(path, os.W_OK):
        raise DataError(f"cannot use the folder {path}: it is not writable")
    return path


def _reads_file(settings: Settings, part: str) -> bool:
    return getattr(settings, part, None) is not None


def _recipe(settings: Settings, part: str, listener: Listener) -> Recipe:
    if not _reads_file(settings, part):
        return settings.recipe(part)
    with listener.progress(f"{part}: reading") as progress:
        return settings.recipe(part, progress)


def _parts(
    recipes: Mapping[str, Recipe], folder: Path, workers: Workers, job: Job, listener: Listener
) -> tuple[dict[str, Plain], dict[str, Plain]]:
    """The results of every part, and what there is to tell of each."""
    results: dict[str, Plain] = {}
    facts: dict[str, Plain] = {}
    before = _earlier_facts(job.out)
    for part, recipe in recipes.items():
        key = part_key(recipe)
        earlier = None if job.fresh else kept(recipe, folder)
        if earlier is not None:
            results[part] = earlier
            known = before.get(part, {})
            told = known if known.get("key") == key else {}
            facts[part] = {"key": key, "seconds": None, "by_arms": {}} | told | {"reused": True}
            listener.say(f"{part}: reused, computed earlier with the same settings and code")
            continue
        start = time.monotonic()
        with listener.progress(part) as progress:
            results[part], taken = computed(recipe, folder, workers, progress)
        seconds = round(time.monotonic() - start, 1)
        by_arms = paper_seconds(taken) if part == "rm" else {}
        facts[part] = {"key": key, "seconds": seconds, "by_arms": by_arms, "reused": False}
        # Noted at once: a later part may be interrupted.
        _write_facts(job.out, before | facts)
        listener.say(f"{part}: computed in {seconds} s")
    return results, facts


def _earlier_facts(out: Path) -> dict[str, Plain]:
    try:
        found = json.loads((out / "run.json").read_text(encoding="utf-8"))["parts"]
    except (OSError, ValueError, KeyError, TypeError):  # none, or not ours
        return {}
    return found if isinstance(found, dict) else {}


def _write_facts(out: Path, parts: Mapping[str, Plain], **more: Any) -> None:
    write_text(out / "run.json", json.dumps(more | {"parts": dict(parts)}, indent=1) + "\n")


def _plates(part: str, results: Plain, bounds: bool) -> list[Plate]:
    if part == "rm":
        return plates_rm.plates(results, bounds)
    if part == "bai":
        return plates_bai.plates(results)
    return (
        plates_studies.yahoo_plates(results)
        if part == "yahoo"
        else plates_studies.water_plates(results)
    )


def _draw(
    plates: Mapping[str, Sequence[Plate]], folder: Path, workers: Workers, listener: Listener
) -> None:
    listed = [plate for each in plates.values() for plate in each]
    jobs = [Task(plate.save, (folder,), 1.0) for plate in listed]
    with listener.progress("figures") as progress:
        run_all(jobs, [1.0] * len(jobs), workers, progress)
    files = {name for plate in listed for name in plate.files()}
    for path in folder.iterdir():  # figures of other settings would be taken for these
        if path.name not in files and path.suffix in (".svg", ".png", ".pdf"):
            path.unlink()


def _facts(settings: Settings, job: Job, parts: Mapping[str, Plain]) -> dict[str, str]:
    known = [facts["seconds"] for facts in parts.values() if facts["seconds"] is not None]
    times = ", ".join(
        f"{part} {facts['seconds'] if facts['seconds'] is not None else 'unknown'} s"
        + (" (earlier)" if facts["reused"] else "")
        for part, facts in parts.items()
    )
    return {
        "seed": str(settings.seed),
        "size": "quick" if settings.quick else "full",
        "runs": str(settings.runs or "as in the captions"),
        "c": ", ".join(f"{c:g}" for c in settings.c),
        "order of arms": settings.order,
        "seconds": f"{sum(known):.0f} in all: {times}",
        "workers": f"Dask cluster at {job.cluster}" if job.cluster else str(job.workers),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "versions": ", ".join(f"{name} {version}" for name, version in versions().items()),
        "commit": commit(),
        "code digest": code_digest(),
    }


def _running_times(results: Mapping[str, Plain], parts: Mapping[str, Plain]) -> dict[str, str]:
    """The seconds that the paper prints for its synthetic regret problems, beside ours."""
    ours = parts.get("rm", {}).get("by_arms", {})
    if not ours:
        return {}
    runs = results["rm"]["runs"]
    told = (
        f"K = {arms}: {seconds:.2g} s ({PAPER_SECONDS[arms]} s)"
        for arms, seconds in ours.items()
        if arms in PAPER_SECONDS
    )
    how = f"ours for {runs} runs of the paper's five agents on one core, loading of code included"
    return {"running times, ours (the paper's)": f"{', '.join(told)}; {how}"}


def _write(report: Report, parts: Mapping[str, Plain], out: Path) -> None:
    listed = [claim.to_dict() for claim in report.claims]
    write_text(out / "claims.json", json.dumps(listed, indent=1, ensure_ascii=False) + "\n")
    write_text(out / "report.html", page(report))
    write_text(out / "paper-reproduced.md", markdown.document(report))
    quotes = json.dumps(markdown.blocks(report), indent=1, ensure_ascii=False)
    write_text(out / "quotes.json", quotes + "\n")
    _write_facts(out, _earlier_facts(out) | dict(parts), **report.facts)
