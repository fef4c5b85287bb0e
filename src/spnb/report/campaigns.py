"""A live campaign in words and as a table for the terminal."""

from math import ceil, log10

from spnb.base.words import chance_text
from spnb.live.campaign.status import ArmStatus, Status
from spnb.report.grid import Column, Grid

_WIDTH = 20  # characters of the drawn profile
_MOST = 5  # overdue rewards that are listed
_TOPS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)  # where a profile may end


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
    zone = f", {status.zone}" if status.zone else ""
    cells = _cells(status)
    # A column that would be empty has nothing to say.
    columns = [column for column in _columns(status) if any(cells[column.title])]
    rows = list(zip(*(cells[column.title] for column in columns), strict=True))
    signs = ["* taken to be the best"] if status.best else []
    signs += ["- nothing known yet"] if any(arm.mean is None for arm in status.arms) else []
    return Grid(
        f"{status.name}: {status.agent}, {status.progress}, {status.state}{zone}",
        columns,
        rows,
        "; ".join(signs),
    )


def _columns(status: Status) -> list[Column]:
    counts = any(arm.trials > arm.rewards for arm in status.arms)
    drawn = f"profile: █ up to the mean, ─ the interval, from 0 to {top_of(status):g}"
    earned = "wins of trials, taken for independent" if counts else "sum of the rewards"
    return [
        Column("arm"),
        Column("profile", 5, left=True, means=drawn),
        Column("mean"),
        Column("interval", means="mean, interval: of the posterior, 95 %"),
        Column("P(best)", means="P(best): chance of the largest mean"),
        Column("pulls", means="open: reward still to come" if status.pending else ""),
        Column("earned", 2, means=f"earned: {earned}"),
        Column("lost", 3, means="lost: rewards given up"),
        Column("record", 4, means="record: rewards that the record counts as, in the posterior"),
    ]


def _cells(status: Status) -> dict[str, list[str]]:
    """The texts of every column."""
    arms, digits, top = status.arms, digits_of(status), top_of(status)
    return {
        "arm": [f"{arm.arm}{' *' if arm.arm == status.best else ''}" for arm in arms],
        "profile": [profile(arm, top) for arm in arms],
        "mean": ["-" if arm.mean is None else f"{arm.mean:.{digits}f}" for arm in arms],
        "interval": [f"{arm.low:.{digits}f}..{arm.high:.{digits}f}" for arm in arms],
        "P(best)": ["retired" if arm.retired else chance_text(arm.chance) for arm in arms],
        "pulls": [pulls_text(arm) for arm in arms],
        "earned": [earned_text(arm) for arm in arms],
        "lost": [str(arm.lost or "") for arm in arms],
        "record": [str(arm.record or "") for arm in arms],
    }


def pulls_text(arm: ArmStatus) -> str:
    """How often it was pulled, and how many of the rewards are still to come."""
    return f"{arm.pulls}{f' ({arm.waiting} open)' if arm.waiting else ''}"


def earned_text(arm: ArmStatus) -> str:
    """The sum of the rewards; with counts, of how many trials."""
    return f"{arm.earned:g}" if arm.trials == arm.rewards else f"{arm.earned:g} of {arm.trials}"


def digits_of(status: Status) -> int:
    """So many that the ends of the narrowest interval differ."""
    narrow = min(arm.high - arm.low for arm in status.arms)
    return min(max(2, ceil(-log10(max(narrow, 1e-6))) + 1), 6)


def top_of(status: Status) -> float:
    """Where the profile ends: little above the largest interval."""
    highest = max(arm.high for arm in status.arms)
    return min(top for top in _TOPS if top >= highest or top == _TOPS[0])


def profile(arm: ArmStatus, top: float = 1.0) -> str:
    """The mean as a bar from 0 to ``top``, the interval as a line around its end."""
    points = [(cell + 0.5) / _WIDTH * top for cell in range(_WIDTH)]
    return "".join(
        "█" if arm.mean is not None and point <= arm.mean else
        "─" if arm.low <= point <= arm.high else " "
        for point in points
    )  # fmt: skip
