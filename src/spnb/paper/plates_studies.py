"""Plates of the two case studies: articles of a day, and slots of monitored water."""

from functools import partial
from string import ascii_uppercase
from typing import TYPE_CHECKING

from spnb.paper.plates import Layout, Plain, Plate, legend, line, panels
from spnb.paper.plates_rm import OURS, regret_panels
from spnb.report.style import colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SHOWN_C = "2"
PAPER_RATIOS = ("Seq(TS) / TS", "Seq(bUCB) / bUCB")


def yahoo_plates(results: Plain) -> list[Plate]:
    day = _day(results)
    said = f"{day} {results['runs']} runs of {results['rounds']} rounds for every article."
    shown = f"article {results['shown']}"
    alone = f"Regret, pulls per round and shares of the best slot for {shown}. {said}"
    ratio = (
        f"Regret of the Seq form divided by that of the classical form, mean over the "
        f"{len(results['articles'])} articles with its 95 % interval, from round 2 on; below 1 Seq "
        f"is better. {said}"
    )
    panels_ = results["panels"]
    paper = panels_ | {"agents": {k: v for k, v in panels_["agents"].items() if k != OURS}}
    clicks = f"Click rate of {shown} in each slot of the day in which it was shown. {day}"
    made = " (made-up day)" if results["synthetic"] else ""
    return [
        Plate("yahoo-rates", f"Figure 3: one article's day{made}", clicks, partial(rates, results)),
        Plate(
            "yahoo-article", f"Figure 4: one article{made}", alone, partial(regret_panels, paper)
        ),
        Plate(
            "yahoo-article-challenge",
            f"Figure 4 with Challenge{made}",
            f"With spnb's own agent. {alone}",
            partial(regret_panels, panels_),
        ),
        Plate(
            "yahoo-ratio",
            f"Figure 5: all articles{made}",
            ratio,
            partial(ratios, results, PAPER_RATIOS),
        ),
        Plate(
            "yahoo-ratio-challenge",
            f"Figure 5 with Challenge{made}",
            f"With Challenge against TS. {ratio}",
            partial(ratios, results, tuple(results["ratio"])),
        ),
    ]


def _day(results: Plain) -> str:
    if results["synthetic"]:
        return (
            "SYNTHETIC: the paper's log may not be passed on, so this day is made up "
            "(50 articles, 20 at a time, click rates around 4 % that fade and waver)."
        )
    return f"Day file {results['source']}, cut into 10 slots of equally many events."


def rates(results: Plain, layout: Layout) -> "Figure":
    figure, (axes,) = panels(layout, 1, height=2.1)
    article = results["articles"][results["shown"]]
    best = max(article["rates"])
    for slot, rate in zip(article["slots"], article["rates"], strict=True):
        colour = "#0072B2" if rate == best else "#9AB8CC"
        axes.bar(slot, 100 * rate, color=colour, width=0.7)
    axes.set_xticks(article["slots"], [ascii_uppercase[slot] for slot in article["slots"]])
    axes.set(xlabel="slot of the day", ylabel="clicks per 100 views", title="Click rate by slot")
    axes.grid(visible=False, axis="x")
    return figure


def ratios(results: Plain, names: tuple[str, ...], layout: Layout) -> "Figure":
    figure, (axes,) = panels(layout, 1, height=2.5)
    for name in names:
        agent = name.split(" / ")[0]
        line(axes, results["ratio"][name], name, colours([agent])[agent])
    axes.axhline(1.0, color="#555555", linewidth=0.9)
    axes.axhline(0.9, color="#555555", linewidth=0.7, linestyle=":", label="0.9, the paper's end")
    axes.set(xlabel="round", ylabel="ratio of regrets", title="Regret of Seq / regret without")
    legend(figure, axes, layout)
    return figure


def water_plates(results: Plain) -> list[Plate]:
    if results["drawn"]:
        source = (
            f"Means over {results['runs']} tables of {results['days']} days and {results['slots']} "
            "two-hour slots, drawn from the rates at which a drinking-water station exceeded 0.3 "
            "NTU, since one table alone is an accident"
        )
    else:
        source = (
            f"The table {results['source']} ({results['days']} days, {results['slots']} slots), "
            f"{results['runs']} runs: they differ only in how ties are settled, and so do the bands"
        )
    said = (
        f"Share of right answers after each number of rounds, each smoothed with the "
        f"{results['window'] - 1} numbers before it. {source}; replayed to {results['rounds']} "
        "rounds, 95 % intervals."
    )
    values = tuple(results["c"])
    shown = SHOWN_C if SHOWN_C in values else values[0]
    first = Plate(
        f"water-c{shown}",
        f"Figure 6: water, c = {shown}",
        said,
        partial(water_panels, results, (shown,)),
    )
    if len(values) == 1:
        return [first]
    title = "Figure S5: water, every c"
    return [first, Plate("water", title, said, partial(water_panels, results, values))]


def water_panels(results: Plain, values: tuple[str, ...], layout: Layout) -> "Figure":
    figure, axes = panels(layout, len(values), height=2.2, across=min(2, len(values)))
    for panel, c in zip(axes, values, strict=True):
        _water_panel(panel, results, c)
    legend(figure, axes[0], layout)
    return figure


def _water_panel(axes: "Axes", results: Plain, c: str) -> None:
    agents = results["c"][c]["agents"] | {"SR+": results["SR+"]}
    colour = colours(agents)
    for label, found in agents.items():
        line(axes, found["correct"], label, colour[label])
    axes.set(xlabel="number of rounds", ylabel="right answers", title=f"c = {c}", ylim=(0, 1.02))
