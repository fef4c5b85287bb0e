"""Tables for any terminal: columns are dropped or stacked, and nothing is ever cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions
from rich.text import Text

from spnb.base.words import with_signs_of
from spnb.report.svg import tag

_GAP = "  "
_MOST_ROWS = 60
_CAPTION = "caption-side:top;text-align:left;font-weight:bold;color:inherit"
_SMALL = "margin:.3em 0;opacity:.75;font-size:90%"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; where there is no room the one of the largest ``drop`` goes first, 0 never.

    ``means`` explains the column below the table, if it is shown.
    """

    title: str
    drop: int = 0
    left: bool = False
    means: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows below headers, the first column on the left; ``bold`` are numbers of rows."""

    title: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    bold: frozenset[int] = frozenset()
    rule: str = "─"

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """As wide as the terminal allows, in signs that it can show."""
        yield from self._spelled(options.encoding)._lines(options.max_width)

    def _spelled(self, encoding: str) -> "Grid":
        def spelled(text: str) -> str:
            return with_signs_of(encoding, text)

        return replace(
            self,
            columns=[replace(column, means=spelled(column.means)) for column in self.columns],
            rows=[list(map(spelled, row)) for row in self.rows],
            caption=spelled(self.caption),
            rule=spelled(self.rule),
        )

    def _lines(self, width: int) -> Iterator[Text]:
        """Fewer columns where there is no room, else one below the other."""
        kept = self._fitting(width)
        fits = self._width(kept) <= width
        if self.title:
            yield Text(self.title, style="bold")
        if fits:
            yield from self._side_by_side(kept)
        else:
            kept = list(range(len(self.columns)))
            yield from self._stacked()
        gone = [column.title for at, column in enumerate(self.columns) if at not in kept]
        for line in (
            self.explained(kept),
            gone and f"A wider terminal also shows: {', '.join(gone)}.",
        ):
            if line:
                yield Text(line, style="dim")

    def html(self, *lines: str) -> str:
        """All columns as a table for a notebook, ``lines`` of text below it.

        Colours are the page's own, light or dark. All text is escaped, and dollars are no formula.
        Of very many rows the first are shown, and those in bold.
        """
        kept = [n for n in range(len(self.rows)) if n < _MOST_ROWS or n in self.bold]
        head = tag("tr", *(self._cell("th", at, c.title) for at, c in enumerate(self.columns)))
        body = [
            tag("tr", *(self._cell("td", at, text, n) for at, text in enumerate(self.rows[n])))
            for n in kept
        ]
        left = len(self.rows) - len(kept)
        title = tag("caption", escape(self.title), style=_CAPTION)
        table = tag("table", title, tag("thead", head), tag("tbody", *body))
        below = [tag("p", escape(line), style="margin:.3em 0") for line in lines]
        said = " ".join(filter(None, [f"{left} more rows." if left else "", self.explained()]))
        small = [tag("p", escape(said), style=_SMALL)] if said else []
        return tag("div", table, *small, *below, class_="tex2jax_ignore mathjax_ignore")

    def _cell(self, kind: str, at: int, text: str, row: int | None = None) -> str:
        style = f"text-align:{'left' if at == 0 or self.columns[at].left else 'right'}"
        if self.columns[at].left:  # what is drawn with letters
            style += ";font-family:monospace;white-space:pre"
        style += ";font-weight:bold" if row in self.bold else ""
        return tag(kind, escape(text), style=style)

    def explained(self, kept: Sequence[int] | None = None) -> str:
        """What the signs and the columns mean: those that are shown, or all."""
        shown = [c for at, c in enumerate(self.columns) if kept is None or at in kept]
        said = [self.caption, *(column.means for column in shown)]
        return "; ".join(part for part in said if part) + "." * any(said)

    def _fitting(self, width: int) -> list[int]:
        """The places of the columns that are shown."""
        kept = list(range(len(self.columns)))
        while self._width(kept) > width:
            spare = [at for at in kept if self.columns[at].drop]
            if not spare:
                return kept
            kept.remove(max(spare, key=lambda at: self.columns[at].drop))
        return kept

    def _widths(self, kept: Sequence[int]) -> list[int]:
        return [
            max(
                cell_len(text) for text in (self.columns[at].title, *(row[at] for row in self.rows))
            )
            for at in kept
        ]

    def _width(self, kept: Sequence[int]) -> int:
        return sum(self._widths(kept)) + len(_GAP) * (len(kept) - 1)

    def _side_by_side(self, kept: Sequence[int]) -> Iterator[Text]:
        widths = self._widths(kept)
        titles = [column.title for column in self.columns]
        yield Text(self._line(titles, kept, widths))
        yield Text(self.rule * self._width(kept))
        for number, row in enumerate(self.rows):
            style = "bold" if number in self.bold else ""
            yield Text(self._line(row, kept, widths), style=style)

    def _line(self, texts: Sequence[str], kept: Sequence[int], widths: Sequence[int]) -> str:
        cells = []
        for at, width in zip(kept, widths, strict=True):
            space = " " * (width - cell_len(texts[at]))
            left = at == 0 or self.columns[at].left
            cells.append(texts[at] + space if left else space + texts[at])
        return _GAP.join(cells).rstrip()

    def _stacked(self) -> Iterator[Text]:
        """A row as lines of its own, a column each; what is empty needs no line."""
        width = max((cell_len(column.title) for column in self.columns[1:]), default=0)
        for number, row in enumerate(self.rows):
            yield Text(row[0], style="bold" if number in self.bold else "", overflow="fold")
            for column, text in zip(self.columns[1:], row[1:], strict=True):
                if text.strip():
                    yield Text(f"{_GAP}{column.title:{width}}{_GAP}{text}", overflow="fold")
