"""Options that the commands about campaigns share, and how they print JSON."""

import json
from typing import Annotated, Any

import typer

Name = Annotated[str, typer.Argument(help="The campaign", show_default=False)]
StoreUrl = Annotated[
    str | None,
    typer.Option(
        "--store",
        envvar="SPNB_STORE",
        help="sqlite:///file.db or postgresql://user@host/database; spnb.db here if left out",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing unless it fails, for cron")
]


def print_json(data: Any) -> None:
    """One line of JSON."""
    typer.echo(json.dumps(data, ensure_ascii=False, allow_nan=False))
