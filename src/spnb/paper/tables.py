"""Statements and their verdicts as a table for the terminal."""

from collections.abc import Sequence

from rich import box
from rich.table import Table
from rich.text import Text

from spnb.paper.experiments.verdict import VERDICTS, Claim


def claims_table(claims: Sequence[Claim]) -> Table:
    """Every statement with its verdict, spnb's own apart."""
    table = Table(box=box.SIMPLE_HEAD, title="What holds of the paper")
    table.add_column("", no_wrap=True)
    table.add_column("statement")
    table.add_column("verdict", no_wrap=True)
    own = False
    for claim in claims:
        if claim.statement.own and not own:
            table.add_section()
            own = True
        table.add_row(claim.id, Text(claim.statement.words), VERDICTS[claim.holds])
    return table
