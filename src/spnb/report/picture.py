"""The round x arm picture: what became of every offer, the learning at a glance."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from spnb.base.words import cut
from spnb.live.store import Event
from spnb.report.svg import drawing, hint, tag, words

_STEP, _BOX = 13, 11  # from one cell to the next, and a cell itself
_LETTER = 7.2  # the width of a letter, about; bold ones are wide
_LONGEST = 16  # letters of an arm's name
_FOOT = 18  # for the numbers of the rounds
_GREY, _BLUE, _AMBER, _RED = "#8a939e", "#0072b2", "#b36b00", "#b3303c"

Place = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """What became of an offer: a pull was rewarded with some share of what it might have got."""

    state: Literal["passed", "waiting", "told", "lost"]
    share: float = 0.0

    def __str__(self) -> str:
        return f"reward {self.share:.3g}" if self.state == "told" else self.state


def cells_of(events: Iterable[Event]) -> dict[Place, Cell]:
    """The offers that these events decided, by round and arm, and what is known of them by now."""
    offers: dict[int, Place] = {}
    cells: dict[Place, Cell] = {}
    for event in events:
        if event.kind == "ask":
            offers[event.seq] = event.round or 0, str(event.arm)
            cells[offers[event.seq]] = Cell("waiting" if event.pull else "passed")
        elif event.kind == "void":  # a leap that was taken back: nothing was pulled in it
            for seq in [seq for seq in offers if seq >= (event.decision or 0)]:
                cells.pop(offers.pop(seq), None)
        elif event.decision in offers:
            cells[offers[event.decision]] = _told(event)
    return cells


def _told(event: Event) -> Cell:
    if event.reward is None:
        return Cell("lost")
    return Cell("told", event.reward / event.extra().get("trials", 1))


def rounds_picture(
    cells: dict[Place, Cell], arms: Sequence[str], *, last: int, shown: int, best: str | None = None
) -> str:
    """The rounds until ``last``, as many as are shown, one column each, the arms in their order.

    A dot is a pass; a box is a pull, filled as high as its reward; a ring is one whose reward is
    still to come, a cross one whose reward was lost. Where nothing stands, nobody asked.
    """
    first = max(1, last - shown + 1)
    left = 10 + _LETTER * max((min(len(arm), _LONGEST) for arm in arms), default=0)
    rows = {arm: row for row, arm in enumerate(arms)}
    inside = [_name(arm, row, left, bold=arm == best) for arm, row in rows.items()]
    dots: list[str] = []
    for (round_, arm), cell in sorted(cells.items()):
        if not first <= round_ <= last or arm not in rows:
            continue
        x, y = left + _STEP * (round_ - first), _STEP * rows[arm]
        if cell.state == "passed":
            dots.append(f"M{x + 4.5:g} {y + 4.5:g}h2v2h-2z")
        else:
            inside.append(tag("g", hint(f"{arm}, round {round_}: {cell}"), *_sign(cell, x, y)))
    inside.append(tag("path", d="".join(dots), class_="passed", fill=_GREY))
    inside += [
        words(left + _STEP * (round_ - first) + _BOX / 2, _STEP * len(arms) + 12, str(round_),
              text_anchor="middle", class_="quiet", fill=_GREY)
        for round_ in range(first, max(last, first) + 1) if _marked(round_, first, last)
    ]  # fmt: skip
    width, height = left + _STEP * shown + 6, _STEP * len(arms) + _FOOT
    said = _in_words(cells, arms, first, last)
    return drawing(width, height, said, *inside, class_="picture")


def sign(state: str) -> str:
    """The sign of a state by itself, for a legend."""
    if state == "passed":
        shape = [tag("path", d="M4.5 4.5h2v2h-2z", class_="passed", fill=_GREY)]
    else:
        shape = _sign(Cell(state, 1.0), 0, 0)  # type: ignore[arg-type]  # one of the states
    return tag("svg", *shape, viewBox="0 0 11 11", width=11, height=11, aria_hidden="true")


def _name(arm: str, row: int, left: float, *, bold: bool) -> str:
    weight = "bold" if bold else None
    name = cut(arm, _LONGEST)
    return words(left - 8, _STEP * row + 9.5, name, text_anchor="end", class_="name",
                 font_weight=weight, fill="currentColor")  # fmt: skip


def _sign(cell: Cell, x: float, y: float) -> list[str]:
    if cell.state == "lost":
        path = f"M{x + 2:g} {y + 2:g}l7 7m0 -7l-7 7"
        return [tag("path", d=path, class_="lost", stroke=_RED, stroke_width=2, fill="none")]
    if cell.state == "waiting":
        return [tag("circle", cx=x + 5.5, cy=y + 5.5, r=4, class_="waiting", stroke=_AMBER,
                    stroke_width=2, fill="none")]  # fmt: skip
    high = (_BOX - 1) * min(max(cell.share, 0.0), 1.0)
    frame = tag("rect", x=x + 0.5, y=y + 0.5, width=_BOX - 1, height=_BOX - 1, class_="frame",
                stroke=_BLUE, stroke_width=1, fill="none")  # fmt: skip
    if high == 0:
        return [frame]
    fill = tag("rect", x=x + 0.5, y=y + _BOX - 0.5 - high, width=_BOX - 1, height=high,
               class_="told", fill=_BLUE)  # fmt: skip
    return [fill, frame]


def _marked(round_: int, first: int, last: int) -> bool:
    """The last round has its number, and as many others as there is room for."""
    if round_ == last:
        return True
    return last - round_ > 3 and (round_ == first or (round_ % 10 == 0 and round_ - first > 3))


def _in_words(cells: dict[Place, Cell], arms: Sequence[str], first: int, last: int) -> str:
    here = [cell for (round_, arm), cell in cells.items() if first <= round_ <= last]
    told = [cell.share for cell in here if cell.state == "told"]
    counts = {state: sum(cell.state == state for cell in here) for state in ("waiting", "lost")}
    return (
        f"Rounds {first} to {max(first, last)} of {len(arms)} arms: {len(told)} rewards told, "
        f"{sum(told):.4g} in all; {counts['waiting']} still to come, {counts['lost']} lost."
    )
