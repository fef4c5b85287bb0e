"""A series of readings, one after the other in time, cut into days and slots of the day."""

from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal

import numpy as np

from spnb.base import params
from spnb.base.errors import DataError, SpecError
from spnb.base.words import amount, shown
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.blocks import Progress
from spnb.problems.readers.amounts import Amounts
from spnb.problems.readers.batch import Batch
from spnb.problems.readers.cells import PICKS, Cells, Pick
from spnb.problems.readers.data import ProblemData
from spnb.problems.readers.limits import check_cells
from spnb.problems.readers.reward import Reward
from spnb.problems.readers.source import Layout, Source
from spnb.problems.readers.stamps import DAY, SECOND, Clock, Micros, Stamps

_EPOCH = date(1970, 1, 1)
_UNITS = {"h": 3600, "min": 60, "m": 60, "s": 1}

Missing = Literal["drop", "absent"]


@dataclass(frozen=True, slots=True)
class Window:
    """Which days count: from a first to a last one (both included), the latest ``last`` of them.

    ``last`` counts days that are kept, so a last day that is cut short does not use one up.
    """

    first: date | None = None
    until: date | None = None
    last: int | None = None

    def __post_init__(self) -> None:
        if self.last is not None:
            params.whole(self, "last", least=1)
        if self.first and self.until and self.first > self.until:
            raise SpecError(f"the window is empty: it goes from {self.first} to {self.until}")

    def holds(self, day: IntArray) -> "np.typing.NDArray[np.bool_]":
        low = -np.inf if self.first is None else (self.first - _EPOCH).days
        high = np.inf if self.until is None else (self.until - _EPOCH).days
        return (day >= low) & (day <= high)


@dataclass(slots=True)
class _Tally:
    """Rows that gave no reading, and whether any of the others has a time of day."""

    blank: int = 0
    outside: int = 0
    timed: bool = False

    def add(self, known: BoolArray, inside: BoolArray, batch: Batch, micros: Micros) -> None:
        self.blank += int((batch.chosen & ~known).sum())
        self.outside += int((known & ~inside).sum())
        self.timed = self.timed or bool((micros[known & inside] % DAY).any())


def read_series(
    path: str | Path,
    *,
    clock: Clock,
    value: str,
    reward: Reward,
    slot: str = "2h",
    per: str | None = None,
    pick: Pick = "mean",
    missing: Missing = "drop",
    window: Window | None = None,
    layout: Layout | None = None,
    block: int | None = None,
    progress: Progress | None = None,
) -> ProblemData:
    """The record [day, slot of the day] of a column of readings.

    Readings of the same day and slot become one value as ``pick`` says (with ``per`` the sum of
    ``value`` over that of ``per``: clicks per impressions), and ``reward`` makes it a reward. Every
    row counts: two rows of one stamp are two readings. A day that lacks a slot is dropped, or
    (``missing="absent"``) kept with that offer not made.
    """
    _check_choices(pick, per, missing)
    length, chosen, amounts = slot_seconds(slot), window or Window(), Amounts(value, per)
    cells, tally = _gather(Source(path, layout), clock, amounts, length, chosen, progress)
    if not tally.timed and clock.hour is None:
        raise DataError(
            f"every time in column {shown(clock.time)} is midnight: if it is only the date, name "
            "the column of the hour (--hour)"
        )
    slots = DAY // (length * SECOND)
    days, table = _dense(cells, cells.values(pick), slots)
    shows = _dense(cells, cells.weight, slots)[1]
    blank = amount(tally.blank, "row")
    notes = [f"{blank} without a time or a value left out"] if tally.blank else []
    kept = np.ones(len(days), dtype=bool)
    if missing == "drop":
        kept = _full_days(days, table, length, notes)
    if chosen.last is not None:
        kept &= np.cumsum(kept[::-1])[::-1] <= chosen.last
    days, table, shows = days[kept], table[kept], shows[kept]
    arms = _slots_seen(table, length, notes)
    amounts.check(table, reward)
    counted = per is not None and reward.as_told and cells.counts()
    notes += [] if per else reward.doubts(table)
    return ProblemData(
        name=f"{amounts.name} in {Path(path).name}",
        arms=tuple(slot_label(arm, length) for arm in arms.tolist()),
        table=reward.of(table[:, arms], _told_as(pick, per, cells)),
        rounds=tuple((_EPOCH + timedelta(days=day)).isoformat() for day in days.tolist()),
        block=default_block(len(days)) if block is None else block,
        notes=tuple(notes),
        shows=shows[:, arms] if counted else None,
        slots=_minutes(arms, length),
        zone=clock.zone,
        reward=reward.rule(table[:, arms]),
    )


def _told_as(pick: Pick, per: str | None, cells: Cells) -> str:
    """What the values of slots are called: no reader would know them from the file."""
    if per is not None or (cells.weight == 1).all():
        return "values"
    which = {"first": "first readings", "mean": "means", "max": "largest readings"}
    return f"{which[pick]} of the slots"


