"""Plates of regret: regret, pulls per round and the shares of the best arm."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from spnb.paper.plates import Plain, Plate, lines, numbers, whiskers
from spnb.report.figures import draw_pulls_axis
from spnb.report.style import colours, draw_lower_bound, keep_legible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NUMBER = {"10": "Figure S1", "25": "Figure 1", "50": "Figure S2"}
ORDER = {"random": "anywhere in the round", "authors": "first, as the authors have it"}


def plates(results: Plain, bounds: bool = False) -> list[Plate]:
    out = []
    said = (
        f"Means over {results['runs']} runs of {results['rounds']} rounds, each run with a problem "
        f"of its own, the best arm {ORDER[results['order']]}; bands and bars are 95 % intervals. "
        "Regret; pulls in each round, both axes logarithmic; share of pulls that went to the best "
        "arm (bars) and share of rounds in which it was pulled (points)."
    )
    for i, (arms, problem) in enumerate(results["problems"].items()):
        where = f"{NUMBER.get(arms, 'As figure 1')}: synthetic problems, K = {arms}"
        agents, ours = problem["agents"], problem["ours"]
        caption = said if i == 0 else f"The same with {arms} arms."
        beyond = (
            "What spnb recommends: a random order of arms, a first sweep, Challenge. Beside the "
            "regret on a plain axis it is drawn on a logarithmic one, where the lower bound for "
            "long runs is a straight line; early in a run regret may well lie below it."
            if i == 0
            else f"What spnb recommends, with {arms} arms."
        )
        out += [
            Plate(f"rm-{arms}", where, caption, regret_panels(agents), tuple(agents)),
            Plate(
                f"rm-{arms}-ours", f"{where}, beyond the paper", beyond,
                (*regret_panels(ours), partial(against_bound, ours, problem["bounds"]["lower"])),
                tuple(ours), across=2,
            ),
        ]  # fmt: skip
        if bounds:
            out.append(_bounds_plate(arms, problem))
    return out


def regret_panels(agents: Plain) -> tuple[partial[None], ...]:
    return tuple(partial(panel, agents) for panel in (draw_regret, draw_pulls, draw_shares))


def draw_regret(agents: Plain, axes: "Axes") -> None:
    lines(axes, {label: found["regret_curve"] for label, found in agents.items()})
    axes.set(xlabel="round", ylabel="regret", title="Regret")
    keep_legible(axes, _ends(agents))


def against_bound(agents: Plain, bound: Plain, axes: "Axes") -> None:
    """Regret on a logarithmic axis of rounds, with what any agent pays in the long run."""
    lines(axes, {label: found["regret_curve"] for label, found in agents.items()})
    axes.set(xlabel="round", ylabel="regret", title="Regret, logarithmic axis", xscale="log")
    ends = _ends(agents)
    keep_legible(axes, ends)
    if bound["mean"][-1] < axes.get_ylim()[1]:
        draw_lower_bound(axes, bound["rounds"], bound["mean"], "any agent")


def _ends(agents: Plain) -> dict[str, float]:
    return {label: found["regret_curve"]["mean"][-1] for label, found in agents.items()}


def draw_pulls(agents: Plain, axes: "Axes") -> None:
    lines(axes, {label: found["pulls_curve"] for label, found in agents.items()})
    axes.set(xlabel="round", ylabel="pulls", title="Pulls in the round", xscale="log")
    draw_pulls_axis(axes, [numbers(found["pulls_curve"]["mean"]) for found in agents.values()])


def draw_shares(agents: Plain, axes: "Axes") -> None:
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
        "Theorems 1 and 2 beside what was measured, regret axis logarithmic. For TS only the "
        "leading term is known in full: for one pull a round it is the lower bound itself. UCB1's "
        "bounds are complete, and far above what happens."
    )
    shown = {label: problem["agents"][label] for label in ("TS", "Seq(TS)")}
    bounds = {name: found for name, found in problem["bounds"].items() if "theorem" in name}
    return Plate(
        f"rm-{arms}-bounds", f"The paper's regret bounds, K = {arms}", caption,
        (partial(bounds_panel, shown, bounds),), (*shown, *bounds), height=3.0,
    )  # fmt: skip


def bounds_panel(agents: Plain, bounds: Plain, axes: "Axes") -> None:
    lines(axes, {label: found["regret_curve"] for label, found in agents.items()})
    styles = iter(["--", "-.", ":", (0, (5, 2, 1, 2, 1, 2))])
    for name, bound in bounds.items():
        at, mean = numbers(bound["rounds"]), numbers(bound["mean"])
        positive = np.where(mean > 0, mean, np.nan)
        axes.plot(at, positive, color="#333333", linestyle=next(styles), label=name, lw=1)
    axes.set(xlabel="round", ylabel="regret", yscale="log", title="Regret and its bounds")
    axes.set_ylim(1, None)
