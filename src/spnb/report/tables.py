"""Results as aligned tables for the terminal, narrow enough for 80 columns."""

from math import isnan

from rich import box
from rich.table import Table

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


def regret_table(result: Comparison) -> Table:
    """Agents by regret, each with how far it is behind the best one, run by run."""
    summary = result.summary()
    order = sorted(summary, key=lambda spec: summary[spec]["regret"].mean)
    table = _table(
        f"{result.runs} runs of {result.rounds} rounds, seed {result.seed}",
        "± is the 95 % interval; behind: regret beyond the first's, by run",
        ("regret", "pulls/round", "Opt*", "Opti*", "behind"),
    )
    for spec in order:
        metrics = summary[spec]
        paired = "" if spec == order[0] else interval_text(result.paired("regret", spec, order[0]))
        table.add_row(
            spec,
            interval_text(metrics["regret"]),
            interval_text(metrics["pulls_per_round"]),
            percent_text(metrics["opt"]),
            percent_text(metrics["opti"]),
            paired,
        )
    return table


def identification_table(result: Identification) -> Table:
    """Agents by error, with what they used of the budget."""
    summary = result.summary()
    table = _table(
        f"{result.runs} runs, budget {result.budget} {result.limit}, seed {result.seed}",
        "± is the 95 % interval; saved and extra: against one pull a round",
        ("error", "rounds", "saved", "pulls", "extra"),
    )
    for spec in sorted(summary, key=lambda spec: summary[spec]["error"].mean):
        error, rounds, pulls = (summary[spec][name] for name in ("error", "rounds", "pulls"))
        table.add_row(
            spec,
            interval_text(error, digits=3),
            interval_text(rounds),
            f"{1 - rounds.mean / result.budget:.1%}",
            interval_text(pulls),
            f"{pulls.mean / result.budget - 1:.1%}",
        )
    return table


def _table(title: str, caption: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, caption=caption, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("agent", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table
