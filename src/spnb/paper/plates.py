"""Plates: figures for print and page, each in two layouts, drawn from results alone.

``wide`` sets its panels side by side and fits a page's text width; ``column`` stacks them and fits
one column of a journal, or a phone.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spnb.base.files import write_whole
from spnb.engine.arrays import FloatArray
from spnb.report.style import RC

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Plain = dict[str, Any]
Layout = Literal["wide", "column"]
LAYOUTS: tuple[Layout, ...] = ("wide", "column")
WIDTH = {"wide": 7.0, "column": 3.4}  # inches

KINDS = {"wide": ("svg", "png"), "column": ("svg",)}
METADATA: dict[str, Any] = {"svg": {"Date": None}, "png": {"Software": None}}

PRINT: Any = RC | {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "lines.linewidth": 1.3,
}

_DASHED = ("TS", "bUCB", "UCBE", "SR+")  # told apart from the Seq forms without colour too


@dataclass(frozen=True, slots=True)
class Plate:
    """One figure: its file name, what it shows, in plain words, and how it is drawn."""

    name: str
    title: str
    caption: str
    draw: "Callable[[Layout], Figure]"

    def file(self, layout: Layout, kind: str) -> str:
        return f"{self.name}.{kind}" if layout == "wide" else f"{self.name}-column.{kind}"

    def files(self) -> list[str]:
        """The names of all that ``save`` writes."""
        return [self.file(layout, kind) for layout in LAYOUTS for kind in KINDS[layout]]

    def save(self, folder: Path) -> None:
        """Both layouts, without dates, so that reruns are identical."""
        import matplotlib as mpl

        with mpl.rc_context(PRINT):
            for layout in LAYOUTS:
                figure = self.draw(layout)
                for kind in KINDS[layout]:
                    write_whole(folder / self.file(layout, kind), partial(_write, figure, kind))
                    figure.set_layout_engine("none")  # laid out once, written twice


def _write(figure: "Figure", kind: str, draft: Path) -> None:
    figure.savefig(draft, format=kind, metadata=METADATA[kind])


def panels(
    layout: Layout, count: int, height: float = 2.3, across: int | None = None
) -> "tuple[Figure, list[Axes]]":
    """A figure of ``count`` panels, ``across`` of them in a row of the wide layout."""
    from matplotlib.figure import Figure

    columns = (across or count) if layout == "wide" else (2 if across and across > 2 else 1)
    rows = -(-count // columns)
    legend = 0.45
    figure = Figure(figsize=(WIDTH[layout], rows * height + legend), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    for spare in axes[count:]:
        spare.set_axis_off()
    return figure, axes[:count]


def line(axes: "Axes", curve: Plain, label: str, colour: str, *, band: bool = True) -> None:
    """A mean against the round with its interval as a band."""
    at, mean, low, high = (numbers(curve[name]) for name in ("rounds", "mean", "low", "high"))
    style = (0, (4, 1.5)) if label in _DASHED else "-"
    axes.plot(at, mean, color=colour, label=label, linestyle=style)
    if band:
        axes.fill_between(at, low, high, color=colour, alpha=0.18, linewidth=0)


def point(
    axes: "Axes", x: float, estimate: Plain, colour: str, marker: str = "o", **more: Any
) -> None:
    """A mean with its interval as a bar."""
    axes.errorbar(
        x, estimate["mean"], yerr=whiskers(estimate), color=colour, marker=marker, ms=3.5,
        linestyle="none", elinewidth=0.9, **more,
    )  # fmt: skip


def whiskers(estimate: Plain) -> FloatArray:
    """An interval as Matplotlib's error bars want it; none where there is no interval."""
    mean, low, high = numbers([estimate[name] for name in ("mean", "low", "high")])
    return np.maximum(np.nan_to_num([[mean - low], [high - mean]]), 0.0)


def numbers(values: Iterable[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)


def legend(figure: "Figure", axes: "Axes", layout: Layout, most: int = 4) -> None:
    """One legend for all panels, below them."""
    handles, labels = axes.get_legend_handles_labels()
    unique = dict(zip(labels, handles, strict=True))
    columns = min(len(unique), most if layout == "wide" else 2)
    figure.legend(list(unique.values()), list(unique), loc="outside lower center", ncols=columns)
