"""Results as data frames, of whichever library is installed."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Literal

import numpy as np

from spnb.base.errors import SpecError
from spnb.base.extras import has, need
from spnb.simulation.metrics import Estimate
from spnb.simulation.results import Curve

Library = Literal["pandas", "polars"]
LIBRARIES: tuple[Library, ...] = ("pandas", "polars")


def frame(columns: Mapping[str, Any], library: Library | None = None) -> Any:
    """A data frame of these columns; of pandas if it is installed, else of polars."""
    chosen = library or next(filter(has, LIBRARIES), LIBRARIES[0])
    if chosen not in LIBRARIES:
        raise SpecError(f"library must be one of {', '.join(LIBRARIES)}, got {chosen!r}")
    need(chosen)
    return import_module(chosen).DataFrame(dict(columns))


def agent_columns(found: Mapping[str, Mapping[str, Estimate]]) -> dict[str, Sequence[Any]]:
    """A row for each agent: every metric, and the ends of its interval."""
    columns: dict[str, Sequence[Any]] = {"agent": list(found)}
    for metric in next(iter(found.values()), {}):
        estimates = [metrics[metric] for metrics in found.values()]
        columns[metric] = [estimate.mean for estimate in estimates]
        columns[f"{metric}_low"] = [estimate.low for estimate in estimates]
        columns[f"{metric}_high"] = [estimate.high for estimate in estimates]
    return columns


def curve_columns(curves: Mapping[str, Curve]) -> dict[str, Any]:
    """A row for each agent and round."""
    names = [spec for spec, curve in curves.items() for _ in curve.rounds]
    parts = {"round": "rounds", "mean": "mean", "low": "low", "high": "high"}
    joined = {
        column: np.concatenate([getattr(curve, part) for curve in curves.values()])
        for column, part in parts.items()
    }
    return {"round": joined.pop("round"), "agent": names, **joined}
