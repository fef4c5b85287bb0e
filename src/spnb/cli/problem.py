"""``spnb problem``: from a user's own data to a problem file."""

from pathlib import Path
from typing import Annotated, cast

import typer
from rich.console import Console

from spnb.base.errors import SpecError
from spnb.base.files import check_writable, write_text
from spnb.cli import options
from spnb.cli.compare import check_outputs
from spnb.cli.group import group
from spnb.cli.options import (
    Above,
    Below,
    Block,
    Decimal,
    Encoding,
    Json,
    Output,
    Per,
    Plot,
    ScaleOption,
    Seed,
    Separator,
    Where,
)
from spnb.cli.progress import progress_bar
from spnb.cli.say import tell
from spnb.problems.readers.data import ProblemData

app = group("Make a problem from your own data: click logs, series of readings, tables.")

File = Annotated[Path, typer.Argument(help="CSV (plain or gzip) or Parquet")]


@app.command("series")
def series(
    file: File,
    time: Annotated[str, typer.Option(help="Column of the time")],
    value: Annotated[str, typer.Option(help="Column of the readings")],
    slot: Annotated[str, typer.Option(help="Length of a slot: 2h, 30min")] = "2h",
    above: Above = None,
    below: Below = None,
    scale: ScaleOption = None,
    per: Per = None,
    pick: Annotated[
        str, typer.Option(help="Which of a slot's readings to take: first, mean or max")
    ] = "mean",
    missing: Annotated[
        str,
        typer.Option(
            help="A day without a reading in some slot: drop it, or mark the offer as absent"
        ),
    ] = "drop",
    hour: Annotated[
        str | None, typer.Option(help="Column of the hour, if the time column is only the date")
    ] = None,
    zone: Annotated[
        str | None, typer.Option(help="Time zone of the slots: Europe/Rome; else times as written")
    ] = None,
    stamps_in: Annotated[
        str | None, typer.Option(help="Time zone of times without an offset; else --zone")
    ] = None,
    time_format: Annotated[
        str | None, typer.Option(help="%d.%m.%Y %H:%M, or unix for seconds; else ISO 8601")
    ] = None,
    since: Annotated[str | None, typer.Option("--from", help="First day")] = None,
    until: Annotated[str | None, typer.Option(help="Last day")] = None,
    last: Annotated[int | None, typer.Option(help="Only the last so many of the days kept")] = None,
    where: Where = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    block: Block = None,
    output: Output = None,
    plot: Plot = None,
    json: Json = None,
    seed: Seed = None,
) -> None:
    """Readings over time: days are rounds, slots of the day are arms."""
    from spnb.problems.readers.cells import Pick
    from spnb.problems.readers.reward import Reward
    from spnb.problems.readers.series import Missing, Window, read_series
    from spnb.problems.readers.stamps import Clock

    _check(output, json, plot)
    with progress_bar("reading") as progress:
        data = read_series(
            file,
            clock=Clock(time, hour, time_format, zone, stamps_in),
            value=value,
            reward=Reward(above, below, options.scale(scale)),
            slot=slot,
            per=per,
            pick=cast("Pick", pick),  # the reader itself refuses any other word
            missing=cast("Missing", missing),
            window=Window(options.day("--from", since), options.day("--until", until), last),
            layout=options.layout(separator, decimal, encoding, where),
            block=block,
            progress=progress,
        )
    _show(data, output, json, plot, seed)


