"""A live campaign in words and as a table for the terminal."""

from spnb.live.campaign.rewards import reward_text
from spnb.live.campaign.status import ArmStatus, Status
from spnb.report.grid import Column, Grid

_WIDTH = 20  # characters of the drawn profile
_MOST = 5  # overdue rewards that are listed


def status_lines(status: Status) -> list[str]:
    """What comes before everything else: the answer, what blocks, what is overdue."""
    lines = [] if status.answer is None else [status.answer]
    if status.blocked is not None:
        lines.append(f"Blocked: {status.blocked}.")
    lines += [f"Overdue: {pull}." for pull in status.overdue[:_MOST]]
    more = len(status.overdue) - _MOST
    return lines + ([f"And {more} more overdue."] if more > 0 else [])


def status_table(status: Status) -> Grid:
    """One line for each arm: its mean drawn and written, its interval, its chance of being best."""
    rounds = f"round {status.round}" + (f" of {status.rounds}" if status.rounds else "")
    zone = f", {status.zone}" if status.zone else ""
    columns = [
        Column("arm"), Column("profile", 5, left=True), Column("mean"), Column("interval"),
        Column("P(best)"), Column("pulls"), Column("earned", 2),
    ]  # fmt: skip
    lost, record = (any(getattr(arm, name) for arm in status.arms) for name in ("lost", "record"))
    columns += [Column("lost", 3)] if lost else []
    columns += [Column("record", 4)] if record else []
    rows = []
    for arm in status.arms:
        row = _row(arm, arm.arm == status.recommended)
        row += [str(arm.lost or "")] if lost else []
        rows.append([*row, str(arm.record or "")] if record else row)
    return Grid(
        f"{status.name}: {status.agent}, {rounds}, {status.state}{zone}",
        columns,
        rows,
        _signs(status, lost=lost, record=record),
    )


def _row(arm: ArmStatus, recommended: bool) -> list[str]:
    waiting = arm.pulls - arm.rewards - arm.lost
    return [
        f"{arm.arm}{' *' if recommended else ''}",
        profile(arm),
        "-" if arm.mean is None else f"{arm.mean:.2f}",
        f"{arm.low:.2f}..{arm.high:.2f}",
        "retired" if arm.retired else f"{arm.chance:.2f}",
        f"{arm.pulls}{f' ({waiting} open)' if waiting else ''}",
        reward_text(arm.earned) if arm.trials == arm.rewards else f"{arm.earned:g} of {arm.trials}",
    ]


def _signs(status: Status, *, lost: bool, record: bool) -> str:
    """What every sign and header of the table means."""
    signs = [
        "* held for the best",
        "profile: █ up to the mean, ─ the interval, from 0 to 1",
        "mean, interval: of the posterior, 95 %",
        "P(best): chance of the largest mean",
    ]
    if any(arm.mean is None for arm in status.arms):
        signs.append("- nothing known yet")
    if status.pending:
        signs.append("open: reward still to come")
    counts = any(arm.trials > arm.rewards for arm in status.arms)
    signs.append("earned: wins of trials" if counts else "earned: sum of the rewards")
    signs += ["lost: rewards given up"] if lost else []
    signs += ["record: rewards that the record counts as, in the posterior"] if record else []
    return "; ".join(signs) + "."


def profile(arm: ArmStatus) -> str:
    """The mean as a bar from 0 to 1, the interval as a line around its end."""
    cells = [
        "█" if arm.mean is not None and (cell + 0.5) / _WIDTH <= arm.mean else
        "─" if arm.low <= (cell + 0.5) / _WIDTH <= arm.high else " "
        for cell in range(_WIDTH)
    ]  # fmt: skip
    return "".join(cells)
