"""A reproduction small enough for tests; also a program, to be killed and run again."""

import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from spnb.engine.blocks import Progress
from spnb.paper.experiments.bai import BAI, HALF
from spnb.paper.experiments.recipe import Recipe
from spnb.paper.experiments.rm import RM
from spnb.paper.experiments.settings import PARTS, Settings
from spnb.paper.experiments.water import Water
from spnb.paper.experiments.yahoo import Article, Yahoo
from spnb.paper.reproduce import Job, reproduce

ARTICLES = (
    Article("109511", (0, 1, 2), (0.05, 0.02, 0.03)),
    Article("109512", (4, 6), (0.01, 0.06)),
    Article("109513", (1, 2, 7), (0.04, 0.05, 0.03)),
)


@dataclass(frozen=True)
class Tiny(Settings):
    """Every part in a second or two."""

    def recipe(self, part: str, progress: Progress | None = None) -> Recipe:
        if getattr(self, part, None) is not None:  # a file of the user's
            given: Any = Settings.recipe(self, part, progress)
            return cast("Recipe", replace(given, rounds=40))
        recipes: dict[str, Recipe] = {
            "rm": RM(4, self.seed, self.order, arms=(6,), rounds=40),
            "bai": BAI(12, self.seed, (1.0, 2.0), (4,), ((0.25, 1.0), HALF, (0.25, 0.5))),
            "yahoo": Yahoo(ARTICLES, 1, "made-up day", True, 4, self.seed, rounds=50),
            "water": Water(4, self.seed, (1.0, 2.0), rounds=30),
        }
        return recipes[part]


class Quiet:
    """A listener who remembers."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.reports: dict[str, list[tuple[float, float]]] = {}

    def say(self, text: str) -> None:
        self.said.append(text)

    def progress(self, title: str) -> AbstractContextManager[Progress]:
        heard = self.reports.setdefault(title, [])
        return nullcontext(lambda done, total: heard.append((done, total)))


def results_of(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((out / "results").iterdir())}


if __name__ == "__main__":
    reproduce(Tiny(seed=5), Job(Path(sys.argv[1]), int(sys.argv[2])), Quiet(), PARTS)
