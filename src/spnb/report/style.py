"""One look for every figure: legible at column width, colour-blind safe, stable colours."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe & Ito's palette, told apart by people with any colour vision.
_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")

DASHED = ("TS", "bUCB", "UCBE", "SR+")
"""Told apart from the Seq forms without colour too."""

FAR_ABOVE = 2.5  # what ends this many times above the others leaves the frame

_OWN = {
    "TS": "#56B4E9",
    "Seq(TS)": "#0072B2",
    "bUCB": "#E69F00",
    "Seq(bUCB)": "#D55E00",
    "UCBrev+": "#CC79A7",
    "Challenge": "#009E73",
    "Seq(TS(sweep))": "#8C6D31",
    "UCBE": "#E69F00",
    "Seq(UCBE)": "#0072B2",
    "Seq(UCBE), ahead": "#009E73",
    "Seq(UCBE)-LP": "#0072B2",
    "Seq(UCBE)-LR": "#D55E00",
    "LP, ahead": "#56B4E9",
    "LR, ahead": "#8C6D31",
    "Pack, half": "#009E73",
    "Pack, half, H1 estimated": "#000000",
    "SR+": "#CC79A7",
    "SH+": "#56B4E9",
    "Uniform+": "#7F7F7F",
    "Pack": "#009E73",
}

RC: Any = {
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.25,
    "svg.hashsalt": "spnb",
    "figure.constrained_layout.use": True,
}


def colours(specs: Iterable[str]) -> dict[str, str]:
    """A colour for each agent: its own wherever it appears, others from what is left."""
    listed = list(specs)
    taken = {_OWN[spec] for spec in listed if spec in _OWN}
    spare = [colour for colour in _PALETTE if colour not in taken]
    chosen: dict[str, str] = {}
    for spec in listed:
        rest = sum(1 for earlier in chosen if earlier not in _OWN)
        chosen[spec] = _OWN.get(spec) or (spare or list(_PALETTE))[rest % len(spare or _PALETTE)]
    return chosen


def beyond(ends: Mapping[str, float]) -> tuple[str, float] | None:
    """Who ends far above all others, if anybody, and where the frame of those ends."""
    worst = max(ends, key=lambda label: ends[label])
    rest = max((value for label, value in ends.items() if label != worst), default=0.0)
    return (worst, 1.3 * rest) if rest > 0 and ends[worst] > FAR_ABOVE * rest else None


def keep_legible(axes: "Axes", ends: Mapping[str, float]) -> None:
    """Let the one agent that ends far above all others leave the frame, and say so in it."""
    found = beyond(ends)
    if found is None:
        axes.set_ylim(0, None)
        return
    worst, top = found
    axes.set_ylim(0, top)
    axes.annotate(
        f"{worst} leaves the frame:\n{ends[worst]:.0f} at the end",
        xy=(0.98, 0.98), xycoords="axes fraction", ha="right", va="top", fontsize="small",
        color=colours(ends)[worst], annotation_clip=False,
    )  # fmt: skip


def draw_lower_bound(axes: "Axes", rounds: Any, bound: Any, whose: str) -> None:
    """A lower bound on a logarithmic axis of rounds, where it is a straight line, named there."""
    axes.plot(rounds, bound, color="#555555", linestyle="--", linewidth=1)
    near = round(0.6 * (len(rounds) - 1))
    _name_line(axes, rounds[near], bound[near], f"lower bound for long runs, {whose}")


def draw_limit(axes: "Axes", rounds: Any, limit: Any) -> None:
    """What no agent can go below on average over a family of problems, named at its line."""
    axes.plot(rounds, limit, color="#555555", linestyle=":", linewidth=1.4)
    named = "limit: no agent loses less on average, though told the best mean"
    near = max(len(rounds) - 2, 0)
    _name_line(axes, rounds[near], limit[near], named)


def _name_line(axes: "Axes", x: float, y: float, text: str) -> None:
    """Name a line in the free corner at the lower right, with a thin stroke to it."""
    axes.annotate(
        text, xy=(x, y), xytext=(0.98, 0.03), textcoords="axes fraction", ha="right", va="bottom",
        fontsize="x-small", color="#333333",
        arrowprops={"arrowstyle": "-", "linewidth": 0.6, "color": "#555555"},
    )  # fmt: skip