@app.command("table")
def table(
    file: File,
    round_: Annotated[str | None, typer.Option("--round", help="Column of the round")] = None,
    arm: Annotated[
        str | None, typer.Option(help="Column of the arm; else each arm has its own column")
    ] = None,
    reward: Annotated[str | None, typer.Option(help="Column of the reward")] = None,
    arms: Annotated[str | None, typer.Option(help="The arms in their order: a,b,c")] = None,
    above: Above = None,
    below: Below = None,
    scale: ScaleOption = None,
    per: Per = None,
    where: Where = None,
    separator: Separator = None,
    decimal: Decimal = None,
    encoding: Encoding = "utf-8",
    block: Block = None,
    output: Output = None,
    plot: Plot = None,
    json: Json = None,
    seed: Seed = None,
) -> None:
    """Rows of (round, arm, reward) with --round, --arm and --reward; else a column for each arm."""
    from spnb.problems.readers.reward import Reward
    from spnb.problems.readers.table import read_long, read_wide

    _check(output, json, plot)
    paid = Reward(above, below, options.scale(scale))
    form = options.layout(separator, decimal, encoding, where)
    order = [name.strip() for name in arms.split(",")] if arms else []
    with progress_bar("reading") as progress:
        if arm is not None and round_ is not None and reward is not None:
            data = read_long(
                file, round_=round_, arm=arm, value=reward, reward=paid, per=per, arms=order,
                layout=form, block=block, progress=progress,
            )  # fmt: skip
        elif arm is None and reward is None and per is None:
            data = read_wide(
                file, reward=paid, arms=order, round_=round_, layout=form, block=block,
                progress=progress,
            )  # fmt: skip
        else:
            raise SpecError("rows of (round, arm, reward) need --round, --arm and --reward")
    _show(data, output, json, plot, seed)


@app.command("yahoo")
def yahoo(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Day files of Yahoo! R6A, gzip or plain")
    ],
    slots: Annotated[int, typer.Option(help="Number of slots, with equally many events each")] = 10,
    article: Annotated[
        str | None, typer.Option(help="Id of the article, or all; if left out, the one shown most")
    ] = None,
    least: Annotated[
        int, typer.Option(help="Leave out slots in which it was shown less often")
    ] = 1,
    output: Output = None,
    plot: Plot = None,
    json: Json = None,
    seed: Seed = None,
) -> None:
    """A log of clicks: slots of the day are arms, click rates their means."""
    from spnb.problems.readers.yahoo import click_problem, read_log

    _check(output, json, plot)
    with progress_bar("reading") as progress:
        log = read_log(files, slots, progress)
    notes = [f"{log.events} events of {len(log.articles)} articles"]
    if log.malformed:
        notes.append(f"{log.malformed} malformed lines left out, first {log.first_malformed}")
    if article == "all":
        chosen = log.pooled()
    else:
        chosen = log.most_shown() if article is None else log.article(article)
    _show(click_problem(chosen, least=least, notes=notes), output, json, plot, seed)


@app.command("day")
def day(
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write (.gz: compressed)")],
    events: Annotated[int, typer.Option(help="Lines")] = 100_000,
    seed: Seed = None,
) -> None:
    """Make up a day of clicks in the format of Yahoo! R6A."""
    from spnb.engine.dice import checked_seed
    from spnb.problems.readers.synthetic_day import SyntheticDay

    check_writable(output)
    made = SyntheticDay(checked_seed(seed), events)
    with progress_bar("writing") as progress:
        made.write(output, progress)
    typer.echo(f"{output}: {events} events, seed {made.seed}")


def _check(output: Path | None, json: Path | None, plot: Path | None) -> None:
    if output is not None:
        check_writable(output)
    check_outputs(json, plot)


def _show(
    data: ProblemData, output: Path | None, json: Path | None, plot: Path | None, seed: int | None
) -> None:
    from json import dumps

    from spnb.plan.certainty import facts
    from spnb.report.figures import save
    from spnb.report.profile import facts_lines, facts_table, profile_figure

    with progress_bar("resampling") as progress:
        found = facts(data, seed, progress)
    console = Console()
    console.print(facts_table(found))
    for line in facts_lines(found):
        tell(console, line)
    if output is not None:
        data.save(output)
    if json is not None:
        write_text(json, dumps(found.to_dict(), indent=2, allow_nan=False) + "\n")
    if plot is not None:
        save(profile_figure(found), plot)
