"""The evidence on identification in small tables, for pages that quote it."""

from collections.abc import Iterable, Iterator

from spnb.paper.beyond.answers import safety_table, span, table
from spnb.paper.beyond.budgets import ORACLE
from spnb.paper.beyond.thresholds import EVEN
from spnb.paper.experiments.plain import Plain

RACE, FEW_PULLS = "Race", "Seq(T3C)"


def told(found: Plain, size: str) -> str:
    return f"From `spnb reproduce beyond`, seed {found['seed']}: {size}."


def budgets(found: Plain) -> str:
    """All sets of problems beside each other; whoever takes fewer rounds comes later."""
    head = ("agent", "rounds / pulls", "error, seven problems", "against UCBE, told",
            f"error, {found['problems']} random", "against UCBE, told", "four arms")  # fmt: skip
    sets = zip(found["seven"], found["random"], found["hard"], strict=True)
    rows = [
        (_code(seven["agent"]), f"{seven['rounds']['mean']:.2f}", span(seven["error"], 3),
         _more(seven), span(drawn["error"], 3), _more(drawn), f"{hard['error']['mean']:.2f}")
        for seven, drawn, hard in sorted(sets, key=lambda each: -each[0]["rounds"]["mean"])
    ]  # fmt: skip
    size = (
        f"{found['runs']} runs of each of the seven problems, {found['each']} of each of the "
        "random ones"
    )
    return f"{table(head, rows)}\n\n{told(found, size)}\n"


def prices(found: Plain) -> str:
    """Rounds and pulls at the smallest delta, and what holds at each of them."""
    delta, problems = min(found["deltas"]), found["problems"]
    rows = [
        (f"`{agent}`", stop, *(_price(problem["rows"], agent, stop, delta) for problem in
                               problems.values()))
        for stop, agent in _players(found)
    ]  # fmt: skip
    head = (f"at delta = {delta:g}", "stop rule", *problems)
    extremes = table(
        ("delta", "stop rule", "pulls / reference", "rounds of `Race` / fewest of the others",
         "pulls of `Seq(T3C)` / of `Race`"),
        [_extremes(found, stop, delta) for delta in found["deltas"] for stop in _stops(found)],
    )  # fmt: skip
    size = (
        f"{found['runs']} runs; the second table has the least and the most of problems and agents"
    )
    return f"{table(head, rows)}\n\n{extremes}\n\n{told(found, size)}\n"


def safety(found: Plain) -> str:
    """How often a stop was wrong."""
    size = f"{found['problems']} problems, {found['runs']} runs of each"
    return f"{safety_table(found)}\n\n{told(found, size)}\n"


def thresholds(found: Plain) -> str:
    """Wrong sets after so many pulls, and how long it takes to be sure."""
    problems = found["problems"]
    curves = [curve for problem in problems.values() for curve in problem["agents"].values()]
    pulls = curves[0]["rounds"]
    within = [
        (f"{label}: {_code(agent)}", *(f"{mean:.2f} ({low:.2f} to {high:.2f})" for mean, low, high
         in zip(curve["mean"], curve["low"], curve["high"], strict=True)),
         f"{curve['rounds_used'][-1]['mean']:.0f}")
        for label, problem in problems.items()
        for agent, curve in problem["agents"].items()
    ]  # fmt: skip
    head = ("wrong sets after so many pulls", *(f"{at}" for at in pulls), f"rounds for {pulls[-1]}")
    sure = [
        (label, f"{row['delta']:g}", f"{row['rounds']['mean']:.0f}", f"{row['pulls']['mean']:.0f}",
         span(row["error"], 4), str(row["undecided"]))
        for label, problem in problems.items()
        for row in problem["above"]
    ]  # fmt: skip
    name = f"`Above(level={found['level']:g})` until sure"
    above = table((name, "delta", "rounds", "pulls", "wrong sets", "undecided"), sure)
    return f"{table(head, within)}\n\n{above}\n\n{told(found, str(found['runs']) + ' runs')}\n"


def _code(agent: str) -> str:
    """A spec as code; what is told in words is none."""
    return agent if agent in (ORACLE, EVEN) else f"`{agent}`"


def _more(row: Plain) -> str:
    """The error beyond the oracle's; it has none beyond its own."""
    return "" if row["agent"] == ORACLE else span(row["more"], 3)


def _stops(found: Plain) -> list[str]:
    return list(dict.fromkeys(row["stop"] for row in _rows(found)))


def _players(found: Plain) -> Iterable[tuple[str, str]]:
    return dict.fromkeys((row["stop"], row["agent"]) for row in _rows(found))


def _rows(found: Plain) -> Iterator[Plain]:
    return (row for problem in found["problems"].values() for row in problem["rows"])


def _price(rows: list[Plain], agent: str, stop: str, delta: float) -> str:
    row = next(row for row in rows if row["agent"] == agent and _is(row, stop, delta))
    return (
        f"{row['rounds']['mean']:,.0f} rounds, {row['pulls']['mean']:,.0f} pulls, "
        f"x {span(row['times'], 2)}"
    )


def _extremes(found: Plain, stop: str, delta: float) -> tuple[str, ...]:
    """Over problems: the price in references, and how Race and T3C stand to each other."""
    sets = [
        {row["agent"]: row for row in problem["rows"] if _is(row, stop, delta)}
        for problem in found["problems"].values()
    ]
    times = [row["times"]["mean"] for rows in sets for row in rows.values()]
    rounds = [_against(rows, "rounds", RACE, set(rows) - {RACE}) for rows in sets]
    pulls = [_against(rows, "pulls", FEW_PULLS, {RACE}) for rows in sets]
    return f"{delta:g}", stop, *(f"{min(x):.2f} to {max(x):.2f}" for x in (times, rounds, pulls))


def _is(row: Plain, stop: str, delta: float) -> bool:
    return bool(row["stop"] == stop and row["delta"] == delta)


def _against(rows: dict[str, Plain], what: str, agent: str, others: set[str]) -> float:
    """The mean of an agent, over the least of the others'."""
    means = {name: float(row[what]["mean"]) for name, row in rows.items()}
    return means[agent] / min(means[name] for name in others)
