"""Click logs in the format of Yahoo! R6A: ``time article click |features...``, one line an event.

Only the first three words of a line count; odd features do no harm. The day is cut into slots of
equally many events, by rank, since many lines share a stamp. Memory does not grow with the file:
events wait for the cut in a temporary file, four bytes each.
"""

import gzip
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from spnb.base.errors import DataError
from spnb.base.words import shown as quoted
from spnb.engine.arrays import IntArray
from spnb.engine.blocks import Progress
from spnb.problems.readers.data import ProblemData
from spnb.problems.readers.limits import check_cells, check_file, check_labels

BLOCK = 1 << 20
HEAD = 160  # bytes of a line in which its first three words are looked for
LONGEST_LINE = 1 << 24
MOST_MALFORMED = 0.01
MOST_SLOTS = 10_000


@dataclass(frozen=True, slots=True)
class Article:
    """How often an article was shown and clicked in each slot of the day."""

    id: str
    shown: IntArray  # [slots]
    clicks: IntArray  # [slots]


@dataclass(frozen=True, slots=True)
class ClickLog:
    """One day or several: events by article and slot, and what had to be left out."""

    articles: tuple[Article, ...]  # in order of first appearance
    events: int
    malformed: int
    first_malformed: str | None  # "day.gz, line 17"

    def article(self, id_: str) -> Article:
        for article in self.articles:
            if article.id == id_:
                return article
        raise DataError(f"no article {id_!r} in the log; it has {len(self.articles)} others")

    def most_shown(self) -> Article:
        """The article with the most events among those seen in the most slots."""
        return max(self.articles, key=lambda a: (np.count_nonzero(a.shown), a.shown.sum()))

    def pooled(self) -> Article:
        """All articles as if they were one."""
        shown = np.sum([a.shown for a in self.articles], axis=0)
        return Article("all", shown, np.sum([a.clicks for a in self.articles], axis=0))


def click_problem(article: Article, *, least: int = 1, notes: Sequence[str] = ()) -> ProblemData:
    """An article as a problem: the slots in which it was shown, each with its click rate."""
    seen = np.flatnonzero(article.shown >= max(least, 1))
    if len(seen) < 2:
        raise DataError(
            f"article {article.id} was shown at least {max(least, 1)} times in {len(seen)} of "
            f"{len(article.shown)} slots: nothing to choose between"
        )
    shown, clicks = article.shown[seen], article.clicks[seen]
    return ProblemData(
        name=f"clicks on article {article.id}",
        arms=tuple(f"slot {i + 1}" for i in seen.tolist()),
        means=tuple((clicks / shown).tolist()),
        trials=tuple(shown.tolist()),
        notes=tuple(notes),
    )


def read_day(path: str | Path, slots: int = 10) -> list[Article]:
    """Every article of one day file, gzip or plain, with its events and clicks in each slot."""
    return list(read_log([path], slots).articles)


def read_log(
    paths: Sequence[str | Path], slots: int = 10, progress: Progress | None = None
) -> ClickLog:
    """Day files, each cut into its own slots, added up slot by slot."""
    if isinstance(slots, bool) or not isinstance(slots, int) or not 1 <= slots <= MOST_SLOTS:
        raise DataError(f"slots must be a whole number from 1 to {MOST_SLOTS}, got {quoted(slots)}")
    files = [Path(path) for path in paths]
    for path in files:
        check_file(path)
    tally = _Tally()
    total = float(sum(path.stat().st_size for path in files))
    report = progress or (lambda done, all_of_it: None)
    before = 0.0
    counts = np.zeros((slots, 0), dtype=np.intp)
    for path in files:
        counts = _add(counts, _read_file(path, slots, tally, before, total, report))
        before += path.stat().st_size
    shown, clicks = counts[:, 0::2] + counts[:, 1::2], counts[:, 1::2]
    ids = [key.decode(errors="replace") for key in tally.ids]
    articles = tuple(Article(id_, shown[:, i], clicks[:, i]) for i, id_ in enumerate(ids))
    return ClickLog(articles, tally.events, tally.malformed, tally.first_malformed)


