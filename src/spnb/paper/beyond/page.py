"""The evidence in words and tables: one section a study, as Markdown."""

from spnb.paper.experiments.plain import Plain

HEAD = "| agent | regret, 95 % interval | / first | median | 95 % | 99 % | lost | pulls a round |"
RULE = "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"


INTRODUCTION = (
    "# Beyond the paper: the evidence\n\n"
    "All agents of a table face the same worlds. *median*, *95 %* and *99 %* are percentiles "
    "of the regret of single runs; *lost* is the share of runs that missed the best arm (with "
    "a cost of pulls: the arms worth having) in more than half of the rounds."
)


def section(name: str, found: Plain) -> str:
    """One study: when to use what, a figure, and a table of each case."""
    parts = [f"## {found['title']}", found["advice"], f"![{found['title']}](figures/{name}.png)"]
    parts += [part for case in found["cases"].values() for part in _case(case, found["runs"])]
    return "\n\n".join(parts)


def _case(case: Plain, runs: int) -> list[str]:
    where = "should help" if case["helps"] else "should not help"
    limit = f" No agent can go below {case['limit']:.4g}." if case["limit"] is not None else ""
    intro = f"`{case['problem']}`, {case['rounds']} rounds, {runs} runs.{limit}"
    rows = [_row(spec, found) for spec, found in case["agents"].items()]
    return [f"### {case['title'].capitalize()} ({where})", intro, "\n".join([HEAD, RULE, *rows])]


def _row(spec: str, found: Plain) -> str:
    mean = found["regret"]
    cells = [
        f"`{spec}`",
        f"{mean['mean']:.1f} ({mean['low']:.1f} to {mean['high']:.1f})",
        f"{found['ratio']:.2f}",
        *(f"{found[name]:.0f}" for name in ("q50", "q95", "q99")),
        f"{100 * found['lost']:.2f} %",
        f"{found['pulls_per_round']['mean']:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def quote(found: Plain) -> str:
    """A study in one table, for pages that quote it."""
    cases = list(found["cases"].values())
    columns = ["problem", "agent", "regret, 95 % interval", "/ first", "99 %", "lost"]
    limited = any(case["limit"] is not None for case in cases)
    rows = [
        _quoted(case, spec, agent) + _beside(case, agent) * limited
        for case in cases
        for spec, agent in case["agents"].items()
    ]
    columns += ["- first, 95 % interval", "x limit"] * limited
    lines = [columns, ["---"] * 2 + ["---:"] * (len(columns) - 2), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    told = f"From `spnb reproduce beyond`, seed {found['seed']}: {found['runs']} runs."
    return f"{table}\n\n{told}\n"


def _quoted(case: Plain, spec: str, found: Plain) -> list[str]:
    mean = found["regret"]
    return [
        f"{case['title']}, {case['rounds']} rounds",
        f"`{spec}`",
        f"{mean['mean']:.1f} ({mean['low']:.1f} to {mean['high']:.1f})",
        f"{found['ratio']:.2f}",
        f"{found['q99']:.0f}",
        f"{100 * found['lost']:.1f} %",
    ]


def _beside(case: Plain, found: Plain) -> list[str]:
    """How far from the first agent, in the same worlds, and from what no agent can go below."""
    change, limit = found["against_first"], case["limit"]
    first = found is next(iter(case["agents"].values()))
    return [
        "" if first else f"{change['mean']:+.1f} ({change['low']:+.1f} to {change['high']:+.1f})",
        "" if limit is None else f"{found['regret']['mean'] / limit:.2f}",
    ]
