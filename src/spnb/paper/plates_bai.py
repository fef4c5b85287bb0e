"""Plates of identification: error, rounds and pulls by experiment, and what they buy."""

from functools import partial
from typing import TYPE_CHECKING

from spnb.paper.plates import Layout, Plain, Plate, legend, panels, point
from spnb.report.style import colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = {"UCBE": "UCBE", "LP": "Seq(UCBE)-LP", "LR": "Seq(UCBE)-LR", "SR+": "SR+"}
MARKS = {
    "UCBE": "o", "Seq(UCBE)-LP": "s", "Seq(UCBE)-LR": "D", "SR+": "^", "SH+": "v",
    "Uniform+": "x", "Pack": "P",
}  # fmt: skip
SHOWN_C = "2"
PANEL_AGENTS = {
    "error": ("UCBE", "LP", "LR", "SR+"),
    "psi_rounds": ("LP", "SR+"),
    "psi_pulls": ("LR",),
}
PANEL_TITLES = {
    "error": ("Wrong answers", "share of runs"),
    "psi_rounds": ("Rounds against UCBE", "Ψ rounds, %"),
    "psi_pulls": ("Pulls against UCBE", "Ψ pulls, %"),
}


def plates(results: Plain) -> list[Plate]:
    return [*(_by_c(results, c) for c in results["c"]), *_trade_offs(results)]


def _by_c(results: Plain, c: str) -> Plate:
    where = "Figure 2" if c == SHOWN_C else "Figures S3 and S4"
    caption = (
        f"{results['runs']} runs of each problem, bars are 95 % intervals. First panel: share of "
        "runs that named a wrong arm. Second: rounds used against UCBE's, for Seq(UCBE) stopped "
        "after as many pulls as UCBE makes (LP) and for SR+. Third: pulls made against UCBE's, for "
        "Seq(UCBE) stopped after as many rounds (LR). UCBE is told the hardness H1 of the "
        "problem, which no live learner knows."
    )
    return Plate(
        f"bai-c{c}", f"{where}: identification, c = {c}", caption, partial(by_c, results, c)
    )


def by_c(results: Plain, c: str, layout: Layout) -> "Figure":
    figure, axes = panels(layout, 3)
    colour = colours(NAMES.values())
    for panel, (metric, agents) in zip(axes, PANEL_AGENTS.items(), strict=True):
        scale = 1.0 if metric == "error" else 100.0
        for place, (_, experiment) in enumerate(results["experiments"].items(), start=1):
            found = experiment["c"][c]["agents"] | experiment["agents"]
            for i, agent in enumerate(agents):
                name = NAMES[agent]
                value = {
                    key: v if v is None else scale * v for key, v in _ends(found[agent][metric])
                }
                x = place + 0.17 * (i - (len(agents) - 1) / 2)
                label = name if place == 1 else "_"
                point(panel, x, value, colour[name], MARKS[name], label=label)
        title, unit = PANEL_TITLES[metric]
        panel.set(title=title, ylabel=unit, xlabel="experiment")
        panel.set_xticks(range(1, len(results["experiments"]) + 1), list(results["experiments"]))
        panel.grid(visible=False, axis="x")
        panel.set_ylim(*((None, 0) if metric == "psi_rounds" else (0, None)))
    legend(figure, axes[0], layout)
    return figure


def _ends(estimate: Plain) -> list[tuple[str, float | None]]:
    return [(name, estimate[name]) for name in ("mean", "low", "high")]


def _trade_offs(results: Plain) -> list[Plate]:
    if SHOWN_C not in results["c"]:
        return []
    said = (
        "Every point is one agent at c = 2 on one of the paper's problems, with its 95 % interval. "
        "Down is better, and so is left. Pack is spnb's own agent: it spreads a budget of pulls "
        "over a budget of rounds. "
    )
    rounds = said + (
        "Its line runs over budgets of rounds at UCBE's number of pulls. Rounds are shares of "
        "UCBE's, on a logarithmic axis."
    )
    pulls = said + (
        "Its line runs over budgets of pulls in a quarter of UCBE's rounds. Points at UCBE's own "
        "number of pulls are set a little apart."
    )
    return [
        Plate(
            "bai-rounds",
            "Trade-off: error against rounds",
            rounds,
            partial(trade_off, results, "rounds"),
        ),
        Plate(
            "bai-pulls",
            "Trade-off: error against pulls",
            pulls,
            partial(trade_off, results, "pulls"),
        ),
    ]


def trade_off(results: Plain, metric: str, layout: Layout) -> "Figure":
    figure, axes = panels(layout, len(results["experiments"]), height=1.75, across=4)
    for panel, (number, experiment) in zip(axes, results["experiments"].items(), strict=True):
        _trade_off_panel(panel, experiment, metric)
        panel.set_title(f"{number}: K = {experiment['arms']}, {experiment['budget']} pulls")
        panel.set_ylim(0, None)
    for panel in axes[-(4 if layout == "wide" else 2) :]:
        panel.set_xlabel(f"{metric} / UCBE's")
    figure.supylabel("share of wrong answers", fontsize=8)
    legend(figure, axes[0], layout)
    return figure


def _trade_off_panel(axes: "Axes", experiment: Plain, metric: str) -> None:
    budget = experiment["budget"]
    agents = experiment["agents"] | experiment["c"][SHOWN_C]["agents"]
    listed = [("UCBE", "UCBE"), ("LP", "Seq(UCBE)-LP"), ("LR", "Seq(UCBE)-LR"), ("SR+", "SR+")]
    listed += [("SH+", "SH+"), ("Uniform+", "Uniform+")]
    colour = colours(MARKS)
    for i, (key, name) in enumerate(listed):
        x = agents[key][metric]["mean"] / budget
        if metric == "pulls":
            x += 0.025 * (i - 2)
        point(axes, x, agents[key]["error"], colour[name], MARKS[name], label=name)
    fixed = "pulls_share" if metric == "rounds" else "rounds_share"
    level = 1.0 if metric == "rounds" else 0.25
    packs = [pack for pack in experiment["packs"] if pack[fixed] == level]
    packs.sort(key=lambda pack: pack[metric]["mean"])
    xs = [pack[metric]["mean"] / budget for pack in packs]
    axes.plot(xs, [pack["error"]["mean"] for pack in packs], color=colour["Pack"], lw=0.9)
    for x, pack in zip(xs, packs, strict=True):
        point(axes, x, pack["error"], colour["Pack"], MARKS["Pack"], label="Pack")
    if metric == "rounds":
        axes.set_xscale("log")
        axes.set_xlim(0.02, 1.4)
        axes.set_xticks([0.03, 0.1, 0.3, 1], ["0.03", "0.1", "0.3", "1"])
        axes.minorticks_off()