def _minutes(arms: IntArray, length: int) -> tuple[int, ...] | None:
    """When the slots begin; None where they are shorter than a minute."""
    return None if length % 60 else tuple((arms * (length // 60)).tolist())


def _check_choices(pick: str, per: str | None, missing: str) -> None:
    if pick not in PICKS or (per is not None and pick != "mean"):
        raise SpecError(f"pick must be one of {', '.join(PICKS)} (mean with per), got {pick!r}")
    if missing not in ("drop", "absent"):
        raise SpecError(f"missing must be 'drop' or 'absent', got {missing!r}")


def slot_seconds(slot: str) -> int:
    """``2h``, ``30min`` or ``90s`` in seconds; the day must hold a whole number of slots, 2 up."""
    unit = slot.lstrip("0123456789")
    number = slot[: len(slot) - len(unit)]
    seconds = int(number or 0) * _UNITS.get(unit, 0) if len(number) <= 6 else 0
    if seconds < 1 or 86_400 % seconds or seconds == 86_400:
        raise SpecError(
            f"a slot must be so many h, min or s that a day holds 2, 3, 4... of them, got {slot!r}"
        )
    return seconds


def slot_label(arm: int, length: int) -> str:
    """The time at which a slot begins."""
    start = arm * length
    text = f"{start // 3600:02d}:{start // 60 % 60:02d}"
    return text if length % 60 == 0 else f"{text}:{start % 60:02d}"


def default_block(rounds: int) -> int:
    """The cube root of the rounds: long enough to keep neighbouring days together."""
    return max(1, round(rounds ** (1 / 3)))


def _gather(
    source: Source,
    clock: Clock,
    amounts: Amounts,
    length: int,
    window: Window,
    progress: Progress | None,
) -> tuple[Cells, _Tally]:
    cells, tally, stamps = Cells.none(), _Tally(), Stamps(clock)
    slots = DAY // (length * SECOND)
    for batch in source.batches([*clock.columns, *amounts.columns], progress):
        micros, stamped = stamps.read(batch)
        values, weights = amounts.read(batch)
        known = stamped & ~np.isnan(values) & ~np.isnan(weights)
        day = micros // DAY
        inside = window.holds(day)
        tally.add(known, inside, batch, micros)
        use = known & inside
        key = day[use] * slots + micros[use] % DAY // (length * SECOND)
        cells = cells.plus(Cells.of(key, values[use], weights[use], micros[use]))
        check_cells(source.path, cells.key.size, 1)
    if not cells.key.size:
        raise DataError(
            f"{source.path} gives no reading: {amount(tally.blank, 'row')} without a time or a "
            f"value, {amount(tally.outside, 'row')} outside the days asked for"
        )
    return cells, tally


def _dense(cells: Cells, values: FloatArray, slots: int) -> tuple[IntArray, FloatArray]:
    """Days that have a reading, in order, and their table; nan where a slot has none."""
    days, row = np.unique(cells.key // slots, return_inverse=True)
    check_cells("the series", len(days), slots)
    table = np.full((len(days), slots), np.nan)
    table[row, cells.key % slots] = values
    return days, table


def _full_days(days: IntArray, table: FloatArray, length: int, notes: list[str]) -> BoolArray:
    """Which days have a reading in every slot."""
    present = ~np.isnan(table)
    full = present.all(axis=1)
    if not full.any():
        rare = int(present.sum(axis=0).argmin())
        raise DataError(
            f"no day has a reading in all {table.shape[1]} slots (slot "
            f"{slot_label(rare, length)} has them on {present[:, rare].sum()} of {len(days)} "
            "days): make slots longer (--slot), or keep such days, with missing slots as absent "
            "offers (--missing absent)"
        )
    if not full.all():
        dropped = int((~full).sum())
        most = "; --missing absent keeps them" if dropped > len(days) / 2 else ""
        notes.append(f"{dropped} of {len(days)} days dropped: a slot without a reading{most}")
    return np.asarray(full)


def _slots_seen(table: FloatArray, length: int, notes: list[str]) -> IntArray:
    """The slots that have a reading on some day."""
    present = ~np.isnan(table)
    seen = np.flatnonzero(present.any(axis=0))
    if len(seen) < 2:
        only = slot_label(int(seen[0]), length) if seen.size else "none"
        raise DataError(f"nothing to choose between: the only slot with readings is {only}")
    if len(seen) < table.shape[1]:
        never = amount(table.shape[1] - len(seen), "slot")
        notes.append(f"left out for want of any reading: {never}")
    gaps = int((~present[:, seen]).sum())
    if gaps:
        notes.append(f"absent offers: {gaps} of {len(table) * len(seen)}")
    return seen