@dataclass(slots=True)
class _Tally:
    """What is remembered from block to block: articles by number, and the lines left out."""

    ids: dict[bytes, int] = field(default_factory=dict)
    codes: dict[tuple[bytes, bytes], int] = field(default_factory=dict)
    events: int = 0
    malformed: int = 0
    first_malformed: str | None = None

    def code(self, article: bytes, click: bytes) -> int | None:
        """2 x the article's number + click; none if this is no click."""
        if click not in (b"0", b"1"):
            return None
        number = self.ids.setdefault(article, len(self.ids))
        return self.codes.setdefault((article, click), 2 * number + (click == b"1"))


def _read_file(
    path: Path, slots: int, tally: _Tally, before: float, total: float, report: Progress
) -> IntArray:
    """[slots, 2 x articles]: events without and with a click."""
    events, malformed, lines = 0, 0, 0
    with path.open("rb") as raw, tempfile.TemporaryFile() as spool:
        for block in _lines(path, raw):
            codes, bad = _codes(block, tally)
            if bad:
                malformed += len(bad)
                place = f"{path}, line {lines + bad[0] + 1}"
                tally.first_malformed = tally.first_malformed or place
            check_labels(path, tally.ids)
            spool.write(np.array(codes, dtype=np.uint32).tobytes())
            events, lines = events + len(codes), lines + len(block)
            report(before + raw.tell(), total)
        _check(path, lines, malformed, tally)
        tally.events += events
        tally.malformed += malformed
        check_cells(path, slots, 2 * len(tally.ids))
        return _cut(spool, events, slots, 2 * len(tally.ids))


def _codes(lines: list[bytes], tally: _Tally) -> tuple[list[int], list[int]]:
    """The codes of good lines, and the places of bad ones."""
    known = tally.codes
    codes: list[int] = []
    bad: list[int] = []
    for place, line in enumerate(lines):
        words = line[:HEAD].split(None, 3)
        code = None
        if len(words) >= 3 and words[0].isdigit():
            # a lookup for nearly every line; the checks are for pairs not seen before
            code = known.get((words[1], words[2]))
            if code is None:
                code = tally.code(words[1], words[2])
        if code is None:
            bad.append(place)
        else:
            codes.append(code)
    return codes, bad


def _check(path: Path, lines: int, malformed: int, tally: _Tally) -> None:
    if lines == 0:
        raise DataError(f"{path} is empty: a click log has a line for each event")
    if malformed > MOST_MALFORMED * lines:
        raise DataError(
            f"{path} is no click log: {malformed} of {lines} lines do not begin with "
            f"'seconds article 0-or-1', the first is at {tally.first_malformed}"
        )


def _lines(path: Path, raw: IO[bytes]) -> Iterator[list[bytes]]:
    """The lines of a file, gzip or plain, block by block."""
    zipped = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    source: IO[bytes] | gzip.GzipFile = gzip.GzipFile(fileobj=raw) if zipped else raw
    rest = b""
    try:
        while block := source.read(BLOCK):
            lines = (rest + block).split(b"\n")
            rest = lines.pop()
            if len(rest) > LONGEST_LINE:
                raise DataError(f"{path} is no click log: a line of more than {LONGEST_LINE} bytes")
            yield lines
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(f"{path} is damaged: {error}") from error
    if rest.strip():
        yield [rest]


def _cut(spool: IO[bytes], events: int, slots: int, width: int) -> IntArray:
    """Count each code in each slot; event number r of n falls into slot r * slots // n."""
    counts = np.zeros(slots * width, dtype=np.intp)
    spool.seek(0)
    start = 0
    while block := spool.read(BLOCK):
        codes: NDArray[np.uint32] = np.frombuffer(block, dtype=np.uint32)
        slot = np.arange(start, start + len(codes)) * slots // events
        counts += np.bincount(slot * width + codes, minlength=slots * width)
        start += len(codes)
    return counts.reshape(slots, width)


def _add(first: IntArray, second: IntArray) -> IntArray:
    """A later file may know more articles."""
    wider = np.zeros_like(second)
    wider[:, : first.shape[1]] = first
    return wider + second
