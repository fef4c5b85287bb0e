"""Results as aligned tables for the terminal."""

from math import isnan

from spnb.base.words import amount
from spnb.report.grid import Column, Grid
from spnb.simulation.metrics import Estimate
from spnb.simulation.results import Comparison, Identification


def interval_text(estimate: Estimate, digits: int | None = None) -> str:
    """``mean ± the farther end of the interval``, with digits that suit the size of the number."""
    if digits is None:
        digits = 1 if abs(estimate.mean) >= 20 else 2
    mean = f"{estimate.mean:.{digits}f}"
    if isnan(estimate.low):  # one run gives no interval
        return mean
    reach = max(estimate.high - estimate.mean, estimate.mean - estimate.low)
    return f"{mean} ± {reach:.{digits}f}"


def percent_text(estimate: Estimate) -> str:
    """A share in percent, with the farther end of its interval."""
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
    regret, best = _regret_words(result)
    return Grid(
        f"{amount(result.runs, 'run')} of {amount(result.rounds, 'round')}, seed {result.seed}",
        [
            Column("agent"),
            Column("regret", means=regret),
            Column("pulls/round", 2),
            Column("Opt*", 4, means=f"Opt*: share of pulls of {best}"),
            Column("Opti*", 3, means=f"Opti*: share of rounds that pulled {best}"),
            Column("behind", 1, means="behind: regret beyond the first's, by run"),
        ],
        rows,
        "± reaches the farther end of the 95 % interval",
    )


def _regret_words(result: Comparison) -> tuple[str, str]:
    """What regret is counted against, where that is not the one best arm; and what is best."""
    if result.changing:
        return "regret: against the arm that is best in each round", "the best arm of the round"
    if result.cost is not None:
        above = f"the arms above the cost of {result.cost:g}"
        return f"regret: against pulling just {above}", "the arms above the cost"
    return "", "the best arm"


def identification_table(result: Identification) -> Grid:
    """Agents by error, with what they used of the budget; by pulls where they ran until sure."""
    if result.confidence is not None:
        return _until_sure(result, result.confidence)
    summary, runs = result.summary(), amount(result.runs, "run")
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
        f"{runs}, budget {amount(result.budget, result.limit[:-1])}, seed {result.seed}",
        [
            Column("agent"),
            Column("error"),
            Column("rounds"),
            Column("saved", 2, means="saved: rounds, against one pull a round"),
            Column("pulls"),
            Column("extra", 1, means="extra: pulls, against one a round"),
        ],
        rows,
        "± reaches the farther end of the 95 % interval",
    )


def _until_sure(result: Identification, confidence: float) -> Grid:
    """Agents by pulls until they were sure."""
    summary, reference = result.summary(), result.reference
    columns = [Column("agent"), Column("error"), Column("rounds"), Column("pulls")]
    if reference is not None:
        means = f"x T*: pulls over T* ln(1/delta) = {reference:,.0f}"
        columns.append(Column("x T*", 1, means=means))
    undecided = any(runs.undecided.any() for runs in result.agents.values())
    if undecided:
        means = f"undecided: not sure after {result.budget:,} {result.limit}"
        columns.append(Column("undecided", means=means))
    rows = []
    for spec in sorted(summary, key=lambda spec: summary[spec]["pulls"].mean):
        error, rounds, pulls = (summary[spec][name] for name in ("error", "rounds", "pulls"))
        row = [spec, interval_text(error, digits=3), whole_text(rounds), whole_text(pulls)]
        row += [] if reference is None else [f"{pulls.mean / reference:.1f}"]
        row += [f"{result.agents[spec].undecided.mean():.1%}"] if undecided else []
        rows.append(row)
    sure = f"{100 * confidence:.4g} % sure"
    title = f"{amount(result.runs, 'run')} until {sure}, seed {result.seed}"
    return Grid(title, columns, rows, "± reaches the farther end of the 95 % interval")


def whole_text(estimate: Estimate) -> str:
    """The same of a large number, without digits behind the point."""
    if isnan(estimate.low):
        return f"{estimate.mean:,.0f}"
    reach = max(estimate.high - estimate.mean, estimate.mean - estimate.low)
    return f"{estimate.mean:,.0f} ± {reach:,.0f}"
