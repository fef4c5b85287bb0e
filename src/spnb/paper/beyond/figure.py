"""The figure of a study: for each case every agent's mean with its interval, and its tail."""

from typing import TYPE_CHECKING

from spnb.paper.experiments.plain import Plain
from spnb.report.figures import new_figure
from spnb.report.style import colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TAIL = "#999999"


def figure(results: Plain) -> "Figure":
    """Bars are means with 95 % intervals, ticks the median, lines reach to the 95th percentile."""
    cases = list(results["cases"].values())
    longest = max(len(case["agents"]) for case in cases)
    drawn, panels = new_figure(len(cases), 2.1 + 2.3 * len(cases), 1.3 + 0.28 * longest)
    for axes, case in zip(panels, cases, strict=True):
        draw_case(axes, case, named=axes is panels[0])
    drawn.suptitle(f"{results['title']} ({results['runs']} runs)", fontsize=10)
    return drawn


def draw_case(axes: "Axes", case: Plain, named: bool) -> None:
    agents = case["agents"]
    palette, places = colours(agents), range(len(agents) - 1, -1, -1)
    for place, (spec, found) in zip(places, agents.items(), strict=True):
        mean = found["regret"]
        axes.plot([0, found["q95"]], [place, place], color=TAIL, linewidth=1, zorder=1)
        ends = [[mean["mean"] - mean["low"]], [mean["high"] - mean["mean"]]]
        axes.barh(place, mean["mean"], xerr=ends, color=palette[spec], height=0.6, zorder=2)
        axes.plot([found["q50"]], [place], marker="|", color="black", ms=9, zorder=3)
    if case["limit"] is not None:
        axes.axvline(case["limit"], color="#555555", linestyle="--", linewidth=1, zorder=4)
        axes.annotate("limit", (case["limit"], len(agents) - 0.5), fontsize=7, ha="center")
    where = "should help" if case["helps"] else "should not help"
    axes.set_title(f"{case['title']}\n({where})", fontsize=8)
    axes.set_xlabel(f"regret, {case['rounds']} rounds", fontsize=8)
    axes.set_yticks(list(places), list(agents) if named else [""] * len(agents), fontsize=8)
    axes.set_xlim(0, None)
    axes.grid(visible=False, axis="y")
