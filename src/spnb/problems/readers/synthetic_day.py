"""Made-up days in exactly the format of Yahoo! R6A, of any size, for tests and for trying out."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO

import numpy as np

from spnb.base import params
from spnb.base.files import write_whole
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.blocks import Progress
from spnb.engine.dice import checked_seed, generator

START = 1241160900  # the first stamp of the published log
STAMPS = 288  # five-minute steps of a day
LINES = 20_000
USERS = 500

MEAN_RATE = 0.04
RATE_SPREAD = 0.35  # sd of the logarithm
LOSS_PER_DAY = 0.25
SLOT_NOISE = 0.12


@dataclass(frozen=True)
class SyntheticDay:
    """A day of uniformly shown articles whose click rates fade and waver from slot to slot.

    The pool holds ``pool`` articles; each of the others replaces a random one at a random time.
    ``rates[article, slot]`` is exactly what the clicks are drawn with.
    """

    seed: int
    events: int = 100_000
    articles: int = 50
    pool: int = 20
    slots: int = 10

    def __post_init__(self) -> None:
        checked_seed(self.seed)
        for name in ("events", "articles", "pool", "slots"):
            params.whole(self, name, least=1)
        if self.pool > self.articles:
            params.refuse(self, "pool", f"at most the number of articles {self.articles}")

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """Six digits each, as in the log."""
        picked = self._dice("ids").choice(900_000, self.articles, replace=False)
        return tuple(str(100_000 + number) for number in picked.tolist())

    @cached_property
    def segments(self) -> list[tuple[int, int, IntArray]]:
        """(first event, last + 1, the articles of the pool), from replacement to replacement."""
        rng = self._dice("pool")
        times = np.sort(rng.integers(0, self.events, self.articles - self.pool))
        pool, out, start = np.arange(self.pool), [], 0
        for newcomer, time in enumerate(times.tolist(), start=self.pool):
            out.append((start, time, pool.copy()))
            pool[rng.integers(self.pool)] = newcomer
            start = time
        out.append((start, self.events, pool.copy()))
        return [segment for segment in out if segment[0] < segment[1]]

    @cached_property
    def rates(self) -> FloatArray:
        """[articles, slots]: the probability of a click."""
        rng = self._dice("rates")
        level = np.log(MEAN_RATE) - RATE_SPREAD**2 / 2
        base = np.exp(level + RATE_SPREAD * rng.standard_normal(self.articles))
        middle = (np.arange(self.slots) + 0.5) / self.slots
        entry = np.zeros(self.articles)
        for start, _, pool in reversed(self.segments):
            entry[pool] = start / self.events  # the earliest segment has the last word
        age = np.maximum(middle - entry[:, None], 0.0)
        noise = 1 + SLOT_NOISE * rng.standard_normal((self.articles, self.slots))
        faded = base[:, None] * (1 - LOSS_PER_DAY) ** age * noise
        return np.clip(faded, 0.0, 1.0)

    def write(self, path: str | Path, progress: Progress | None = None) -> None:
        """Write the day; gzip if the name ends in ``.gz``."""
        target = Path(path)

        def fill(draft: Path) -> None:
            with draft.open("wb") as raw:
                if target.suffix == ".gz":
                    # no name and no time inside: the same seed gives the same bytes
                    with gzip.GzipFile("", "wb", 4, raw, mtime=0) as zipped:
                        self._fill(zipped, progress)
                else:
                    self._fill(raw, progress)

        write_whole(target, fill)

    def _fill(self, out: "IO[bytes] | gzip.GzipFile", progress: Progress | None) -> None:
        done = 0
        for lines in self._blocks():
            out.write(b"".join(lines))
            done += len(lines)
            if progress is not None:
                progress(float(done), float(self.events))

    def _blocks(self) -> Iterator[list[bytes]]:
        rng = self._dice("events")
        features = _features(self._dice("features"), self.articles)
        users = [b" |user " + text for text in _features(self._dice("users"), USERS)]
        ids = [id_.encode() for id_ in self.ids]
        for first, last, pool in self.segments:
            offered = b"".join(b" |" + ids[a] + b" " + features[a] for a in pool.tolist()) + b"\n"
            for start in range(first, last, LINES):
                rank = np.arange(start, min(start + LINES, last))
                shown = pool[rng.integers(self.pool, size=len(rank))]
                rate = self.rates[shown, rank * self.slots // self.events]
                click = rng.random(len(rank)) < rate
                stamp = START + 300 * (rank * STAMPS // self.events)
                user = rng.integers(USERS, size=len(rank))
                columns = (stamp.tolist(), shown.tolist(), click.tolist(), user.tolist())
                yield [
                    b"%d %b %d%b%b" % (t, ids[a], c, users[u], offered)
                    for t, a, c, u in zip(*columns, strict=True)
                ]

    def _dice(self, purpose: str) -> np.random.Generator:
        return generator(self.seed, f"synthetic day, {purpose}")


def _features(rng: np.random.Generator, count: int) -> list[bytes]:
    """Five shares that add up to one and a constant, in the log's order and digits."""
    shares = rng.dirichlet(np.ones(5), count)
    words = [[f"{i}:{share:.6f}" for i, share in enumerate(row, start=2)] for row in shares]
    return [" ".join([*row, "1:1.000000"]).encode() for row in words]
