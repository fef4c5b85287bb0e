"""Figures of results."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np

from spnb.base.errors import DataError, SpecError
from spnb.base.extras import need
from spnb.base.files import write_whole
from spnb.engine.arrays import FloatArray
from spnb.report.style import RC, beyond, colours, draw_limit, draw_lower_bound, keep_legible
from spnb.simulation.metrics import Estimate
from spnb.simulation.results import Comparison, Curve, Identification, Scale

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

    from spnb.report.drawing import Drawing

    with mpl.rc_context(RC):
        figure = Drawing(figsize=(width, height), layout="constrained")
        return figure, list(figure.subplots(rows, columns, squeeze=False).flat)


def regret_figure(result: Comparison, *, clip: bool = True) -> "Figure":
    """Regret on a plain and on a logarithmic axis, pulls per round, shares of the best arm."""
    figure, (regret, slope, pulls, shares) = new_figure(2, 9.0, 6.2, rows=2)
    draw_regret(regret, result, "linear", clip=clip)
    draw_regret(slope, result, "log", clip=clip)
    palette = colours(result.agents)
    for spec, runs in result.agents.items():
        draw_curve(pulls, runs.pulls_curve, spec, palette[spec])
    pulls.set(xlabel="round", ylabel="pulls in the round", title="Pulls per round", xscale="log")
    draw_pulls_axis(pulls, [runs.pulls_curve.mean for runs in result.agents.values()])
    draw_shares(shares, result.summary(), palette)
    handles, labels = regret.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    return figure


def regret_panel(
    result: Comparison, axes: "Axes | None", scale: Scale, *, clip: bool = True
) -> "Figure":
    """The regret alone, on these axes or in a figure of its own."""
    if axes is None:
        _, (axes,) = new_figure(1, 5.6, 3.8)
    draw_regret(axes, result, scale, clip=clip)
    axes.legend(frameon=False, fontsize="small")
    return whole_figure(axes)


def whole_figure(axes: "Axes") -> "Figure":
    """The figure that axes are in, at whatever depth."""
    return axes.figure.canvas.figure


def draw_regret(axes: "Axes", result: Comparison, scale: Scale, *, clip: bool) -> None:
    """The regret of every agent against the rounds.

    The lower bound is drawn on a logarithmic axis alone, where it is a straight line that the
    curves may be held against at their end; the limit of a family on a plain one.
    """
    check_scale(scale)
    palette = colours(result.agents)
    for spec, runs in result.agents.items():
        draw_curve(axes, runs.regret_curve, spec, palette[spec])
    log = scale == "log"
    title = regret_name(result) + (", logarithmic axis" if log else "")
    axes.set(xlabel="round", ylabel="regret", title=title, xscale=scale)
    if clip:
        ends = {spec: float(runs.regret_curve.mean[-1]) for spec, runs in result.agents.items()}
        keep_legible(axes, ends)
    else:
        axes.set_ylim(0, None)
    if not log and result.limit is not None:
        draw_limit(axes, result.limit.rounds, result.limit.mean)
    bound = result.lower_bound
    if log and bound.mean[-1] < axes.get_ylim()[1]:
        draw_lower_bound(axes, bound.rounds, bound.mean, "any agent")


def check_scale(scale: str) -> None:
    if scale not in get_args(Scale):
        raise SpecError(f"scale must be one of {', '.join(get_args(Scale))}, got {scale!r}")


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


def identification_figure(
    result: Identification,
    axes: "Sequence[Axes] | None" = None,
    scale: Scale = "linear",
    *,
    clip: bool = True,
) -> "Figure":
    """Error, rounds and pulls of every agent, with intervals, on three axes."""
    check_scale(scale)
    metrics = ("error", "rounds", "pulls")
    if axes is None:
        _, axes = new_figure(3, 10.5, 1.4 + 0.35 * len(result.agents))
    if len(axes) != len(metrics):
        raise SpecError(f"axes must be three, for {', '.join(metrics)}, got {len(axes)}")
    summary = result.summary()
    for panel, metric in zip(axes, metrics, strict=True):
        values = {spec: summary[spec][metric] for spec in summary}
        log = scale == "log" and metric != "error"  # an error may be 0
        draw_bars(panel, values, clip=clip and not log)
        if metric == "pulls" and result.reference is not None:
            panel.axvline(result.reference, color="#555555", linestyle="--", linewidth=1)
            panel.set_xlabel("dashed: T* ln(1/delta)")
        panel.set(title=metric, xscale="log" if log else "linear")
        if panel is not axes[0]:
            panel.set_yticklabels([""] * len(summary))
    return whole_figure(axes[0])


def draw_bars(axes: "Axes", values: Mapping[str, Estimate], *, clip: bool) -> None:
    """A bar for each agent, the first on top; one far beyond the others may leave the frame."""
    palette, places = colours(values), np.arange(len(values))[::-1]
    for place, (spec, value) in zip(places, values.items(), strict=True):
        axes.barh(place, value.mean, xerr=whiskers(value), color=palette[spec], height=0.6)
    axes.set_yticks(places, list(values))
    axes.grid(visible=False, axis="y")
    far = beyond({spec: value.mean for spec, value in values.items()}) if clip else None
    axes.set_xlim(0, None if far is None else far[1])
    if far is not None:
        place, end = places[list(values).index(far[0])], values[far[0]].mean
        axes.annotate(
            f"{end:.4g} →", xy=(0.98, place), xycoords=axes.get_yaxis_transform(),
            ha="right", va="center", fontsize="small", color="white", fontweight="bold",
        )  # fmt: skip
