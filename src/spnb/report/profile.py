"""A problem made from data, as a table and as the profile of its day."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spnb.base.words import amount, chance_text, count_text
from spnb.engine.arrays import FloatArray
from spnb.plan.certainty import Facts, arm_means
from spnb.problems import Estimated, KnownMeans, Problem, Recorded
from spnb.problems.readers import ProblemData
from spnb.report.figures import new_figure, plain
from spnb.report.grid import Column, Grid
from spnb.simulation.metrics import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEST, OTHER = "#D55E00", "#0072B2"


def facts_table(facts: Facts) -> Grid:
    """A line for each arm: its mean, its gap, its chance to be the best."""
    return _arms_table(facts.data.name, facts.data.arms, facts.means, facts.chances)


def data_table(data: ProblemData) -> Grid:
    """The same without the chances, which take a while."""
    return _arms_table(data.name, data.arms, arm_means(data))


def problem_table(problem: Problem) -> Grid:
    """A line for each arm where the means are known, else for each parameter."""
    kind, labels = type(problem).__name__, tuple(map(str, range(problem.arms)))
    if isinstance(problem, Recorded):
        data = ProblemData(kind, labels, problem.table, shows=problem.shows)
    elif isinstance(problem, Estimated):
        data = ProblemData(kind, labels, means=problem.means, trials=problem.trials)
    elif isinstance(problem, KnownMeans):
        data = ProblemData(kind, labels, means=problem.means)
    else:
        rows = list(problem.told().items())
        return Grid(kind, [Column("parameter"), Column("value")], rows)
    return data_table(data)


def _arms_table(
    name: str, arms: Sequence[str], means: Sequence[Estimate], chances: FloatArray | None = None
) -> Grid:
    """A line for each arm; a column that would be empty is left out."""
    values = np.array([mean.mean for mean in means])
    best, top = int(values.argmax()), max(float(values.max()), 1e-12)
    rated = "chance best: share of resampled records in which it is best"
    cells: dict[Column, Sequence[str]] = {
        Column("arm"): arms,
        Column("mean"): [f"{mean:.4f}" for mean in values],
        Column("interval", 2, means="interval: of the mean, 95 %"): [
            f"{mean.low:.4f}..{mean.high:.4f}" if np.isfinite(mean.low) else "" for mean in means
        ],
        Column("gap", 3): [f"{gap:.4f}" for gap in values[best] - values],
        Column("chance best", 1, means=rated): (
            [] if chances is None else [chance_text(chance, ".1%") for chance in chances]
        ),
        Column("profile", 4, left=True): ["█" * round(12 * mean / top) for mean in values],
    }
    shown = {column: texts for column, texts in cells.items() if any(texts)}
    rows = list(zip(*shown.values(), strict=True))
    return Grid(name, list(shown), rows, bold=frozenset({best}))


def facts_lines(facts: Facts) -> list[str]:
    """The same in words."""
    data, best = facts.data, facts.best
    over = "" if data.table is None else f" over {amount(len(data.table), 'round')}"
    lines = [f"K = {amount(len(data.arms), 'arm')}{over}."]
    if data.shows is not None:
        lines.append(
            f"Rewards are counts, {np.nansum(data.shows):,.0f} trials in all: a pull brings all "
            f"trials of its round (their median is {np.nanmedian(data.shows):,.0f})."
        )
    tied = int((facts.gaps == 0).sum())
    sure = ""
    if facts.chances is not None:
        sure = f"; the data are {chance_text(facts.chances[best], '.0%')} sure of it"
        others = np.where(np.arange(len(data.arms)) == best, -1.0, facts.chances)
        rival = int(others.argmax())
        if others[rival] >= 0.005:
            sure += f", {data.arms[rival]} has {others[rival]:.0%}"
    share = f" (level with {tied - 1} more)" if tied > 1 else ""
    lines.append(f"Best: {data.arms[best]}{share}, mean {facts.means[best].mean:.3f}{sure}.")
    if facts.h1 > 0:
        unit = "" if data.shows is None else " trials"
        others_are = "the other arms" if tied == 1 else "the arms below"
        lines.append(
            f"H1 = {count_text(facts.h1)}{unit} over {others_are}, "
            f"{count_text(facts.h1_with_best)} with the best arm counted at the smallest gap; "
            f"H2 = {count_text(facts.h2)}."
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
