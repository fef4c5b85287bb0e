"""Plates of the two case studies: articles of a day, and slots of monitored water."""

from functools import partial
from string import ascii_uppercase
from typing import TYPE_CHECKING

from spnb.paper.plates import Plain, Plate, line, lines
from spnb.paper.plates_rm import against_bound, regret_panels
from spnb.report.style import colours

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN_C = "2"
PAPER_RATIOS = ("Seq(TS) / TS", "Seq(bUCB) / bUCB")
OUR_RATIOS = ("Seq(TS) / TS", "Seq(TS(sweep)) / TS", "Challenge / TS")
OURS = ("TS", "Seq(TS)", "Seq(TS(sweep))", "Challenge")
PAPER = ("bUCB", "Seq(bUCB)", "TS", "Seq(TS)", "UCBrev+")
NINE_TENTHS = "0.9, the paper's end"


def yahoo_plates(results: Plain) -> list[Plate]:
    made = " (made-up days)" if results["synthetic"] else ""
    agents = results["panels"]["agents"]
    paper, ours = ({label: agents[label] for label in labels} for labels in (PAPER, OURS))
    shown = f"article {results['shown']}"
    rule = (
        f"Click rate of {shown} in each slot of the day in which it was shown. Of the articles "
        "seen in the most slots it is the one whose best slot is the farthest ahead of the second "
        f"best, so the easiest to learn. {_day(results)}"
    )
    alone = (
        f"Regret, pulls per round and shares of the best slot for {shown}: means over "
        f"{results['runs_shown']} runs of {results['rounds']} rounds, 95 % intervals."
    )
    ratio = (
        "Regret of the Seq form divided by that of the classical form, mean over the "
        f"{len(results['articles'])} articles ({results['runs']} runs each) with its 95 % "
        "interval, from round 2 on; below 1 Seq is better."
    )
    return [
        Plate("yahoo-rates", f"Figure 3: one article's day{made}", rule,
              (partial(rates, results),), height=2.1),
        Plate("yahoo-article", f"Figure 4: one article{made}", alone, regret_panels(paper), PAPER),
        Plate("yahoo-article-ours", f"Figure 4, beyond the paper{made}",
              "A first sweep, and Challenge.",
              (*regret_panels(ours), partial(against_bound, ours,
                                             results["panels"]["bounds"]["lower"])),
              OURS, across=2),
        Plate("yahoo-ratio", f"Figure 5: all articles{made}", ratio,
              (partial(ratios, results, PAPER_RATIOS),), (*PAPER_RATIOS, NINE_TENTHS), height=2.5),
        Plate("yahoo-ratio-ours", f"Figure 5, beyond the paper{made}",
              "A first sweep, and Challenge, against TS.",
              (partial(ratios, results, OUR_RATIOS),), (*OUR_RATIOS, NINE_TENTHS), height=2.5),
    ]  # fmt: skip


def _day(results: Plain) -> str:
    if results["synthetic"]:
        return (
            "SYNTHETIC: the paper's log may not be passed on, so the days are made up "
            "(50 articles each, 20 at a time, click rates around 4 % that fade and waver)."
        )
    return f"Day file {results['source']}, cut into 10 slots of equally many events."


def rates(results: Plain, axes: "Axes") -> None:
    article = results["articles"][results["shown"]]
    best = max(article["rates"])
    for slot, rate in zip(article["slots"], article["rates"], strict=True):
        colour = "#0072B2" if rate == best else "#9AB8CC"
        axes.bar(slot, 100 * rate, color=colour, width=0.7)
    axes.set_xticks(article["slots"], [ascii_uppercase[slot] for slot in article["slots"]])
    axes.set(xlabel="slot of the day", ylabel="clicks per 100 views", title="Click rate by slot")
    axes.grid(visible=False, axis="x")


def ratios(results: Plain, names: tuple[str, ...], axes: "Axes") -> None:
    for name in names:
        agent = name.split(" / ")[0]
        line(axes, results["ratio"][name], name, colours([agent])[agent])
    axes.axhline(1.0, color="#555555", linewidth=0.9)
    axes.axhline(0.9, color="#555555", linewidth=0.7, linestyle=":", label=NINE_TENTHS)
    axes.set(xlabel="round", ylabel="ratio of regrets", title="Regret / regret of the classical")
    top = max(results["ratio"][name]["high"][i] or 1.0 for name in names for i in (10, -1))
    axes.set_ylim(None, max(1.1, 1.02 * top))  # the first rounds are all noise


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
        f"Share of right answers after each number of rounds, each averaged with the "
        f"{results['window'] - 1} numbers before it, from the first full window on. {source}; "
        f"replayed to {results['rounds']} rounds, 95 % intervals."
    )
    values = tuple(results["c"])
    shown = SHOWN_C if SHOWN_C in values else values[0]
    paper, ours = ("UCBE", "Seq(UCBE)", "SR+"), ("UCBE", "Seq(UCBE)", "Seq(UCBE), ahead", "SR+")
    out = [
        _water(results, f"water-c{shown}", f"Figure 6: water, c = {shown}", said, (shown,), paper)
    ]
    if len(values) > 1:
        title = "Figure S5: water, every c"
        out.append(_water(results, "water", title, "The same for every c.", values, paper))
    beyond = "With ties to the arm offered soonest beside ties to the first."
    title = "Figure S5, beyond the paper"
    return [*out, _water(results, "water-ours", title, beyond, values, ours)]


def _water(
    results: Plain, name: str, title: str, caption: str, values: tuple[str, ...],
    labels: tuple[str, ...],
) -> Plate:  # fmt: skip
    panels = tuple(partial(water_panel, results, c, labels) for c in values)
    return Plate(name, title, caption, panels, labels, min(2, len(values)), 2.2)


def water_panel(results: Plain, c: str, labels: tuple[str, ...], axes: "Axes") -> None:
    agents = results["c"][c]["agents"] | {"SR+": results["SR+"]}
    lines(axes, {label: agents[label]["correct"] for label in labels})
    axes.set(xlabel="number of rounds", ylabel="right answers", title=f"c = {c}", ylim=(None, 1.01))
