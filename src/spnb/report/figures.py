"""Figures of results."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spnb.base.errors import DataError
from spnb.base.extras import need
from spnb.base.files import write_whole
from spnb.engine.arrays import FloatArray
from spnb.report.style import RC, colours, draw_limit, draw_lower_bound, keep_legible
from spnb.simulation.metrics import Estimate
from spnb.simulation.results import Comparison, Curve, Identification

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")


def check_format(path: Path) -> None:
    """Refuse early what could not be drawn in the end."""
    need("plot")
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


def new_figure(
    columns: int, width: float, height: float, rows: int = 1
) -> "tuple[Figure, list[Axes]]":
    """A figure of some panels that belongs to no window."""
    need("plot")
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(RC):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def regret_figure(result: Comparison) -> "Figure":
    """Regret on a plain and on a logarithmic axis, pulls per round, shares of the best arm.

    The lower bound is drawn on the logarithmic axis alone, where it is a straight line that the
    curves may be held against at their end; the limit of a family on the plain one.
    """
    figure, (regret, slope, pulls, shares) = new_figure(2, 9.0, 6.2, rows=2)
    palette = colours(result.agents)
    for spec, runs in result.agents.items():
        draw_curve(regret, runs.regret_curve, spec, palette[spec])
        draw_curve(slope, runs.regret_curve, spec, palette[spec])
        draw_curve(pulls, runs.pulls_curve, spec, palette[spec])
    ends = {spec: float(runs.regret_curve.mean[-1]) for spec, runs in result.agents.items()}
    name = regret_name(result)
    regret.set(xlabel="round", ylabel="regret", title=name)
    slope.set(xlabel="round", ylabel="regret", title=f"{name}, logarithmic axis", xscale="log")
    keep_legible(regret, ends)
    keep_legible(slope, ends)
    if result.limit is not None:
        draw_limit(regret, result.limit.rounds, result.limit.mean)
    bound = result.lower_bound
    if bound.mean[-1] < slope.get_ylim()[1]:
        draw_lower_bound(slope, bound.rounds, bound.mean, "any agent")
    pulls.set(xlabel="round", ylabel="pulls in the round", title="Pulls per round", xscale="log")
    draw_pulls_axis(pulls, [runs.pulls_curve.mean for runs in result.agents.values()])
    draw_shares(shares, result.summary(), palette)
    handles, labels = regret.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def regret_name(result: Comparison) -> str:
    """What kind of regret it is."""
    if result.cost is not None:
        return f"Regret at a cost of {result.cost:g}"
    return "Dynamic regret" if result.changing else "Regret"


def draw_curve(axes: "Axes", curve: Curve, label: str, colour: str) -> None:
    axes.plot(curve.rounds, curve.mean, color=colour, label=label, linewidth=1.4)
    axes.fill_between(curve.rounds, curve.low, curve.high, color=colour, alpha=0.2, linewidth=0)


def draw_pulls_axis(axes: "Axes", curves: Iterable[FloatArray]) -> None:
    """A logarithmic axis for pulls per round, so that one agent pulling all leaves room."""
    from matplotlib.ticker import FixedLocator, FormatStrFormatter, NullLocator

    drawn = [curve[np.isfinite(curve) & (curve > 0)] for curve in curves]
    least = min((float(curve.min()) for curve in drawn if curve.size), default=1.0)
    most = max((float(curve.max()) for curve in drawn if curve.size), default=1.0)
    axes.set_yscale("log")
    axes.set_ylim(min(0.9, 0.9 * least), most * 1.15)
    axes.yaxis.set_major_locator(FixedLocator([0.01, 0.1, 1, 2, 5, 10, 20, 50, 100, 1000]))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FormatStrFormatter("%g"))


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
