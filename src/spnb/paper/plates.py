"""Plates: figures for print and page, drawn from results alone, panel by panel.

A plate is written three ways: ``wide`` with its panels side by side, for the width of a page;
``column`` with one below the other, for a column of a journal; and every panel by itself, from
which the report sets both, as the screen allows.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spnb.base.files import write_text, write_whole
from spnb.engine.arrays import FloatArray
from spnb.report.style import DASHED, RC, colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Plain = dict[str, Any]
Layout = Literal["wide", "column"]
LAYOUTS: tuple[Layout, ...] = ("wide", "column")
WIDTH = {"wide": 7.0, "column": 3.4}  # inches
PANEL = (3.3, 2.35)  # inches: one by itself

KINDS = {"wide": ("svg", "png", "pdf"), "column": ("svg",)}
METADATA: dict[str, Any] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None},
}

PRINT: Any = RC | {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "legend.fontsize": 7.5,
    "legend.frameon": False,
    "xtick.labelsize": 7.5,
    "ytick.labelsize": 7.5,
    "lines.linewidth": 1.3,
    "svg.fonttype": "none",  # text stays text: small, sharp, searchable
}

MARKS = {
    "UCBE": "o", "Seq(UCBE)-LP": "s", "Seq(UCBE)-LR": "D", "SR+": "^", "SH+": "v",
    "Uniform+": "x", "Pack": "P", "LP, ahead": "<", "LR, ahead": ">", "Pack, half": "P",
    "Pack, half, H1 estimated": "*",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Plate:
    """One figure: its file name, what it shows, in plain words, and its panels.

    ``labels`` are those of its legend; marks are drawn for points, lines for curves.
    """

    name: str
    title: str
    caption: str
    panels: "Sequence[Callable[[Axes], None]]"
    labels: Sequence[str] = ()
    across: int | None = None
    height: float = 2.3
    points: bool = False

    def file(self, layout: Layout, kind: str) -> str:
        return f"{self.name}.{kind}" if layout == "wide" else f"{self.name}-column.{kind}"

    def panel_files(self) -> list[str]:
        return [f"{self.name}-panel{i}.svg" for i in range(1, len(self.panels) + 1)]

    def files(self) -> list[str]:
        """The names of all that ``save`` writes."""
        whole = [self.file(layout, kind) for layout in LAYOUTS for kind in KINDS[layout]]
        return whole + self.panel_files()

    def draw(self, layout: Layout) -> "Figure":
        figure, axes = _frame(layout, len(self.panels), self.height, self.across)
        for panel, own in zip(self.panels, axes, strict=True):
            panel(own)
        if self.labels:
            _legend(figure, axes, self.labels, layout)
        return figure

    def save(self, folder: Path) -> None:
        """Everything, without dates, so that reruns are identical."""
        import matplotlib as mpl

        with mpl.rc_context(PRINT):
            for layout in LAYOUTS:
                figure = self.draw(layout)
                for kind in KINDS[layout]:
                    write_whole(folder / self.file(layout, kind), partial(_write, figure, kind))
                    figure.set_layout_engine("none")  # laid out once, written often
        for panel, name in zip(self.panels, self.panel_files(), strict=True):
            # Names inside the files differ from panel to panel: they end up in one page.
            with mpl.rc_context(PRINT | {"svg.hashsalt": name}):
                write_text(folder / name, _panel_svg(panel))


def _write(figure: "Figure", kind: str, draft: Path) -> None:
    figure.savefig(draft, format=kind, metadata=METADATA[kind])


def _panel_svg(panel: "Callable[[Axes], None]") -> str:
    from io import StringIO

    from matplotlib.figure import Figure

    figure = Figure(figsize=PANEL, layout="constrained")
    panel(figure.subplots())
    text = StringIO()
    figure.savefig(text, format="svg", metadata=METADATA["svg"], transparent=True)
    svg = text.getvalue()
    return _short(svg[svg.index("<svg") :])


def _short(svg: str) -> str:
    """Coordinates to a tenth of a point, which no eye can tell from more, and no idle names."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    used = set(re.findall(r"#([\w.-]+)", svg))
    svg = re.sub(r' id="([^"]+)"', lambda found: found[0] if found[1] in used else "", svg)
    return re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), svg)


def _frame(
    layout: Layout, count: int, height: float, across: int | None
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


def _legend(
    figure: "Figure", axes: "Sequence[Axes]", labels: Sequence[str], layout: Layout
) -> None:
    """One legend for all panels, below them."""
    known: dict[str, Any] = {}
    for own in axes:
        handles, names = own.get_legend_handles_labels()
        known |= dict(zip(names, handles, strict=True))
    shown = [label for label in labels if label in known]
    short = sum(map(len, shown)) < 60
    columns = min(len(shown), 2 if layout == "column" else 6 if short else 4)
    handles = [known[label] for label in shown]
    figure.legend(handles, shown, loc="outside lower center", ncols=columns)


def line(axes: "Axes", curve: Plain, label: str, colour: str) -> None:
    """A mean against the round with its interval as a band."""
    at, mean, low, high = (numbers(curve[name]) for name in ("rounds", "mean", "low", "high"))
    style = (0, (4, 1.5)) if label in DASHED else "-"
    axes.plot(at, mean, color=colour, label=label, linestyle=style)
    axes.fill_between(at, low, high, color=colour, alpha=0.18, linewidth=0)


def lines(axes: "Axes", curves: dict[str, Plain]) -> None:
    colour = colours(curves)
    for label, curve in curves.items():
        line(axes, curve, label, colour[label])


def point(axes: "Axes", x: float, estimate: Plain, colour: str, **more: Any) -> None:
    """A mean with its interval as a bar."""
    axes.errorbar(
        x, estimate["mean"], yerr=whiskers(estimate), color=colour, ms=3.5, linestyle="none",
        elinewidth=0.9, **more,
    )  # fmt: skip


def whiskers(estimate: Plain) -> FloatArray:
    """An interval as Matplotlib's error bars want it; none where there is no interval."""
    mean, low, high = numbers([estimate[name] for name in ("mean", "low", "high")])
    return np.maximum(np.nan_to_num([[mean - low], [high - mean]]), 0.0)


def numbers(values: Iterable[float | None]) -> FloatArray:
    return np.array([np.nan if value is None else value for value in values], dtype=float)
