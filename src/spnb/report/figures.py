"""Figures of results."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spnb.base.errors import DataError
from spnb.base.files import write_whole
from spnb.report.style import RC, colours
from spnb.simulation.metrics import Estimate
from spnb.simulation.results import Comparison, Curve, Identification

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")


def check_format(path: Path) -> None:
    if path.suffix.lower() not in FORMATS:
        known = ", ".join(FORMATS)
        raise DataError(f"cannot draw {path}: the name must end in one of {known}")


def plain(label: str) -> str:
    """A label as it is: dollars in it are no formula."""
    return label.replace("$", r"\$")


def save(figure: "Figure", path: Path) -> None:
    """Write the figure whole or not at all, without the date, so that reruns are identical."""
    check_format(path)
    import matplotlib as mpl

    kind = path.suffix.lower().removeprefix(".")
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    with mpl.rc_context(RC):
        write_whole(path, lambda draft: figure.savefig(draft, format=kind, metadata=metadata))


def new_figure(columns: int, width: float, height: float) -> "tuple[Figure, list[Axes]]":
    """A figure of some panels in a row that belongs to no window."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(RC):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, list(figure.subplots(1, columns, squeeze=False)[0])


def regret_figure(result: Comparison) -> "Figure":
    """Regret, pulls per round and the shares of the best arm, side by side."""
    figure, (regret, pulls, shares) = new_figure(3, 10.5, 3.4)
    palette = colours(result.agents)
    for spec, runs in result.agents.items():
        draw_curve(regret, runs.regret_curve, spec, palette[spec])
        draw_curve(pulls, runs.pulls_curve, spec, palette[spec])
    draw_bound(regret, result.lower_bound, "lower bound, any agent", "--")
    draw_bound(regret, result.one_pull_bound, "lower bound, one pull a round", ":")
    regret.set(xlabel="round", ylabel="regret", title="Regret", ylim=(0, None))
    pulls.set(xlabel="round", ylabel="pulls in the round", title="Pulls per round", ylim=(0, None))
    pulls.set_xscale("log")
    draw_shares(shares, result.summary(), palette)
    handles, labels = regret.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def draw_curve(axes: "Axes", curve: Curve, label: str, colour: str) -> None:
    axes.plot(curve.rounds, curve.mean, color=colour, label=label, linewidth=1.4)
    axes.fill_between(curve.rounds, curve.low, curve.high, color=colour, alpha=0.2, linewidth=0)


def draw_bound(axes: "Axes", bound: Curve, label: str, style: str) -> None:
    if np.isnan(bound.mean).all():
        return
    axes.plot(bound.rounds, bound.mean, color="#555555", linestyle=style, linewidth=1, label=label)


def draw_shares(
    axes: "Axes", summary: Mapping[str, Mapping[str, Estimate]], palette: Mapping[str, str]
) -> None:
    """Opt* as bars and Opti* as points, each with its interval."""
    places = np.arange(len(summary))
    for place, (spec, metrics) in zip(places, summary.items(), strict=True):
        opt, opti = metrics["opt"], metrics["opti"]
        axes.bar(place, opt.mean, yerr=whiskers(opt), color=palette[spec], alpha=0.75, width=0.7)
        axes.errorbar(place, opti.mean, yerr=whiskers(opti), color="black", marker="o", ms=4)
    axes.set_xticks(places, list(summary), rotation=35, ha="right")
    axes.set(title="Opt* (bars), Opti* (points)", ylim=(0, 1.05))
    axes.grid(visible=False, axis="x")


def whiskers(estimate: Estimate) -> list[list[float]]:
    """An interval as Matplotlib's error bars want it; none where there is no interval."""
    low, high = estimate.mean - estimate.low, estimate.high - estimate.mean
    return [[max(0.0, np.nan_to_num(low))], [max(0.0, np.nan_to_num(high))]]


def identification_figure(result: Identification) -> "Figure":
    """Error, rounds and pulls of every agent, with intervals."""
    figure, panels = new_figure(3, 10.5, 1.4 + 0.35 * len(result.agents))
    palette = colours(result.agents)
    summary = result.summary()
    places = np.arange(len(summary))[::-1]
    for axes, metric in zip(panels, ("error", "rounds", "pulls"), strict=True):
        for place, spec in zip(places, summary, strict=True):
            value = summary[spec][metric]
            axes.barh(place, value.mean, xerr=whiskers(value), color=palette[spec], height=0.6)
        if metric == "pulls" and result.reference is not None:
            axes.axvline(result.reference, color="#555555", linestyle="--", linewidth=1)
            axes.set_xlabel("dashed: T* ln(1/delta)")
        axes.set(title=metric, xlim=(0, None))
        axes.set_yticks(places, list(summary) if axes is panels[0] else [""] * len(summary))
        axes.grid(visible=False, axis="y")
    return figure
