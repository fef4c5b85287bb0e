"""The drawings of the dashboard: latest pulls, intervals, what was earned."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from spnb.live.campaign.status import ArmStatus
from spnb.live.campaign.story import Cell
from spnb.report.picture import highest
from spnb.report.svg import drawing, hint, line, tag, words

_MOST_POINTS = 200  # of a curve


def sparkline(pulls: Sequence[Cell]) -> str:
    """The latest pulls, one bar each, as high as its reward."""
    step, high = 5, 28
    top = highest(pulls)
    bars = [_bar(cell, step * place, high, top) for place, cell in enumerate(pulls)]
    told = [cell.reward / cell.trials for cell in pulls if cell.became == "told"]
    mean = f", mean {sum(told) / len(told):.2g}" if told else ""
    label = f"The latest {len(pulls)} pulls: {len(told)} rewards told{mean}."
    return drawing(step * max(len(pulls), 1), high, label, *bars, class_="sparkline")


def _bar(cell: Cell, x: float, high: float, top: float) -> str:
    if cell.became == "open":
        return tag("circle", cx=x + 2, cy=high - 3, r=1.5, class_="open", fill="none")
    if cell.became == "lost":
        return tag("path", d=f"M{x:g} {high - 5:g}l4 4m0 -4l-4 4", class_="lost", fill="none")
    tall = 2 + (high - 2) * cell.reward / cell.trials / top
    return tag("rect", x=x, y=high - tall, width=4, height=tall, class_="told")


def scale(arms: Sequence[ArmStatus]) -> float:
    """Where the intervals' axis ends: a round number, beyond the estimates that rest on rewards."""
    largest = max((arm.high for arm in arms if arm.rewards and not arm.retired), default=1.0)
    return _above(min(largest, 1.0))


def interval(arm: ArmStatus, top: float) -> str:
    """An estimate as a point on its interval, from 0 to ``top``."""
    wide, high = 150, 18

    def at(value: float) -> float:
        return 4 + (wide - 8) * min(value / top, 1.0)

    middle = high / 2
    inside = [
        tag("line", x1=4, x2=wide - 4, y1=middle, y2=middle, class_="axis"),
        tag("line", x1=at(arm.low), x2=at(arm.high), y1=middle, y2=middle, class_="span"),
    ]
    said = f"{arm.arm}: between {arm.low:.3g} and {arm.high:.3g}"
    if arm.mean is not None:
        inside.append(tag("circle", cx=at(arm.mean), cy=middle, r=4.5, class_="point"))
        said += f", estimate {arm.mean:.3g}"
    return drawing(wide, high, said, *inside, class_="interval")


@dataclass(frozen=True, slots=True)
class Earned:
    """What the rewards came to, one after the other, and what others would have by now.

    ``points`` are (rewards, their sum). The others had as many pulls: ``every`` spread evenly over
    the slots that were tried, ``fixed`` in one slot, each with an interval.
    """

    points: tuple[tuple[float, float], ...]
    every: tuple[float, float, float]
    fixed: tuple[float, float, float]
    slot: str


def earned_picture(earned: Earned, wide: float, high: float) -> str:
    """What was earned, pull by pull, between the straight lines of the others."""
    left, right, top, foot = 40.0, 8.0, 8.0, 20.0
    most = earned.points[-1][0]
    start = earned.points[0][0]
    ceiling = max(earned.points[-1][1], earned.every[0], earned.fixed[0], 1e-9)
    base = min(earned.points[0][1], *(value[0] * start / most for value in _others(earned)))

    def x(count: float) -> float:
        return left + (wide - left - right) * (count - start) / max(most - start, 1e-9)

    def y(total: float) -> float:
        return high - foot - (high - foot - top) * (total - base) / max(ceiling - base, 1e-9)

    inside = [
        tag("line", x1=left, x2=wide - right, y1=high - foot, y2=high - foot, class_="axis"),
        *_ticks(base, ceiling, left, y),
        words(left, high - 4, f"{start:g}", class_="quiet"),
        words(wide - right, high - 4, f"{most:g} rewards", text_anchor="end", class_="quiet"),
    ]
    for value, name in ((earned.every, "every"), (earned.fixed, "fixed")):
        ends = [(x(start), y(value[0] * start / most)), (x(most), y(value[0]))]
        inside.append(line(ends, class_=name))
    inside.append(line([(x(n), y(total)) for n, total in _thinned(earned.points)], class_="earned"))
    label = (
        f"Earned {earned.points[-1][1]:.4g} with {most:g} rewards; as many pulls are worth about "
        f"{earned.every[0]:.4g} in every slot, {earned.fixed[0]:.4g} in {earned.slot} alone."
    )
    return drawing(wide, high, label, hint(label), *inside, class_="earned-picture")


def _others(earned: Earned) -> tuple[tuple[float, float, float], ...]:
    return earned.every, earned.fixed


def _ticks(base: float, ceiling: float, left: float, y: Callable[[float], float]) -> list[str]:
    step = _above((ceiling - base) / 5)
    first = math.ceil(base / step)
    parts = []
    for mark in [step * k for k in range(first, first + 6) if step * k <= ceiling]:
        high = y(mark)
        parts.append(words(left - 5, high + 4, f"{mark:g}", text_anchor="end", class_="quiet"))
        parts.append(tag("line", x1=left - 3, x2=left, y1=high, y2=high, class_="axis"))
    return parts


def _thinned(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Few enough points to draw; the last one is always among them."""
    step = max(1, len(points) // _MOST_POINTS)
    return [*points[:-1:step], points[-1]]


def _above(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, ... at or above a number."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** math.floor(math.log10(value))
    return next(unit * k for k in (1, 2, 5, 10) if unit * k >= value * (1 - 1e-9))
