"""The figure of a study: for each case every agent's mean with its interval, and its tail."""

import re
from typing import TYPE_CHECKING

from spnb.paper.experiments.plain import Plain
from spnb.report.figures import new_figure
from spnb.report.style import colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

TAIL = "#999999"
MOST_ACROSS = 4
KEY = "bar: mean, with its 95 % interval; stroke: median; grey line: up to the 95th percentile"
LIMIT_KEY = "\nlimit: no agent has a lower mean, though told the best mean of all arms"


def figure(results: Plain) -> "Figure":
    """Bars are means with 95 % intervals, strokes medians, lines reach to the 95th percentile."""
    cases = list(results["cases"].values())
    longest = max(len(case["agents"]) for case in cases)
    rows = -(-len(cases) // MOST_ACROSS)
    across = -(-len(cases) // rows)
    drawn, panels = new_figure(across, 2.1 + 2.3 * across, (1.2 + 0.28 * longest) * rows, rows)
    names = _names(cases)
    for number, (axes, case) in enumerate(zip(panels, cases, strict=False)):
        draw_case(axes, case, names if number % across == 0 else [""] * len(names))
    for axes in panels[len(cases) :]:
        axes.set_axis_off()
    drawn.suptitle(f"{results['title']} ({results['runs']} runs)", fontsize=10)
    limited = any(case["limit"] is not None for case in cases)
    drawn.supxlabel(KEY + LIMIT_KEY * limited, fontsize=7.5)
    return drawn


def _names(cases: list[Plain]) -> list[str]:
    """The agents; without the value of a cost that is another one in every case."""
    listed = [list(case["agents"]) for case in cases]
    same = all(specs == listed[0] for specs in listed)
    return listed[0] if same else [re.sub(r"cost=[^,)]+", "cost", spec) for spec in listed[0]]


def draw_case(axes: "Axes", case: Plain, names: list[str]) -> None:
    agents = case["agents"]
    palette, places = colours(agents), range(len(agents) - 1, -1, -1)
    for place, (spec, found) in zip(places, agents.items(), strict=True):
        mean = found["regret"]
        axes.plot([0, found["q95"]], [place, place], color=TAIL, linewidth=1, zorder=1)
        ends = [[mean["mean"] - mean["low"]], [mean["high"] - mean["mean"]]]
        axes.barh(place, mean["mean"], xerr=ends, color=palette[spec], height=0.6, zorder=2)
        for colour, width in (("white", 2.6), ("black", 1.1)):  # to be seen on any bar
            axes.plot(found["q50"], place, marker="|", color=colour, ms=9, mew=width, zorder=3)
    if case["limit"] is not None:
        axes.axvline(case["limit"], color="#555555", linestyle="--", linewidth=1, zorder=4)
        axes.annotate(
            "limit", (case["limit"], 1.0), xycoords=axes.get_xaxis_transform(), xytext=(0, 1),
            textcoords="offset points", fontsize=7, ha="center", va="bottom",
        )  # fmt: skip
    where = "should help" if case["helps"] else "should not help"
    axes.set_title(f"{case['title']}\n({where})", fontsize=8, pad=10)
    axes.set_xlabel(f"regret, {case['rounds']} rounds", fontsize=8)
    axes.set_yticks(list(places), names, fontsize=8)
    axes.set_xlim(0, None)
    axes.grid(visible=False, axis="y")
