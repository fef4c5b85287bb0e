"""Numbers as results/*.json holds them: plain, six significant digits, the same everywhere."""

from typing import Any

import numpy as np

from spnb.engine.arrays import FloatArray, IntArray
from spnb.simulation.metrics import Estimate, curve_interval, mean_interval, share_interval
from spnb.simulation.results import Curve, IdentifyRuns, RegretRuns

Plain = dict[str, Any]

EARLY_ROUNDS = 30
DRAWN_POINTS = 150


def number(value: float) -> float | None:
    """Six significant digits; None where there is no number."""
    return float(f"{value:.6g}") if np.isfinite(value) else None


def estimate(found: Estimate) -> Plain:
    return {"mean": number(found.mean), "low": number(found.low), "high": number(found.high)}


def mean(values: FloatArray) -> Plain:
    """A mean with its 95 % interval."""
    return estimate(mean_interval(values))


def drawn_rounds(rounds: int, first: int = 1) -> IntArray:
    """The rounds at which curves are kept: the early ones all, then evenly spread ones."""
    early = np.arange(first, min(EARLY_ROUNDS, rounds) + 1)
    return np.union1d(early, np.linspace(first, rounds, DRAWN_POINTS).round().astype(np.intp))


def curve(found: Curve) -> Plain:
    """A curve at the rounds that are drawn."""
    kept = np.isin(found.rounds, drawn_rounds(int(found.rounds[-1])))
    return _curve(found.rounds[kept], found.mean[kept], found.low[kept], found.high[kept])


def curve_of(values: FloatArray, rounds: IntArray) -> Plain:
    """Mean and interval over the first axis of values [cases, rounds]."""
    ends = curve_interval(len(values), values.sum(axis=0), (values**2).sum(axis=0))
    return _curve(rounds, *ends)


def _curve(rounds: IntArray, mean: FloatArray, low: FloatArray, high: FloatArray) -> Plain:
    lines = {"mean": mean, "low": low, "high": high}
    listed = {name: [number(value) for value in line] for name, line in lines.items()}
    return {"rounds": rounds.tolist(), **listed}


def regret(runs: RegretRuns) -> Plain:
    """Everything drawn of one agent's regret runs."""
    metrics: Plain = {name: estimate(found) for name, found in runs.summary().items()}
    return metrics | {
        "regret_curve": curve(runs.regret_curve),
        "pulls_curve": curve(runs.pulls_curve),
    }


def identification(runs: IdentifyRuns, budget: int) -> Plain:
    """Error, and rounds and pulls against those of one pull a round for ``budget`` rounds."""
    wrong = runs.error
    return {
        "error": estimate(share_interval(float(wrong.sum()), len(wrong))),
        "rounds": mean(runs.rounds),
        "pulls": mean(runs.pulls),
        "psi_rounds": mean(runs.rounds / budget - 1),
        "psi_pulls": mean(runs.pulls / budget - 1),
        "repetitions": [number(part.mean()) for part in np.array_split(wrong, 10) if part.size],
    }
