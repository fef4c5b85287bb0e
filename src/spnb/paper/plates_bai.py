"""Plates of identification: error, rounds and pulls by experiment, and what they buy."""

from functools import partial
from typing import TYPE_CHECKING

from spnb.paper.experiments.bai import FREE, HALF
from spnb.paper.plates import MARKS, Plain, Plate, point
from spnb.report.style import colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAMES = {
    "UCBE": "UCBE", "LP": "Seq(UCBE)-LP", "LR": "Seq(UCBE)-LR", "SR+": "SR+",
    "LP ahead": "LP, ahead", "LR ahead": "LR, ahead", "Pack": "Pack, half",
    FREE[0][0]: "Pack, half, H1 estimated",
}  # fmt: skip
SHOWN_C = "2"
PAPER = {"error": ("UCBE", "LP", "LR", "SR+"), "psi_rounds": ("LP", "SR+"), "psi_pulls": ("LR",)}
OURS = {
    "error": ("UCBE", "LP", "LP ahead", "LR", "LR ahead"),
    "psi_rounds": ("LP", "LP ahead"),
    "psi_pulls": ("LR", "LR ahead"),
}
PACKED = {
    "error": ("UCBE", "LP", "LP ahead", "Pack", FREE[0][0]),
    "psi_rounds": ("LP", "LP ahead", "Pack", FREE[0][0]),
    "psi_pulls": ("LR", "LR ahead"),
}
PANEL_TITLES = {
    "error": ("Wrong answers", "share of runs"),
    "psi_rounds": ("Rounds against UCBE", "Ψ rounds, %"),
    "psi_pulls": ("Pulls against UCBE", "Ψ pulls, %"),
}


def plates(results: Plain) -> list[Plate]:
    by_c = [plate for i, c in enumerate(results["c"]) for plate in _by_c(results, c, i == 0)]
    return [*by_c, *_trade_offs(results)]


def _by_c(results: Plain, c: str, first: bool) -> list[Plate]:
    where = "Figure 2" if c == SHOWN_C else "Figures S3 and S4"
    said = (
        f"{results['runs']} runs of each problem, arms in the listed order, ties to the first; "
        "bars are 95 % intervals. Share of runs that named a wrong arm; rounds used against "
        "UCBE's, for Seq(UCBE) stopped after as many pulls as UCBE makes (LP) and for SR+; pulls "
        "made against UCBE's, for Seq(UCBE) stopped after as many rounds (LR). UCBE is told the "
        "hardness H1 of the problem, which no live learner knows."
    )
    packed = c == SHOWN_C and any(_half(each) for each in results["experiments"].values())
    beyond = 'Ties to the arm offered soonest (ties="ahead") beside ties to the first.'
    if packed:
        beyond += " Pack makes UCBE's pulls in half of the rounds, told H1 or estimating it."
    ours = PACKED if packed else OURS
    return [
        Plate(
            f"bai-c{c}", f"{where}: identification, c = {c}",
            said if first else f"The same with c = {c}.", _panels(results, c, PAPER),
            _labels(PAPER), points=True,
        ),
        Plate(
            f"bai-c{c}-ours", f"{where}: identification, c = {c}, beyond the paper", beyond,
            _panels(results, c, ours), _labels(ours), points=True,
        ),
    ]  # fmt: skip


def _labels(shown: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(NAMES[agent] for agents in shown.values() for agent in agents))


def _panels(results: Plain, c: str, shown: dict[str, tuple[str, ...]]) -> tuple[partial[None], ...]:
    return tuple(partial(by_c, results, c, shown, metric) for metric in shown)


def _half(experiment: Plain) -> Plain | None:
    """Pack with half of UCBE's rounds and all of its pulls, if it was played."""
    for pack in experiment["packs"]:
        if (pack["rounds_share"], pack["pulls_share"]) == HALF:
            found: Plain = pack
            return found
    return None


