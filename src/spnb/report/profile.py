"""A problem made from data, as a table and as the profile of its day."""

from typing import TYPE_CHECKING

import numpy as np

from spnb.base.words import count_text
from spnb.plan.certainty import Facts
from spnb.report.figures import new_figure, plain
from spnb.report.grid import Column, Grid

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEST, OTHER = "#D55E00", "#0072B2"


def facts_table(facts: Facts) -> Grid:
    """A line for each arm: its mean, its gap, its chance to be the best."""
    top, rows = max(*(mean.mean for mean in facts.means), 1e-12), []
    for arm, mean in enumerate(facts.means):
        ends = [f"{end:.4f}" if np.isfinite(end) else "" for end in (mean.low, mean.high)]
        chance = "" if facts.chances is None else f"{facts.chances[arm]:.1%}"
        bar = "█" * round(12 * mean.mean / top)
        name = facts.data.arms[arm]
        rows.append([name, f"{mean.mean:.4f}", *ends, f"{facts.gaps[arm]:.4f}", chance, bar])
    return Grid(
        facts.data.name,
        [
            Column("arm"),
            Column("mean"),
            Column("from", 2),
            Column("to", 2, means="from, to: 95 % interval of the mean"),
            Column("gap", 3),
            Column(
                "chance best",
                1,
                means="chance best: share of resampled records in which it is best",
            ),
            Column("profile", 4, left=True),
        ],
        rows,
        bold=frozenset({facts.best}),
    )


def facts_lines(facts: Facts) -> list[str]:
    """The same in words."""
    data, best = facts.data, facts.best
    amount = "" if data.table is None else f" over {len(data.table)} rounds"
    lines = [f"K = {len(data.arms)} arms{amount}."]
    if data.shows is not None:
        lines.append(
            f"Rewards are counts, {np.nansum(data.shows):,.0f} trials in all: a pull brings all "
            f"trials of its round (their median is {np.nanmedian(data.shows):,.0f})."
        )
    tied = int((facts.gaps == 0).sum())
    sure = ""
    if facts.chances is not None:
        sure = f"; the data are {facts.chances[best]:.0%} sure of it"
        others = np.where(np.arange(len(data.arms)) == best, -1.0, facts.chances)
        rival = int(others.argmax())
        if others[rival] >= 0.005:
            sure += f", {data.arms[rival]} has {others[rival]:.0%}"
    share = f" (level with {tied - 1} more)" if tied > 1 else ""
    lines.append(f"Best: {data.arms[best]}{share}, mean {facts.means[best].mean:.3f}{sure}.")
    if facts.h1 > 0:
        others_are = "the other arms" if tied == 1 else "the arms below"
        lines.append(
            f"H1 = {count_text(facts.h1)} over {others_are}, {count_text(facts.h1_with_best)} with "
            f"the best arm counted at the smallest gap; H2 = {count_text(facts.h2)}."
        )
    elif tied > 1:
        lines.append("All arms have the same mean here: there is none to be found.")
    return lines + [f"Note: {note}." for note in data.notes]


def profile_figure(facts: Facts) -> "Figure":
    """The mean of every arm in the order of the day, with its interval, and its chance."""
    arms = facts.data.arms
    both = facts.chances is not None
    wide = min(7.0, max(4.0, 0.4 * len(arms) + 1.0))
    figure, panels = new_figure(2 if both else 1, wide * (2 if both else 1), 3.4)
    places = np.arange(len(arms))
    colour = [BEST if arm == facts.best else OTHER for arm in range(len(arms))]
    means = np.array([mean.mean for mean in facts.means])
    ends = np.array([[m.mean - m.low, m.high - m.mean] for m in facts.means]).T
    panels[0].bar(places, means, color=colour, alpha=0.75, width=0.75)
    panels[0].errorbar(
        places, means, np.maximum(np.nan_to_num(ends), 0), fmt="none", ecolor="black", capsize=2
    )
    panels[0].set(title=plain(facts.data.name), ylabel="mean reward, 95 % interval", ylim=(0, None))
    if facts.chances is not None:
        panels[1].bar(places, facts.chances, color=colour, alpha=0.75, width=0.75)
        panels[1].set(title="How sure the data are", ylabel="chance to be the best", ylim=(0, 1))
    step = -(-len(arms) // 24)  # at most 24 labels
    for axes in panels:
        axes.set_xticks(
            places[::step], [plain(arm) for arm in arms[::step]], rotation=60, ha="right"
        )
        axes.grid(visible=False, axis="x")
    return figure
