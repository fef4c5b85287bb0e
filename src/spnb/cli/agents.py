"""``spnb agents``: what there is, one line each."""

from rich.console import Console
from rich.table import Table

from spnb.bandits import registry


def agents() -> None:
    """List every agent and policy, one line each."""
    console = Console()
    for title, rows in (
        ("Agents answer offers:", registry.AGENTS),
        ("Policies choose arms:", registry.POLICIES),
    ):
        console.print(_table(title, [(row.cls.name(), row.cls) for row in rows]))
    if others := registry.foreign():
        console.print(_table("From other packages", list(others)))
    console.print(f"X+ can be {', '.join(registry.plus_names())}")


def _table(title: str, rows: "list[tuple[str, type]]") -> Table:
    table = Table(
        title=title,
        title_justify="left",
        box=None,
        show_header=False,
        padding=(0, 1),
        pad_edge=False,
    )
    table.add_column(no_wrap=True)
    table.add_column()
    for name, cls in rows:
        # The registry holds policies and agents alike, which share no class but object.
        about: str = cls.summary()  # type: ignore[attr-defined]
        table.add_row(name, about.replace("``", ""))
    return table