def by_c(
    results: Plain, c: str, shown: dict[str, tuple[str, ...]], metric: str, axes: "Axes"
) -> None:
    colour, scale = colours(NAMES.values()), 1.0 if metric == "error" else 100.0
    agents = shown[metric]
    for place, experiment in enumerate(results["experiments"].values(), start=1):
        found = experiment["c"][c]["agents"] | experiment["agents"] | {"Pack": _half(experiment)}
        for i, agent in enumerate(agents):
            name = NAMES[agent]
            ends = ((key, found[agent][metric][key]) for key in ("mean", "low", "high"))
            value = {key: v if v is None else scale * v for key, v in ends}
            x = place + 0.15 * (i - (len(agents) - 1) / 2)
            label = name if place == 1 else "_"
            point(axes, x, value, colour[name], marker=MARKS[name], label=label)
    title, unit = PANEL_TITLES[metric]
    axes.set(title=title, ylabel=unit, xlabel="experiment")
    axes.set_xticks(range(1, len(results["experiments"]) + 1), list(results["experiments"]))
    axes.grid(visible=False, axis="x")
    axes.set_ylim(*((None, 0) if metric == "psi_rounds" else (0, None)))


def _trade_offs(results: Plain) -> list[Plate]:
    if SHOWN_C not in results["c"]:
        return []
    rounds = (
        "Every point is one agent at c = 2 on one of the paper's problems, with its 95 % interval. "
        "Down is better, and so is left. Pack is spnb's own agent: it spreads a budget of pulls "
        "over a budget of rounds. Its line runs over budgets of rounds at UCBE's number of pulls. "
        "Rounds are shares of UCBE's, on a logarithmic axis."
    )
    pulls = (
        "The same against pulls; Pack's line runs over budgets of pulls in a quarter of UCBE's "
        "rounds. Points at UCBE's own number of pulls are set a little apart."
    )
    return [
        _trade_off(results, metric, caption)
        for metric, caption in (("rounds", rounds), ("pulls", pulls))
    ]


def _trade_off(results: Plain, metric: str, caption: str) -> Plate:
    panels = tuple(
        partial(trade_off, number, experiment, metric)
        for number, experiment in results["experiments"].items()
    )
    labels = (*(name for _, name in TRADERS), "Pack")
    title = f"Trade-off: error against {metric}"
    return Plate(f"bai-{metric}", title, caption, panels, labels, 4, 1.75, points=True)


TRADERS = (
    ("UCBE", "UCBE"), ("LP", "Seq(UCBE)-LP"), ("LR", "Seq(UCBE)-LR"), ("SR+ random", "SR+"),
    ("SH+", "SH+"), ("Uniform+", "Uniform+"),
)  # fmt: skip


def trade_off(number: str, experiment: Plain, metric: str, axes: "Axes") -> None:
    budget = experiment["budget"]
    agents = experiment["agents"] | experiment["c"][SHOWN_C]["agents"]
    colour = colours(MARKS)
    for i, (key, name) in enumerate(TRADERS):
        x = agents[key][metric]["mean"] / budget
        if metric == "pulls":
            x += 0.025 * (i - 2)
        point(axes, x, agents[key]["error"], colour[name], marker=MARKS[name], label=name)
    fixed = "pulls_share" if metric == "rounds" else "rounds_share"
    level = 1.0 if metric == "rounds" else 0.25
    packs = [pack for pack in experiment["packs"] if pack[fixed] == level]
    packs.sort(key=lambda pack: pack[metric]["mean"])
    xs = [pack[metric]["mean"] / budget for pack in packs]
    axes.plot(xs, [pack["error"]["mean"] for pack in packs], color=colour["Pack"], lw=0.9)
    for x, pack in zip(xs, packs, strict=True):
        point(axes, x, pack["error"], colour["Pack"], marker=MARKS["Pack"], label="Pack")
    axes.set_title(f"{number}: K = {experiment['arms']}, {budget} pulls")
    axes.set(xlabel=f"{metric} / UCBE's", ylabel="wrong answers")
    axes.set_ylim(0, None)
    if metric == "rounds":
        axes.set_xscale("log")
        axes.set_xlim(0.02, 1.4)
        axes.set_xticks([0.03, 0.1, 0.3, 1], ["0.03", "0.1", "0.3", "1"])
        axes.minorticks_off()
