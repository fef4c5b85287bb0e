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
    """Agents by error, with what they used of the budget; by pulls where they ran until sure."""
    if result.confidence is not None:
        return _until_sure(result, result.confidence)
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


def _until_sure(result: Identification, confidence: float) -> Table:
    summary, undecided = result.summary(), _undecided(result)
    caption = "± is the 95 % interval"
    if result.reference is not None:
        caption += f"; x T*: pulls over T* ln(1/delta) = {result.reference:,.0f}"
    if undecided:
        caption += f"; undecided: not sure after {result.budget:,} {result.limit}"
    title = f"{result.runs} runs until {100 * confidence:.4g} % sure, seed {result.seed}"
    extra = ("x T*",) * (result.reference is not None) + ("undecided",) * bool(undecided)
    table = _table(title, caption, ("error", "rounds", "pulls", *extra))
    for spec in sorted(summary, key=lambda spec: summary[spec]["pulls"].mean):
        error, rounds, pulls = (summary[spec][name] for name in ("error", "rounds", "pulls"))
        cells = [interval_text(error, digits=3), whole_text(rounds), whole_text(pulls)]
        if result.reference is not None:
            cells.append(f"{pulls.mean / result.reference:.1f}")
        table.add_row(spec, *cells, *([undecided[spec]] if undecided else []))
    return table


def _undecided(result: Identification) -> dict[str, str]:
    """How often each agent was not sure in the end; empty if all always were."""
    shares = {spec: runs.undecided.mean() for spec, runs in result.agents.items()}
    return {spec: f"{share:.1%}" for spec, share in shares.items()} if any(shares.values()) else {}


def whole_text(estimate: Estimate) -> str:
    """``mean ± half of the interval`` of a large number."""
    if isnan(estimate.low):
        return f"{estimate.mean:,.0f}"
    return f"{estimate.mean:,.0f} ± {(estimate.high - estimate.low) / 2:,.0f}"


def _table(title: str, caption: str, columns: tuple[str, ...]) -> Table:
    table = Table(title=title, caption=caption, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("agent", no_wrap=True)
    for name in columns:
        table.add_column(name, justify="right", no_wrap=True)
    return table
