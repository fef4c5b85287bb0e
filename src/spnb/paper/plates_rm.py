"""Plates of regret: regret, pulls per round and the shares of the best arm."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from spnb.paper.plates import (
    Layout,
    Plain,
    Plate,
    legend,
    line,
    numbers,
    panels,
    whiskers,
)
from spnb.report.style import colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NUMBER = {"10": "Figure S1", "25": "Figure 1", "50": "Figure S2"}
OURS = "Challenge"
FAR_ABOVE = 2.5  # what ends this many times above the other agents leaves the frame


def plates(results: Plain, bounds: bool = False) -> list[Plate]:
    out = []
    for arms, problem in results["problems"].items():
        where = f"{NUMBER.get(arms, 'As figure 1')}: synthetic problems, K = {arms}"
        said = (
            f"Means over {results['runs']} runs of {results['rounds']} rounds, each run with a "
            f"problem of its own ({_order(results['order'])}); bands and bars are 95 % intervals. "
            "First panel: regret, with the least that any agent and that an agent of one pull a "
            "round must pay in the long run (where it fits the frame). Second: pulls in each "
            "round, both axes logarithmic. Third: share of pulls that went to the best arm (bars) "
            "and share of rounds in which it was pulled (points)."
        )
        without = {k: v for k, v in problem["agents"].items() if k != OURS}
        paper, all_of_it = problem | {"agents": without}, problem
        out.append(Plate(f"rm-{arms}", where, said, partial(regret_panels, paper)))
        out.append(
            Plate(
                f"rm-{arms}-challenge",
                f"{where}, with Challenge",
                f"The same with Challenge, spnb's own agent, beside the paper's five. {said}",
                partial(regret_panels, all_of_it),
            )
        )
        if bounds:
            out.append(_bounds_plate(arms, problem))
    return out


def _order(order: str) -> str:
    return "best arm anywhere in the round" if order == "random" else "best arm first"


def regret_panels(problem: Plain, layout: Layout) -> "Figure":
    figure, (regret, pulls, shares) = panels(layout, 3)
    agents, colour = problem["agents"], colours(problem["agents"])
    for label, found in agents.items():
        line(regret, found["regret_curve"], label, colour[label])
        line(pulls, found["pulls_curve"], label, colour[label])
    _frame(regret, agents, problem["bounds"])
    regret.set(xlabel="round", ylabel="regret", title="Regret")
    pulls.set(
        xlabel="round", ylabel="pulls", title="Pulls in the round", xscale="log", yscale="log"
    )
    _plain_ticks(pulls, max(found["pulls_curve"]["mean"][0] for found in agents.values()))
    draw_shares(shares, agents)
    legend(figure, regret, layout)
    return figure


def _frame(axes: "Axes", agents: Plain, bounds: Plain) -> None:
    """Both lower bounds where they fit, and a frame in which all agents but one are legible."""
    last = {label: found["regret_curve"]["mean"][-1] for label, found in agents.items()}
    worst = max(last, key=lambda label: last[label])
    rest = max(value for label, value in last.items() if label != worst)
    for key, label, style in (
        ("lower", "bound, any agent", "--"),
        ("one_pull", "bound, one pull", ":"),
    ):
        bound = bounds[key]
        if bound["mean"][-1] < FAR_ABOVE * rest:
            axes.plot(bound["rounds"], bound["mean"], ls=style, label=label, color="#555555", lw=1)
            rest = max(rest, bound["mean"][-1])
    if last[worst] > FAR_ABOVE * rest:
        axes.set_ylim(0, 1.25 * rest)
        axes.annotate(
            f"{worst}: {last[worst]:.0f}\nat the end",
            xy=(0.97, 0.98), xycoords="axes fraction", ha="right", va="top", fontsize=7,
            color=colours(agents)[worst],
        )  # fmt: skip
    else:
        axes.set_ylim(0, None)


def _plain_ticks(axes: "Axes", most: float) -> None:
    from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

    axes.set_ylim(0.9, most * 1.15)
    axes.yaxis.set_major_locator(FixedLocator([1, 2, 5, 10, 20, 50, 100]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(ScalarFormatter())


def draw_shares(axes: "Axes", agents: Plain) -> None:
    colour = colours(agents)
    for place, (label, found) in enumerate(agents.items()):
        opt, opti = found["opt"], found["opti"]
        axes.bar(
            place, opt["mean"], yerr=whiskers(opt), color=colour[label], alpha=0.75, width=0.7,
            error_kw={"elinewidth": 0.9},
        )  # fmt: skip
        axes.errorbar(
            place, opti["mean"], yerr=whiskers(opti), color="black", marker="o", ms=3.5,
            elinewidth=0.9,
        )  # fmt: skip
    axes.set_xticks(range(len(agents)), list(agents), rotation=40, ha="right")
    axes.set(title="Opt* (bars), Opti* (points)", ylabel="share", ylim=(0, 1.05))
    axes.grid(visible=False, axis="x")


def _bounds_plate(arms: str, problem: Plain) -> Plate:
    caption = (
        "Theorems 1 and 2 beside what was measured, regret axis logarithmic. For TS and bUCB only "
        "the leading term is known in full: for one pull a round it is the lower bound itself. "
        "UCB1's bounds are complete, and far above what happens."
    )
    title = f"The paper's regret bounds, K = {arms}"
    return Plate(f"rm-{arms}-bounds", title, caption, partial(bounds_panel, problem))


def bounds_panel(problem: Plain, layout: Layout) -> "Figure":
    figure, (axes,) = panels(layout, 1, height=3.0)
    shown = {label: problem["agents"][label] for label in ("TS", "Seq(TS)", "bUCB", "Seq(bUCB)")}
    colour = colours(shown)
    for label, found in shown.items():
        line(axes, found["regret_curve"], label, colour[label])
    styles = iter(["--", "-.", ":", (0, (5, 2, 1, 2, 1, 2))])
    for name, bound in problem["bounds"].items():
        if name.startswith("theorem"):
            at, mean = numbers(bound["rounds"]), numbers(bound["mean"])
            positive = np.where(mean > 0, mean, np.nan)
            axes.plot(at, positive, color="#333333", linestyle=next(styles), label=name, lw=1)
    axes.set(xlabel="round", ylabel="regret", yscale="log", title="Regret and its bounds")
    axes.set_ylim(1, None)
    legend(figure, axes, layout, most=3)
    return figure
