"""``spnb agents``: what there is, one line each."""

from rich.console import Console
from rich.table import Table

from spnb.registry import AGENTS, POLICIES, foreign, plus_names


def agents() -> None:
    """List every agent and policy, one line each."""
    console = Console()
    console.print(_table("Agents: they answer offers", [(r.cls.name(), r.cls) for r in AGENTS]))
    title = "Policies: a bare name means Once(policy); Seq(policy) is the paper's way"
    console.print(_table(title, [(row.cls.name(), row.cls) for row in POLICIES]))
    if foreign():
        console.print(_table("From other packages", list(foreign())))
    console.print(f"X+ pulls every active arm each round: {', '.join(plus_names())}")


def _table(title: str, rows: "list[tuple[str, type]]") -> Table:
    table = Table(title=title, title_justify="left", box=None, show_header=False, padding=(0, 2))
    for name, cls in rows:
        table.add_row(name, cls.summary())  # type: ignore[attr-defined]
    return table
