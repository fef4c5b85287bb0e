"""The problem that the options of ``spnb simulate`` and ``spnb identify`` ask about."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from spnb.base.errors import DataError, SpecError
from spnb.problems import Bernoulli, Changing, Problem, experiment
from spnb.problems.named import family
from spnb.problems.readers.data import ProblemData


class Order(StrEnum):
    """Where the best arm of the paper's random problems stands."""

    random = "random"
    authors = "authors"


MEANS = "Means of the arms in order: 0.5,0.4,0.3"
Means = Annotated[str | None, typer.Option(metavar="MEANS", help=MEANS)]
Stages = Annotated[
    list[str] | None,
    typer.Option(
        "--means", metavar="MEANS", help=f"{MEANS}; repeat it for means that change, see --every"
    ),
]
Every = Annotated[int | None, typer.Option(help="Rounds after which the next --means hold")]
Arms = Annotated[int | None, typer.Option(help="Number of arms of random problems")]
Family = Annotated[
    str | None,
    typer.Option(
        metavar="FAMILY",
        help="Random problems other than the paper's: uniform, beta, clustered, clicks, hours; "
        "with means that change: abrupt, drifting, seasonal. Parameters as 'abrupt(length=200)'",
    ),
]
Experiment = Annotated[int | None, typer.Option(help="Identification problem 1 to 7 of the paper")]
OrderOption = Annotated[
    Order,
    typer.Option(help="Position of the best arm: random, or first as in the authors' scripts"),
]


@dataclass(frozen=True)
class Asked:
    """What was said of the problem."""

    means: list[str] | None
    every: int | None
    arms: int | None
    family: str | None
    experiment: int | None
    file: Path | None
    replay: str | None
    order: Order

    def problem(self) -> tuple[Problem, ProblemData | None]:
        """The one problem that is meant, and the data behind it if it is from a file."""
        self._check()
        if self.file is not None:
            data = ProblemData.load(self.file)
            return data.problem(self.replay), data
        if self.means:
            return self._given(self.means), None
        if self.arms is not None:
            return family(self.family or f'paper(order="{self.order}")', self.arms), None
        return experiment(self.experiment or 0), None

    def _check(self) -> None:
        """Refuse what is said twice, or says nothing of the problem that is meant."""
        options = {
            "--means": self.means, "--arms": self.arms, "--experiment": self.experiment,
            "--problem": self.file,
        }  # fmt: skip
        if self.family is not None and self.arms is None:
            raise SpecError(f"--family goes with --arms: how many are there of {self.family!r}?")
        given = [name for name, value in options.items() if value is not None]
        if len(given) != 1:
            what = " and ".join(given) if given else "none"
            *names, last = options
            raise SpecError(f"give one of {', '.join(names)} and {last}, got {what}")
        if self.replay is not None and self.file is None:
            raise SpecError("--replay goes with --problem")
        if self.order is Order.authors and (self.arms is None or self.family is not None):
            raise SpecError("--order goes with --arms alone: the paper's random problems")
        if (self.every is not None) != (self.means is not None and len(self.means) > 1):
            raise SpecError(
                "means that change are several --means and one --every: the rounds after which "
                "the next ones hold"
            )

    def _given(self, means: list[str]) -> Problem:
        stages = tuple(_numbers(text) for text in means)
        return Bernoulli(stages[0]) if self.every is None else Changing(stages, self.every)


def _numbers(text: str) -> tuple[float, ...]:
    parts = [part.strip() for part in text.split(",")]
    try:
        return tuple(float(part) for part in parts if part or len(parts) > 1)
    except ValueError:
        raise DataError(f"--means must be numbers with commas between, got {text!r}") from None
