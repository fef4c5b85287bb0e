"""Time stamps of any kind as wall-clock time, in microseconds since 1970 on that clock."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from spnb.base.errors import DataError, SpecError
from spnb.engine.arrays import BoolArray
from spnb.problems.readers.batch import Batch, Column

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
LATEST = 1e11  # seconds since 1970, in the year 5138: larger numbers count something finer
QUARTER = 15 * 60  # seconds; clocks are set forward and back on quarters of an hour

Micros = NDArray[np.int64]

# A date, a time of day, and an offset; a date alone must not end in an "offset" of its day.
_PARTS = r"^(?P<wall>[^T ]+(?:[T ][0-9:.]+)?) ?(?P<offset>Z|[+-][0-9]{2}:?[0-9]{2}|[+-][0-9]{2})?$"
_DATED = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_HAS_OFFSET = r"[T ][0-9:.]+ ?(Z|[+-][0-9]{2}:?[0-9]{0,2})$"


@dataclass(frozen=True)
class Clock:
    """Which columns tell the time, how they are written, and whose clock counts.

    ``form`` is a pattern such as ``%d.%m.%Y %H:%M``, or ``unix`` for seconds since 1970; left out,
    stamps are ISO 8601. ``hour`` names a column with the hour of the day (8, 8.5 or 08:30) if the
    time column has only the date. Without a ``zone`` a stamp's own clock counts, offset or not;
    with one, stamps that say their offset are brought to that zone, and those that do not are
    taken to be on its clock already, or on that of ``stamps_in``.
    """

    time: str
    hour: str | None = None
    form: str | None = None
    zone: str | None = None
    stamps_in: str | None = None

    def __post_init__(self) -> None:
        for name in (self.zone, self.stamps_in):
            _zone(name)
        if self.stamps_in is not None and self.zone is None:
            raise SpecError("stamps_in needs a zone to bring the stamps to")

    @property
    def columns(self) -> list[str]:
        return [self.time] if self.hour is None else [self.time, self.hour]


class Stamps:
    """The stamps of one file, batch after batch, as a clock says."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.offsets: bool | None = None  # whether the stamps so far say their offset

    def read(self, batch: Batch) -> tuple[Micros, BoolArray]:
        """Wall-clock microseconds, and which rows have a stamp at all."""
        clock = self.clock
        micros, known, is_utc = self._stamps(batch)
        if clock.hour is not None:
            hours, told = _hours(batch, clock.hour)
            micros, known = micros + hours, known & told
        if not is_utc and clock.stamps_in is not None:
            micros = micros - _offset(micros, _zone(clock.stamps_in), local=True)
            is_utc = True
        if is_utc:
            micros = micros + _offset(micros, _zone(clock.zone))
        return micros, known

    def _stamps(self, batch: Batch) -> tuple[Micros, BoolArray, bool]:
        """Microseconds, which of them are known, and whether they count from 1970 in UTC."""
        import pyarrow as pa

        time, form = self.clock.time, self.clock.form
        if form == "unix":
            seconds = batch.numbers(time)
            finer = "a time in seconds since 1970: are these milliseconds?"
            batch.refuse(np.abs(seconds) > LATEST, time, finer)
            known = ~np.isnan(seconds)
            return (np.where(known, seconds, 0) * SECOND).astype(np.int64), known, True
        if pa.types.is_temporal(batch.columns[time].type):
            return self._typed(batch.columns[time])
        text = batch.texts(time)
        return _micros(*(self._iso(batch, text) if form is None else self._by_form(batch, text)))

    def _typed(self, column: Column) -> tuple[Micros, BoolArray, bool]:
        """A Parquet column that is a time already."""
        import pyarrow as pa
        import pyarrow.compute as pc

        own = getattr(column.type, "tz", None)
        micros, known, _ = _micros(pc.cast(column, pa.timestamp("us", own)), own is not None)
        if own is not None and self.clock.zone is None:
            return micros + _offset(micros, _zone(own)), known, False
        return micros, known, own is not None

    def _by_form(self, batch: Batch, text: Column) -> tuple[Column, bool]:
        import pyarrow.compute as pc

        form = self.clock.form
        stamps = pc.strptime(text, format=form, unit="us", error_is_null=True)
        batch.refuse(_lost(text, stamps), self.clock.time, f"a time of the form {form!r}")
        return stamps, stamps.type.tz is not None

    def _iso(self, batch: Batch, text: Column) -> tuple[Column, bool]:
        import pyarrow as pa
        import pyarrow.compute as pc

        what = "an ISO 8601 time such as 2006-02-21T08:00 (or give the time's form)"
        time = self.clock.time
        with_offset = self._with_offset(batch, text)
        if with_offset and self.clock.zone is not None:
            return batch.cast(text, time, pa.timestamp("us", "UTC"), what), True
        if with_offset:
            wall = pc.struct_field(pc.extract_regex(text, _PARTS), "wall")
            batch.refuse(_lost(text, wall), time, what)
            text = wall
        return batch.cast(text, time, pa.timestamp("us"), what), False

    def _with_offset(self, batch: Batch, text: Column) -> bool:
        """Whether stamps say their offset from UTC; those of a file all do, or none does."""
        import pyarrow.compute as pc

        has = pc.fill_null(pc.match_substring_regex(text, _HAS_OFFSET), False).to_numpy(False)
        if not has.any() and not self.offsets:  # as most files are
            self.offsets = False if text.null_count < len(text) else None
            return False
        dated = pc.fill_null(pc.match_substring_regex(text, _DATED), False).to_numpy(False)
        if self.offsets is None and dated.any():
            self.offsets = bool(has[dated.argmax()])
        odd = np.flatnonzero(dated & (has != self.offsets))
        if len(odd):
            ways = ("has an offset from UTC", "have none")
            if self.offsets:
                ways = ("has no offset from UTC", "have one")
            said = batch.said_of(int(odd[0]), self.clock.time)
            raise DataError(f"{said} {ways[0]}, the rows before it {ways[1]}")
        return bool(self.offsets)


