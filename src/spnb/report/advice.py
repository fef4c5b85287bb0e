"""A plan in plain words, as a table and as a figure."""

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from spnb import theory
from spnb.bandits.agents import Seq
from spnb.bandits.spec import agent
from spnb.base.words import amount, chance_text, count_text, listed
from spnb.plan import TODAY, Costs, Plan, Point
from spnb.plan.answer import Need
from spnb.report.figures import draw_curve, new_figure
from spnb.report.grid import Column, Grid
from spnb.report.style import colours
from spnb.report.tables import interval_text
from spnb.simulation.metrics import Estimate
from spnb.simulation.results import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NEAR = 0.1  # of the best mean: arms so close nearly tie with it
GREYS = {"Uniform+": "#333333", "Uniform": "#999999"}  # what is to be beaten stays in the back


def plan_table(plan: Plan) -> Grid:
    """Agents by cost, with what each needs to be right."""
    columns = [Column("agent")]
    columns += [Column(f"{_percent(t)} right", t != plan.confidence) for t in plan.targets()]
    columns += [Column("regret")] if plan.regret is not None else []
    rows, order = [], _by_cost(plan)
    for spec in order:
        cells = [_need_text(plan, spec, target) for target in plan.targets()]
        if plan.regret is not None:
            cells.append(interval_text(plan.regret.summary()[spec]["regret"]))
        rows.append([spec, *cells, money(plan.cost(spec))])
    return Grid(
        f"{plan.data.name}: {plan.runs} runs, seed {plan.seed}",
        [*columns, Column("cost")],
        rows,
        "rounds / pulls until right so often; - not within what was tried",
        frozenset({order.index(plan.choice)} if plan.choice else ()),
    )


def plan_lines(plan: Plan) -> list[str]:
    """The advice, in sentences."""
    lines = [_advice(plan)]
    lines += _need_lines(plan)
    lines.append(_cost_line(plan))
    if plan.cost(plan.choice) is not None and plan.level():
        level = ", ".join(plan.level())
        lines.append(f"{plan.runs} runs cannot tell its cost from that of: {level}.")
    lines += [*_gain_line(plan), *_tie_lines(plan)]
    for spec, words in TODAY.items():
        if spec != plan.choice:
            lines.append(_today_line(plan, spec, words))
    if plan.sure is not None:
        lines.append(
            "If your record itself is drawn anew (it might have come out otherwise), this plan "
            f"names the best arm of that record in {_share(plan.sure)} of the cases."
        )
    return lines + [f"Note: {note}." for note in plan.data.notes]


def campaign_command(plan: Plan, file: Path) -> list[str]:
    """The command that begins the campaign which the plan recommends, in lines to be copied."""
    budget = plan.budget()
    options = [
        f"--problem {shlex.quote(str(file))}",
        f"--agent {shlex.quote(plan.choice)}",
        f"--goal {plan.goal} --rounds {budget}",
    ]
    if plan.goal == "best":
        options[-1] += f" --pulls {budget}"
    if isinstance(agent(plan.choice), Seq):  # it waits for every reward
        options.append("--lost-after 1d")
    name = re.sub(r"[^\w-]+", "-", file.stem).strip("-") or "campaign"
    lines = [f"spnb campaign new {name}", *(f"  {option}" for option in options)]
    return [line + " \\" for line in lines[:-1]] + lines[-1:]


def _gain_line(plan: Plan) -> list[str]:
    """Whether learning is worth it at all."""
    today, cost = plan.today(), plan.cost(plan.choice)
    if plan.choice in TODAY and cost is not None:
        return ["No learner is cheaper here than today's way."]
    if today is None or not plan.next_to_nothing():
        return []
    return [
        f"Learning gains next to nothing over today's way, {TODAY[today]}: "
        f"{money(cost)} against {money(plan.cost(today))}."
    ]


