"""Numbers as results/*.json holds them: plain, six significant digits, the same everywhere."""

from math import inf, nan, sqrt
from typing import Any

import numpy as np

from spnb.engine.arrays import FloatArray, IntArray
from spnb.simulation.intervals import Sample
from spnb.simulation.metrics import Estimate, curve_interval, share_interval
from spnb.simulation.results import Curve, IdentifyRuns, RegretRuns

Plain = dict[str, Any]

EARLY_ROUNDS = 30
DRAWN_POINTS = 80


def number(value: float) -> float | None:
    """Six significant digits; None where there is no number."""
    return float(f"{value:.6g}") if np.isfinite(value) else None


def estimate(found: Estimate) -> Plain:
    return {"mean": number(found.mean), "low": number(found.low), "high": number(found.high)}


def mean(values: FloatArray, least: float = -inf, most: float = inf) -> Plain:
    """A mean with its 95 % interval, and the moments from which any other can be had.

    ``least`` and ``most`` are the ends of what a value can be, given where a rare extreme one
    may decide.
    """
    return of_sample(Sample.of(values, least, most))


def of_sample(found: Sample) -> Plain:
    low, high = found.interval()
    out = estimate(Estimate(found.mean, low, high)) | {"runs": found.count}
    out |= {"sd": number(found.sd), "skew": number(found.skew)}
    if np.isfinite(found.least):
        out |= {"least": found.least, "most": found.most}
    return out


def sample(found: Plain) -> Sample:
    """The sample behind an estimate; one without moments is taken as its interval shows it."""
    if "sd" in found:
        sd = nan if found["sd"] is None else found["sd"]
        ends = found.get("least", -inf), found.get("most", inf)
        return Sample(found["runs"], found["mean"], sd, found["skew"], *ends)
    runs = found.get("runs", 1_000_000)
    if found["low"] is None:
        return Sample(runs, found["mean"], nan)
    from scipy.special import stdtrit

    half = (found["high"] - found["low"]) / 2
    return Sample(runs, found["mean"], half * sqrt(runs) / float(stdtrit(runs - 1, 0.975)))


def drawn_rounds(rounds: int, first: int = 1) -> IntArray:
    """The rounds at which curves are kept: the early ones all, then evenly spread ones."""
    early = np.arange(first, min(first + EARLY_ROUNDS - 1, rounds) + 1)
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


def points_of(values: FloatArray, rounds: IntArray) -> Plain:
    """The same for few and skewed values, each point with its moments."""
    points = [mean(column) for column in values.T]
    names = ("mean", "low", "high", "sd", "skew")
    return {
        "rounds": rounds.tolist(),
        "runs": len(values),
        **{name: [point[name] for point in points] for name in names},
    }


def point(found: Plain, i: int) -> Plain:
    """One point of such a curve, as an estimate."""
    names = ("mean", "low", "high", "sd", "skew")
    return {name: found[name][i] for name in names} | {"runs": found["runs"]}


def window(found: Plain, first: float, last: float, runs: int) -> Plain:
    """The mean of a curve over the rounds from ``first`` to ``last``.

    Its interval is the mean of its points' intervals: wider than it need be, never narrower.
    """
    inside = [i for i, at in enumerate(found["rounds"]) if first <= at <= last]
    out: Plain = {"runs": runs}
    for name in ("mean", "low", "high"):
        values = [found[name][i] for i in inside]
        out[name] = None if not values or None in values else sum(values) / len(values)
    return out


def regret(runs: RegretRuns) -> Plain:
    """Everything drawn of one agent's regret runs."""
    names = ("regret", "pulls_per_round", "opt", "opti")
    return {name: mean(getattr(runs, name)) for name in names} | {
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
    }
