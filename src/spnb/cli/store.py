"""``spnb store``: the tables themselves."""

import typer

from spnb.cli.group import group
from spnb.cli.store_options import DatabaseUrl
from spnb.live.store.migrate import migrate_store

app = group("Create the tables of a store, or bring them up to date.")


@app.callback()
def _group() -> None:
    pass


@app.command()
def migrate(store: DatabaseUrl = None) -> None:
    """Create the tables, or bring those of an older spnb up to date."""
    before, after = migrate_store(store)
    if before == after:
        typer.echo(f"nothing to do: schema {after}")
    else:
        typer.echo(f"schema {after}" + ("" if before is None else f", before it was {before}"))
