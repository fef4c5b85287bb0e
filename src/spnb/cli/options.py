"""Options that several commands share, and how their texts are read."""

from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import typer

from spnb.base.errors import SpecError
from spnb.problems.readers.source import Layout

Seed = Annotated[int | None, typer.Option(help="Same seed, same numbers; fresh if left out")]
Workers = Annotated[int, typer.Option(help="Number of processes; it does not change the results")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the results to this file")]
Plot = Annotated[
    Path | None, typer.Option("--plot", help="Draw a figure of them (.png, .svg or .pdf)")
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write the problem file here")]
ProblemFile = Annotated[Path | None, typer.Option("--problem", help="A problem file")]
ReplayOption = Annotated[
    str | None,
    typer.Option(
        "--replay",
        help="How to use the record of a problem file: repeat, resample, worlds or bernoulli",
    ),
]

Above = Annotated[float | None, typer.Option(help="Reward 1 if the value is above this, else 0")]
Below = Annotated[float | None, typer.Option(help="Reward 1 if the value is below this, else 0")]
ScaleOption = Annotated[
    str | None, typer.Option(help="Reward from 0 to 1: LOW,HIGH, or 'data' for least and largest")
]
Per = Annotated[str | None, typer.Option(help="Column to divide by: clicks per impressions")]
Block = Annotated[
    int | None,
    typer.Option(help="Days that resampling keeps together; cube root of their number if left out"),
]
Separator = Annotated[
    str | None, typer.Option(help="Separator between fields; detected if left out")
]
Decimal = Annotated[str | None, typer.Option(help="Decimal . or , in numbers")]
Encoding = Annotated[str, typer.Option(help="Encoding of the text")]
Where = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=VALUE", help="Only rows with this value; repeat for more"),
]


def layout(
    separator: str | None, decimal: str | None, encoding: str, where: list[str] | None
) -> Layout:
    tab = {"\\t": "\t", "tab": "\t"}
    return Layout(
        tab.get(separator or "", separator),
        decimal,
        encoding,
        tuple(_condition(text) for text in where or ()),
    )


def scale(text: str | None) -> tuple[float, float] | Literal["data"] | None:
    if text is None:
        return None
    if text == "data":
        return "data"
    try:
        low, high = (float(part) for part in text.split(","))
    except ValueError:
        raise SpecError(f"--scale must be LOW,HIGH or data, got {text!r}") from None
    return low, high


def day(name: str, text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError:
        raise SpecError(f"{name} must be a day such as 2006-05-31, got {text!r}") from None


def _condition(text: str) -> tuple[str, str]:
    column, equals, value = text.partition("=")
    if not equals or not column:
        raise SpecError(f"--where must be COLUMN=VALUE, got {text!r}")
    return column.strip(), value.strip()
