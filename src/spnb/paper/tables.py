"""The paper's claims as a table for the terminal."""

from collections.abc import Sequence

from rich import box
from rich.table import Table

from spnb.paper.experiments.verdict import VERDICTS, Claim


def claims_table(claims: Sequence[Claim]) -> Table:
    """The paper's claims, each with its verdict."""
    table = Table(box=box.SIMPLE_HEAD, title="What holds of the paper")
    table.add_column("", justify="right")
    table.add_column("claim")
    table.add_column("verdict", no_wrap=True)
    for claim in claims:
        table.add_row(str(claim.id), claim.claim, VERDICTS[claim.holds])
    return table
