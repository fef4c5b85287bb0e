"""A live campaign as a table for the terminal."""

from rich import box
from rich.markup import escape
from rich.table import Table

from spnb.live.campaign.status import ArmStatus, Status

_WIDTH = 20  # characters of the drawn profile


def status_table(status: Status) -> Table:
    """One line for each arm: its mean drawn and written, its interval, its chance of being best."""
    rounds = f"round {status.round}" + (f" of {status.rounds}" if status.rounds else "")
    table = Table(
        box=box.SIMPLE_HEAD,
        title=escape(f"{status.name}: {status.agent}, {rounds}, {status.state}"),
        caption="95 % interval of the mean; P(best): chance of the largest mean",
    )
    table.add_column("arm", no_wrap=True)
    table.add_column("profile", no_wrap=True)
    for title in ("mean", "interval", "P(best)", "pulls", "lost"):
        table.add_column(title, justify="right", no_wrap=True)
    for arm in status.arms:
        mean = "-" if arm.mean is None else f"{arm.mean:.2f}"
        waiting = arm.pulls - arm.rewards - arm.lost
        table.add_row(
            escape(f"{arm.arm}{' *' if arm.arm == status.recommended else ''}"),
            profile(arm),
            mean,
            f"{arm.low:.2f}..{arm.high:.2f}",
            "retired" if arm.retired else f"{arm.chance:.2f}",
            f"{arm.pulls}{f' ({waiting} open)' if waiting else ''}",
            str(arm.lost or ""),
        )
    return table


def profile(arm: ArmStatus) -> str:
    """The mean as a bar from 0 to 1, the interval as a line around its end."""
    cells = [
        "█" if arm.mean is not None and (cell + 0.5) / _WIDTH <= arm.mean else
        "─" if arm.low <= (cell + 0.5) / _WIDTH <= arm.high else " "
        for cell in range(_WIDTH)
    ]  # fmt: skip
    return "".join(cells)
