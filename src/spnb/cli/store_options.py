"""Options that the commands about campaigns share, and how they print JSON."""

import json
from typing import Annotated, Any

import typer

Name = Annotated[str, typer.Argument(help="The campaign", show_default=False)]


def _store(places: str) -> Any:
    help_ = f"{places}; spnb.db here if left out"
    return typer.Option("--store", envvar="SPNB_STORE", help=help_, show_default=False)


# Campaigns may be at a service; what a service is made of is a database.
_SERVICE, _SERVER = "a service: https://host", "postgresql://user@host/database"
StoreUrl = Annotated[str | None, _store(f"sqlite:///file.db, {_SERVER}, or {_SERVICE}")]
DatabaseUrl = Annotated[str | None, _store(f"sqlite:///file.db or {_SERVER}")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs")]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing unless it fails, for cron")
]


def print_json(data: Any) -> None:
    """One line of JSON."""
    typer.echo(json.dumps(data, ensure_ascii=False, allow_nan=False))
