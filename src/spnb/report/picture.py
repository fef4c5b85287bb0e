"""The round x arm picture: what became of every offer, the learning at a glance."""

from collections.abc import Iterable, Sequence

from spnb.base.words import cut
from spnb.live.campaign.rewards import reward_text
from spnb.live.campaign.story import Became, Cell
from spnb.report.svg import drawing, hint, tag, words

_STEP, _BOX = 13, 11  # from one cell to the next, and a cell itself
_LETTER = 7.2  # the width of a letter, about; bold ones are wide
_LONGEST = 16  # letters of an arm's name
_FOOT = 18  # for the numbers of the rounds
_GREY, _BLUE, _AMBER, _RED = "#7c8794", "#0b5c94", "#8a5300", "#a32531"
_WORDS = {"pass": "passed", "open": "pulled, reward to come", "lost": "pulled, reward lost"}


def rounds_picture(
    cells: Iterable[Cell], arms: Sequence[str], *, first: int, shown: int, best: str | None = None
) -> str:
    """So many rounds from the first on, one column each; the arms in their order, a row each.

    A dot is a pass; a box is a pull, filled as high as its reward (see ``highest``); a ring is one
    whose reward is still to come, a cross one whose reward was lost. Where nothing stands,
    nothing was decided.
    """
    rows = {arm: row for row, arm in enumerate(arms)}
    here = [cell for cell in cells if first <= cell.round < first + shown and cell.arm in rows]
    last, top = max((cell.round for cell in here), default=first), highest(here)
    left = 10 + _LETTER * max((min(len(arm), _LONGEST) for arm in arms), default=0)
    inside = [_name(arm, row, left, bold=arm == best) for arm, row in rows.items()]
    dots: list[str] = []
    for cell in here:
        x, y = left + _STEP * (cell.round - first), _STEP * rows[cell.arm]
        if cell.became == "pass":
            dots.append(f"M{x + 4.5:g} {y + 4.5:g}h2v2h-2z")
        else:
            inside.append(
                tag("g", hint(_said(cell)), *_sign(cell.became, _share(cell) / top, x, y))
            )
    inside.append(tag("path", d="".join(dots), class_="pass", fill=_GREY))
    inside += [
        words(left + _STEP * (round_ - first) + _BOX / 2, _STEP * len(arms) + 12, str(round_),
              text_anchor="middle", class_="quiet", fill=_GREY)
        for round_ in range(first, last + 1) if _marked(round_, first, last)
    ]  # fmt: skip
    width, height = left + _STEP * shown + 6, _STEP * len(arms) + _FOOT
    return drawing(width, height, _in_words(here, arms, first, last), *inside, class_="picture")


def highest(cells: Iterable[Cell]) -> float:
    """The reward that fills a box: the largest there is, for clicks are few."""
    return max(map(_share, cells), default=0.0) or 1.0


def sign(became: Became) -> str:
    """The sign of what became of an offer by itself, for a legend."""
    dot = [tag("path", d="M4.5 4.5h2v2h-2z", class_="pass", fill=_GREY)]
    shape = dot if became == "pass" else _sign(became, 1.0, 0, 0)
    return tag("svg", *shape, viewBox="0 0 11 11", width=11, height=11, aria_hidden="true")


def _share(cell: Cell) -> float:
    return cell.reward / cell.trials


def _said(cell: Cell) -> str:
    what = _WORDS.get(cell.became) or f"pulled, reward {reward_text(cell.reward, cell.trials)}"
    return f"{cell.arm}, round {cell.round}: {what}"


def _name(arm: str, row: int, left: float, *, bold: bool) -> str:
    weight = "bold" if bold else None
    name = cut(arm, _LONGEST)
    return words(left - 8, _STEP * row + 9.5, name, text_anchor="end", class_="name",
                 font_weight=weight, fill="currentColor")  # fmt: skip


def _sign(became: Became, share: float, x: float, y: float) -> list[str]:
    if became == "lost":
        path = f"M{x + 2:g} {y + 2:g}l7 7m0 -7l-7 7"
        return [tag("path", d=path, class_="lost", stroke=_RED, stroke_width=2, fill="none")]
    if became == "open":
        return [tag("circle", cx=x + 5.5, cy=y + 5.5, r=4, class_="open", stroke=_AMBER,
                    stroke_width=2, fill="none")]  # fmt: skip
    high = (_BOX - 1) * min(max(share, 0.0), 1.0)
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


def _in_words(cells: Sequence[Cell], arms: Sequence[str], first: int, last: int) -> str:
    told = [cell.reward for cell in cells if cell.became == "told"]
    waiting, lost = (sum(cell.became == what for cell in cells) for what in ("open", "lost"))
    return (
        f"Rounds {first} to {last} of {len(arms)} arms: {len(told)} rewards told, "
        f"{sum(told):.4g} in all; {waiting} still to come, {lost} lost."
    )