def _tie_lines(plan: Plan) -> list[str]:
    """What "best" means where several arms are as good, or nearly."""
    means, arms = np.asarray(plan.data.means), plan.data.arms
    gaps = theory.gaps(means)
    good = np.flatnonzero(theory.gaps(means, plan.tolerance) == 0)
    lines = []
    if len(good) > 1:
        how = f"share the largest mean, {means.max():.3g}"
        if plan.tolerance:
            reach = f"{means[good].min():.3g} to {means.max():.3g}"
            how = f"count as best by the tolerance of {plan.tolerance:g} (means {reach})"
        names = listed([arms[arm] for arm in good])
        lines.append(f"{names} {how}: to name any of them is right.")
    near = np.flatnonzero((gaps <= NEAR * means.max()) & (theory.gaps(means, plan.tolerance) > 0))
    if len(near):
        names, far = listed([arms[arm] for arm in near]), float(gaps[near].max())
        tolerance = np.ceil(far * 1000) / 1000
        verb = "ties" if len(near) == 1 else "tie"
        lines.append(
            f"{names} nearly {verb} with {arms[int(means.argmax())]}, at most {far:.2g} less a "
            f"pull: right means the very best here; --tolerance {tolerance:g} counts "
            f"{'it' if len(near) == 1 else 'them'} as best, too."
        )
    return lines


def plan_figure(plan: Plan) -> "Figure":
    """How often every agent is right against rounds and against pulls, and what it costs."""
    last = 3 if plan.regret is None else 4
    figure, panels = new_figure(last, 3.6 * last, 3.6)
    palette = colours(plan.curves) | {s: c for s, c in GREYS.items() if s in plan.curves}
    for axes, used in zip(panels[:2], ("rounds", "pulls"), strict=True):
        _draw_right(axes, plan, used, palette)
    if plan.regret is not None:
        for spec, runs in plan.regret.agents.items():
            draw_curve(panels[2], runs.regret_curve, spec, palette[spec])
        learners = [r.regret.mean() for s, r in plan.regret.agents.items() if s not in TODAY]
        top = 2.5 * max(learners) if learners else None
        panels[2].set(title="Regret", xlabel="round", ylabel="regret", ylim=(0, top))
    _draw_costs(panels[-1], plan, palette)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def _draw_right(axes: "Axes", plan: Plan, used: str, palette: dict[str, str]) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    for spec, points in plan.curves.items():
        at = np.array([getattr(point, used) for point in points])
        order = np.argsort(at, kind="stable")
        ends = [np.array([getattr(p.right, e) for p in points]) for e in ("mean", "low", "high")]
        curve = Curve(at[order], *(end[order] for end in ends))
        draw_curve(axes, curve, _label(spec), palette[spec])
    axes.axhline(plan.confidence, color="#555555", linewidth=0.8, linestyle=":")
    axes.set(title=f"Right against {used}", xlabel=used, ylabel="share right", ylim=(0, 1.02))
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3), numticks=10))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())


def _draw_costs(axes: "Axes", plan: Plan, palette: dict[str, str]) -> None:
    order = _by_cost(plan)[::-1]
    for place, spec in enumerate(order):
        cost = plan.cost(spec)
        axes.barh(place, cost or 0.0, color=palette[spec], height=0.6)
        axes.annotate(
            " not reached" if cost is None else f" {money(cost)}", (cost or 0.0, place), va="center"
        )
    what = (
        f"Cost of {_percent(plan.confidence)} right"
        if plan.regret is None
        else "Cost of all rounds"
    )
    axes.set_title(what)
    axes.set_yticks(range(len(order)), [_short(spec) for spec in order])
    dearest = max((plan.cost(spec) or 0.0 for spec in order), default=0.0)
    axes.set_xlim(0, 1.3 * dearest or 1.0)  # room for the numbers beside the bars
    axes.grid(visible=False, axis="y")


def _by_cost(plan: Plan) -> list[str]:
    def key(spec: str) -> tuple[bool, float]:
        cost = plan.cost(spec)
        return cost is None, -plan.curves[spec][-1].right.mean if cost is None else cost

    return sorted(plan.curves, key=key)


def _advice(plan: Plan) -> str:
    if plan.regret is not None:
        rounds = amount(plan.regret.rounds, "round")
        return f"To lose least over {rounds}, use {_label(plan.choice)}."
    what = f"To find the best of {amount(len(plan.data.arms), 'arm')}"
    if plan.cost(plan.choice) is None:
        last = plan.curves[plan.choice][-1]
        price = plan.costs.of(last.rounds, last.pulls)
        return (
            f"{what}: no agent is right in {_percent(plan.confidence)} of the cases within "
            f"{amount(plan.most, 'pull')}; {plan.choice} comes nearest, {_share(last.right)} after "
            f"{_effort(last)}, which cost {money(price)} at {_prices(plan)}."
        )
    return f"{what}, use {_label(plan.choice)}."


