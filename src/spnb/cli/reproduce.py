"""``spnb reproduce``: every figure and statement of the paper."""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from spnb.base.extras import need
from spnb.cli.asked import Order, OrderOption
from spnb.cli.progress import progress_bar
from spnb.cli.say import Interrupted
from spnb.engine.blocks import Progress
from spnb.engine.compiler import kept_code

PartsArgument = Annotated[
    list[str] | None,
    typer.Argument(help="rm, bai, yahoo, water, all, or beyond", metavar="PART"),
]
C = Annotated[str, typer.Option("--c", help="Values of UCBE's c, separated by commas")]
Runs = Annotated[int | None, typer.Option(help="Runs of every part, instead of its own number")]
YahooFile = Annotated[Path | None, typer.Option("--yahoo", help="A day file of the click log")]
WaterFile = Annotated[
    Path | None,
    typer.Option("--water", help="CSV with a row for each day and a column for each slot"),
]
Workers = Annotated[
    int | None,
    typer.Option(help="Number of processes, all cores if left out; it does not change the results"),
]
Cluster = Annotated[
    str | None, typer.Option(help="Dask scheduler to compute on, such as tcp://host:8786")
]
Out = Annotated[Path, typer.Option(help="Folder for report, figures and results")]


class Teller:
    """Says what happens on the error stream, so that pipes stay clean."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)

    def say(self, text: str) -> None:
        self.console.print(text, highlight=False)

    def progress(self, title: str) -> AbstractContextManager[Progress]:
        return progress_bar(title)


def reproduce(
    part: PartsArgument = None,
    quick: Annotated[bool, typer.Option("--quick", help="A smaller run, within a minute")] = False,
    c: C = "1,2,4,8",
    order: OrderOption = Order.authors,
    runs: Runs = None,
    seed: Annotated[int, typer.Option(help="Same seed, same numbers")] = 1,
    yahoo: YahooFile = None,
    water: WaterFile = None,
    problem: Annotated[
        Path | None, typer.Option("--problem", help="A problem file, for the water part")
    ] = None,
    bounds: Annotated[bool, typer.Option("--bounds", help="Also draw theorems 1 and 2")] = False,
    workers: Workers = None,
    cluster: Cluster = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Compute everything anew")] = False,
    out: Out = Path("reproduction"),
) -> None:
    """Reproduce the paper: every figure, every statement, with intervals and verdicts.

    The part beyond is the evidence for what spnb adds to the paper, and has a page of its own.
    """
    need("plot")
    if part == ["beyond"]:
        with _kept_in(out):
            _beyond(quick, runs, seed, workers, fresh, out)
        return
    from spnb.paper.experiments.settings import Settings, parsed_c, parsed_parts
    from spnb.paper.reproduce import Job
    from spnb.paper.reproduce import reproduce as run
    from spnb.paper.tables import claims_table

    settings = Settings(quick, parsed_c(c), order.value, runs, seed, yahoo, water, problem)
    count = workers if workers is not None else os.cpu_count() or 1
    teller = Teller()
    if not kept_code():  # the workers do it, where nobody hears them
        teller.say("The agents are compiled first, once after installation: that takes a while.")
    with _kept_in(out):
        claims = run(
            settings, Job(out, count, cluster, fresh, bounds), teller, parsed_parts(part or [])
        )
    console = Console()
    console.print(claims_table(claims))
    console.print(f"{out / 'report.html'} has the figures, the intervals and the reasons.")


@contextmanager
def _kept_in(out: Path) -> Iterator[None]:
    """Let Ctrl-C say what is kept."""
    try:
        yield
    except KeyboardInterrupt:
        raise Interrupted(
            f"finished parts are kept in {out / 'results'}, run again to go on"
        ) from None


def _beyond(
    quick: bool, runs: int | None, seed: int, workers: int | None, fresh: bool, out: Path
) -> None:
    from spnb.paper.beyond.run import beyond, evidence

    count = workers if workers is not None else os.cpu_count() or 1
    beyond(evidence(quick, runs, seed), out, count, Teller(), fresh)
    Console().print(f"{out / 'beyond.md'} has the tables; the figures are beside it.")
