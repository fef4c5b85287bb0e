"""Results as aligned tables for the terminal."""

from math import isnan

from spnb.report.grid import Column, Grid
from spnb.simulation.metrics import Estimate
from spnb.simulation.results import Comparison, Identification


def interval_text(estimate: Estimate, digits: int | None = None) -> str:
    """``mean ± half of the interval``, with digits that suit the size of the number."""
    if digits is None:
        digits = 1 if abs(estimate.mean) >= 20 else 2
    mean = f"{estimate.mean:.{digits}f}"
    if isnan(estimate.low):  # one run gives no interval
        return mean
    return f"{mean} ± {(estimate.high - estimate.low) / 2:.{digits}f}"


def percent_text(estimate: Estimate) -> str:
    """A share in percent, with half of its interval."""
    percent = Estimate(*(100 * end for end in (estimate.mean, estimate.low, estimate.high)))
    return f"{interval_text(percent, digits=0)} %"


def regret_table(result: Comparison) -> Grid:
    """Agents by regret, each with how far it is behind the best one, run by run."""
    summary = result.summary()
    order = sorted(summary, key=lambda spec: summary[spec]["regret"].mean)
    rows = []
    for spec in order:
        metrics = summary[spec]
        paired = "" if spec == order[0] else interval_text(result.paired("regret", spec, order[0]))
        rows.append([
            spec,
            interval_text(metrics["regret"]),
            interval_text(metrics["pulls_per_round"]),
            percent_text(metrics["opt"]),
            percent_text(metrics["opti"]),
            paired,
        ])  # fmt: skip
    return Grid(
        f"{result.runs} runs of {result.rounds} rounds, seed {result.seed}",
        [
            Column("agent"),
            Column("regret"),
            Column("pulls/round", 2),
            Column("Opt*", 4, means="Opt*: share of pulls of the best arm"),
            Column("Opti*", 3, means="Opti*: share of rounds in which it was pulled"),
            Column("behind", 1, means="behind: regret beyond the first's, by run"),
        ],
        rows,
        "± is the 95 % interval",
    )


def identification_table(result: Identification) -> Grid:
    """Agents by error, with what they used of the budget."""
    summary = result.summary()
    rows = []
    for spec in sorted(summary, key=lambda spec: summary[spec]["error"].mean):
        error, rounds, pulls = (summary[spec][name] for name in ("error", "rounds", "pulls"))
        rows.append([
            spec,
            interval_text(error, digits=3),
            interval_text(rounds),
            f"{1 - rounds.mean / result.budget:.1%}",
            interval_text(pulls),
            f"{pulls.mean / result.budget - 1:.1%}",
        ])  # fmt: skip
    return Grid(
        f"{result.runs} runs, budget {result.budget} {result.limit}, seed {result.seed}",
        [
            Column("agent"),
            Column("error"),
            Column("rounds"),
            Column("saved", 2, means="saved: rounds, against one pull a round"),
            Column("pulls"),
            Column("extra", 1, means="extra: pulls, against one a round"),
        ],
        rows,
        "± is the 95 % interval",
    )
