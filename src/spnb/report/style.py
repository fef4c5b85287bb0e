"""One look for every figure: legible at column width, colour-blind safe, stable colours."""

from collections.abc import Iterable
from typing import Any

# Okabe & Ito's palette, told apart by people with any colour vision.
_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")

_OWN = {
    "TS": "#56B4E9",
    "Seq(TS)": "#0072B2",
    "bUCB": "#E69F00",
    "Seq(bUCB)": "#D55E00",
    "UCBrev+": "#CC79A7",
    "Challenge": "#009E73",
    "UCBE": "#E69F00",
    "Seq(UCBE)": "#0072B2",
    "Seq(UCBE)-LP": "#0072B2",
    "Seq(UCBE)-LR": "#D55E00",
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