def _need_lines(plan: Plan) -> list[str]:
    """What it takes to be right so often; of what is out of reach the first is enough."""
    lines = []
    for target in plan.targets():
        lines.append(_need_line(plan, target))
        if plan.need(plan.choice, target) is None:
            break
    return lines


def _need_line(plan: Plan, target: float) -> str:
    need = plan.need(plan.choice, target)
    if need is None:
        return f"It is not right in {_percent(target)} of the cases within what was tried."
    soon, late = plan.need(plan.choice, target, "high"), plan.need(plan.choice, target, "low")
    effort = _effort(need)
    if soon is not None and late is not None and round(soon.rounds) != round(late.rounds):
        spread = f"({soon.rounds:.0f} to {late.rounds:.0f})"
        effort = f"{need.rounds:.0f} {spread} rounds and {amount(need.pulls, 'pull')}"
    return f"It names the best arm in {_percent(target)} of the cases after {effort}."


def _cost_line(plan: Plan) -> str:
    cost, prices = plan.cost(plan.choice), _prices(plan)
    if plan.regret is not None:
        regret = interval_text(plan.regret.summary()[plan.choice]["regret"])
        free = plan.costs == Costs()
        return f"Its regret is {regret}" + ("." if free else f"; at {prices}, cost {money(cost)}.")
    if cost is None:
        return _hardness_line(plan)
    return f"At {prices}, {_percent(plan.confidence)} right costs {money(cost)}."


def _hardness_line(plan: Plan) -> str:
    """How far the arms lie apart, and what it takes to tell them from the best."""
    gaps = theory.gaps(plan.data.means, plan.tolerance)
    nearest = min((gap for gap in gaps if gap > 0), default=0.0)
    below = "the next" if (gaps == 0).sum() == 1 else "the next that does not count as best"
    hardness = float(theory.h1(plan.data.means, plan.tolerance))
    takes, shows = f"H1 = {count_text(hardness)}", plan.data.shows
    if shows is None or plan.replay == "bernoulli":
        takes += " pulls"
    else:  # a pull brings many trials
        trials = float(np.nanmedian(shows))
        takes += f" trials, which is {amount(np.ceil(hardness / trials), 'pull')}"
        takes += f" of {count_text(trials)} (the median)"
    return (
        f"The best arm and {below} are {nearest:.2g} apart; to tell arms like these from the "
        f"best takes in the order of {takes}."
    )


def money(amount: float | None) -> str:
    """A cost, without digits that mean nothing; a dash where it is not known."""
    if amount is None:
        return "-"
    return f"{amount:,.0f}" if abs(amount) >= 100 else f"{amount:.3g}"


def _prices(plan: Plan) -> str:
    return f"{plan.costs.pull:g} a pull and {plan.costs.round:g} a round"


def _today_line(plan: Plan, spec: str, words: str) -> str:
    need, cost = plan.need(spec, plan.confidence), plan.cost(spec)
    right = f"{_percent(plan.confidence)} right"
    time = (
        f"not {right} within what was tried" if need is None else f"{right} after {_effort(need)}"
    )
    price = "" if cost is None else f", cost {money(cost)}"
    return f"Today's way, {words} ({spec}): {time}{price}."


def _need_text(plan: Plan, spec: str, target: float) -> str:
    need = plan.need(spec, target)
    return "-" if need is None else f"{need.rounds:.0f} / {need.pulls:.0f}"


def _effort(used: Need | Point) -> str:
    return f"{amount(used.rounds, 'round')} and {amount(used.pulls, 'pull')}"


def _label(spec: str) -> str:
    return f"{spec} ({TODAY[spec]})" if spec in TODAY else spec


def _short(spec: str) -> str:
    return spec if len(spec) <= 16 else spec.split("(", maxsplit=1)[0] + "(...)"


def _share(estimate: Estimate) -> str:
    mean, low, high = (
        chance_text(end, ".1%") for end in (estimate.mean, estimate.low, estimate.high)
    )
    return f"{mean} ({low} to {high})"


def _percent(share: float) -> str:
    return f"{100 * share:.4g} %"
