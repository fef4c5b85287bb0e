"""Results as aligned tables for the terminal."""

from math import isnan

from rich import box
from rich.table import Table

from spnb.metrics import Estimate
from spnb.results import Comparison, Identification

_REGRET_COLUMNS = {
    "regret": "regret",
    "pulls_per_round": "pulls/round",
    "opt": "Opt*",
    "opti": "Opti*",
}


def interval_text(estimate: Estimate) -> str:
    """``mean ± half of the interval``, with digits that suit the size of the number."""
    digits = 1 if abs(estimate.mean) >= 20 else 2 if abs(estimate.mean) >= 0.1 else 4
    if isnan(estimate.low):  # one run gives no interval
        return f"{estimate.mean:.{digits}f}"
    return f"{estimate.mean:.{digits}f} ± {(estimate.high - estimate.low) / 2:.{digits}f}"


def regret_table(result: Comparison) -> Table:
    """Agents by regret, each with its difference to the best one, run by run."""
    summary = result.summary()
    order = sorted(summary, key=lambda spec: summary[spec]["regret"].mean)
    table = Table(
        box=box.SIMPLE_HEAD,
        title=f"{result.runs} runs of {result.rounds} rounds, seed {result.seed}",
        caption="± 95 % interval; the last column pairs runs in the same world",
    )
    table.add_column("agent", no_wrap=True)
    for title in (*_REGRET_COLUMNS.values(), "behind the first"):
        table.add_column(title, justify="right", no_wrap=True)
    for spec in order:
        cells = [interval_text(summary[spec][metric]) for metric in _REGRET_COLUMNS]
        paired = "" if spec == order[0] else interval_text(result.paired("regret", spec, order[0]))
        table.add_row(spec, *cells, paired)
    return table


def identification_table(result: Identification) -> Table:
    """Agents by error, with what they used of the budget."""
    summary = result.summary()
    table = Table(
        box=box.SIMPLE_HEAD,
        title=(f"{result.runs} runs, budget {result.budget} {result.limit}, seed {result.seed}"),
        caption="± 95 % interval; saved and extra: against one pull a round",
    )
    table.add_column("agent", no_wrap=True)
    for title in ("error", "rounds", "saved", "pulls", "extra"):
        table.add_column(title, justify="right", no_wrap=True)
    for spec in sorted(summary, key=lambda spec: summary[spec]["error"].mean):
        error, rounds, pulls = (summary[spec][name] for name in ("error", "rounds", "pulls"))
        table.add_row(
            spec,
            interval_text(error),
            interval_text(rounds),
            f"{1 - rounds.mean / result.budget:.1%}",
            interval_text(pulls),
            f"{pulls.mean / result.budget - 1:+.1%}",
        )
    return table