def _micros(stamps: Column, is_utc: bool) -> tuple[Micros, BoolArray, bool]:
    import pyarrow as pa
    import pyarrow.compute as pc

    known: BoolArray = np.asarray(pc.is_valid(stamps).to_numpy(False))
    micros = pc.fill_null(pc.cast(stamps, pa.int64()), 0).to_numpy(False)
    return np.asarray(micros), known, is_utc


def _lost(text: Column, parsed: Column) -> BoolArray:
    import pyarrow.compute as pc

    return np.asarray(pc.and_(pc.is_valid(text), pc.is_null(parsed)).to_numpy(False))


def _hours(batch: Batch, name: str) -> tuple[Micros, BoolArray]:
    """The time of day: hours as a number, or as hours, minutes (and seconds) with colons."""
    import pyarrow as pa
    import pyarrow.compute as pc

    what = "an hour of the day from 0 to 24"
    column = batch.texts(name)
    first = pc.drop_null(column)[:1]
    if len(first) and ":" in first[0].as_py():
        day = pc.binary_join_element_wise("1970-01-01", column, "T")
        stamps = batch.cast(day, name, pa.timestamp("us"), what)
        micros, known, _ = _micros(stamps, is_utc=False)
        return micros, known
    hours = batch.numbers(name)
    batch.refuse((hours < 0) | (hours >= 24), name, what)
    known = ~np.isnan(hours)
    return np.rint(np.where(known, hours, 0) * HOUR).astype(np.int64), known


def _zone(name: str | None) -> ZoneInfo | None:
    if name is None:
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise DataError(f"no time zone {name!r}; zones have names such as Europe/Rome") from None


def _offset(micros: Micros, zone: ZoneInfo | None, local: bool = False) -> Micros:
    """What the zone's clock is ahead of UTC, found once for every quarter of an hour.

    ``micros`` count in UTC, or on the zone's own clock if ``local``.
    """
    if zone is None:
        return np.zeros_like(micros)
    quarters, place = np.unique(micros // (QUARTER * SECOND), return_inverse=True)
    ahead = [_ahead(quarter * QUARTER, zone, local) for quarter in quarters.tolist()]
    return (np.array(ahead, dtype=np.int64) * SECOND)[place]


def _ahead(seconds: int, zone: ZoneInfo, local: bool) -> int:
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        there = moment.replace(tzinfo=zone) if local else moment.astimezone(zone)
        return int((there.utcoffset() or timedelta()).total_seconds())
    except OverflowError:
        raise DataError(f"no calendar reaches second {seconds} since 1970") from None
