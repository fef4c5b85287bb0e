"""Arms as clock times: which one is on offer at a given moment, and until when.

A round is a day or a week. Slots are times on the wall clock, counted in minutes from the
midnight that begins the round; a slot stands until the next one begins, the last one until the
first would begin again. Everything rests on one rule, which also settles daylight saving: a time
on the clock means the first instant at which the clock shows it or is past it. So a time that
occurs twice counts once, and a slot whose whole stretch is skipped never occurs.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from spnb.base.errors import DataError, SpecError
from spnb.base.words import shown

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_DAY = 24 * 60  # minutes
_LONGEST = 36_500 * _DAY  # a hundred years
_YEARS = range(1970, 2200)  # other dates are typing errors, and some of them no clock can show
_UNITS = {"m": 1, "h": 60, "d": _DAY, "w": 7 * _DAY}
_WEEKDAYS = r"(?P<first>[a-z]{3})(?:-(?P<last>[a-z]{3}))?"
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?:/(?P<step>\w+))?"
_ENTRY = re.compile(rf"(?:{_WEEKDAYS})?\s*(?:{_TIME})?")

Slots = Callable[[int], Sequence[int]]
"""The slots of a round: arms may come and go between rounds."""


def time_text(minute: int) -> str:
    """A minute of the day as a clock shows it: ``08:00``."""
    return f"{minute // 60:02d}:{minute % 60:02d}"


@dataclass(frozen=True, slots=True)
class Offer:
    """An arm on offer, by its place in the round, from one moment until another."""

    round: int
    arm: int
    start: datetime
    until: datetime


@dataclass(frozen=True)
class Schedule:
    """When each arm is on offer.

    ``window`` (minutes) closes a slot before the next one begins; ``days`` are the weekdays
    (Monday is 0) that count as rounds when a round is a day; ``start`` is the first round's date.
    """

    slots: tuple[int, ...]
    zone: str
    weekly: bool = False
    days: tuple[int, ...] = tuple(range(7))
    window: int | None = None
    start: date | None = None

    def __post_init__(self) -> None:
        for name in ("slots", "days"):
            if isinstance(getattr(self, name), list):
                object.__setattr__(self, name, tuple(getattr(self, name)))
        _zone(self.zone)
        if type(self.weekly) is not bool:
            raise SpecError(f"weekly must be true or false, got {shown(self.weekly)}")
        if list(self.slots) != sorted(set(self.slots)) or not self.slots:
            raise SpecError(f"slots must be different times in order, got {shown(self.slots)}")
        if not _whole(self.slots, range(self._length())):
            raise SpecError(f"slots must be minutes of the round, got {shown(self.slots)}")
        if not self.days or not _whole(self.days, range(7)):
            raise SpecError(f"days must be weekdays from 0 to 6, got {shown(self.days)}")
        if self.window is not None and not _whole([self.window], range(1, _LONGEST + 1)):
            raise SpecError(f"window must be 1 to {_LONGEST} minutes, got {shown(self.window)}")
        if self.start is not None and self.start.year not in _YEARS:
            raise SpecError(f"a schedule starts in {_span()}, got {self.start.isoformat()}")

    @classmethod
    def parse(
        cls,
        slots: str,
        zone: str | None = None,
        days: str | None = None,
        window: str | None = None,
        start: str | None = None,
    ) -> "Schedule":
        """From words: ``00:00/2h``, ``08:00,12:30,18:00``, ``mon 08:00,thu 18:00``, ``mon-fri``."""
        entries = [_entry(part.strip().lower(), slots) for part in slots.split(",")]
        weekly = entries[0][0]
        if any(kind != weekly for kind, _ in entries):
            raise SpecError(f"either all slots have a weekday or none has one, got {slots!r}")
        minutes = sorted(minute for _, part in entries for minute in part)
        if len(set(minutes)) < len(minutes):
            raise SpecError(f"every slot must be given once, got {slots!r}")
        if weekly and days is not None:
            raise SpecError(f"slots with weekdays need no days beside, got {days!r}")
        return cls(
            tuple(minutes),
            zone or local_zone(),
            weekly,
            tuple(range(7)) if days is None else _weekdays(days),
            None if window is None else minutes_of(window),
            None if start is None else _date(start),
        )

    def label(self, slot: int) -> str:
        """What a slot is called: ``08:00``, ``mon 08:00``, or ``mon`` where no times matter."""
        clock = time_text(slot % _DAY)
        if not self.weekly:
            return clock
        day = DAYS[slot // _DAY]
        return day if all(each % _DAY == 0 for each in self.slots) else f"{day} {clock}"

    def holds(self, slot: int) -> bool:
        """Whether a slot lies in a round."""
        return 0 <= slot < self._length()

    def offer(self, instant: datetime, slots: Slots) -> Offer | None:
        """What is on offer at this moment, if anything."""
        for base in self._bases(instant):
            round_ = self._round(base)
            if round_ is None:
                continue
            minutes = slots(round_)
            edges = [self._instant(base, minute) for minute in minutes]
            edges.append(self._instant(base, minutes[0] + self._length()))
            if edges[0] <= instant < edges[-1]:
                arm = bisect_right(edges, instant) - 1
                until = edges[arm + 1]
                if self.window is not None:
                    until = min(until, self._instant(base, minutes[arm] + self.window))
                return Offer(round_, arm, edges[arm], until) if instant < until else None
        return None

    def coming(self, instant: datetime, slots: Slots) -> datetime | None:
        """When the next slot begins."""
        base = next(self._bases(instant))
        step = 7 if self.weekly else 1
        first = max(base, self._first_base())
        for ahead in range(9):
            day = first + timedelta(days=ahead * step)
            round_ = self._round(day)
            edges = [] if round_ is None else [self._instant(day, m) for m in slots(round_)]
            later = [edge for edge in edges if edge > instant]
            if later:
                return later[0]
        return None

    def at(self, moment: datetime) -> datetime:
        """A moment in UTC; one without a time zone is meant as the schedule's clock shows it."""
        if moment.year not in _YEARS:
            raise DataError(f"a time lies in {_span()}, got {moment.isoformat()}")
        aware = moment if moment.tzinfo else moment.replace(tzinfo=_zone(self.zone))
        return aware.astimezone(UTC)

    def local(self, instant: datetime) -> datetime:
        """A moment as the schedule's clock shows it."""
        return instant.astimezone(_zone(self.zone))

    def day_of(self, round_: int) -> date:
        """The day on which a round begins, counted from 1."""
        first = self._first_base()
        if self.weekly:
            return first + timedelta(weeks=round_ - 1)
        weeks, rest = divmod(round_ - 1, len(self.days))
        days = [first + timedelta(days=day) for day in range(7)]
        return [day for day in days if day.weekday() in self.days][rest] + timedelta(weeks=weeks)

    def round_at(self, instant: datetime) -> int:
        """The last round that has begun by the day of this moment, from 1; 0 before the first."""
        return max(self._count(next(self._bases(instant))), 0)

    def starting(self, instant: datetime) -> "Schedule":
        """The same schedule, its first round being that of this moment."""
        values = {**self.__dict__, "start": self.local(instant).date()}
        return Schedule(**values)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {**asdict(self), "start": self.start.isoformat() if self.start else None}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Schedule":
        """The schedule that ``to_dict`` described."""
        start = date.fromisoformat(data["start"]) if data["start"] else None
        lists = {name: tuple(data[name]) for name in ("slots", "days")}
        return cls(**{**data, **lists, "start": start})

    def _length(self) -> int:
        return 7 * _DAY if self.weekly else _DAY

    def _bases(self, instant: datetime) -> Iterator[date]:
        """The days whose rounds may be on now: today's (this week's), then the one before."""
        today = self.local(instant).date()
        if self.weekly:
            today -= timedelta(days=today.weekday())
        yield today
        yield today - timedelta(minutes=self._length())

    def _first_base(self) -> date:
        if self.start is None:
            raise SpecError("a schedule begins with a campaign: it has no first day yet")
        return self.start - timedelta(days=self.start.weekday()) if self.weekly else self.start

    def _round(self, base: date) -> int | None:
        """The number of the round that begins on this day, from 1; None if none does."""
        if base < self._first_base() or (not self.weekly and base.weekday() not in self.days):
            return None
        return self._count(base)

    def _count(self, base: date) -> int:
        """The rounds that begin until this day."""
        first = self._first_base()
        if self.weekly:
            return (base - first).days // 7 + 1
        weeks, rest = divmod((base - first).days + 1, 7)
        return weeks * len(self.days) + sum(
            (first + timedelta(days=day)).weekday() in self.days for day in range(rest)
        )

    def _instant(self, base: date, minute: int) -> datetime:
        return first_instant(datetime.combine(base, time()) + timedelta(minutes=minute), self.zone)


def first_instant(clock: datetime, zone: str) -> datetime:
    """The first instant, in UTC, at which the clock of this zone shows this time or is past it."""
    place = _zone(zone)
    instant = clock.replace(tzinfo=place, fold=0).astimezone(UTC)
    if instant.astimezone(place).replace(tzinfo=None) == clock:
        return instant
    # The clock skips this time: look for the jump, which lies between its two readings.
    before = clock.replace(tzinfo=place, fold=1).astimezone(UTC)
    while instant - before > timedelta(seconds=1):
        middle = (before + (instant - before) / 2).replace(microsecond=0)
        shows = middle.astimezone(place).replace(tzinfo=None)
        before, instant = (before, middle) if shows >= clock else (middle, instant)
    return instant


def minutes_of(text: str) -> int:
    """A length of time such as ``30m``, ``2h``, ``3d`` or ``1w``, in minutes."""
    match = isinstance(text, str) and re.fullmatch(r"(\d{1,9})([mhdw])", text.strip().lower())
    minutes = int(match[1]) * _UNITS[match[2]] if match else 0
    if not 0 < minutes <= _LONGEST:
        rule = "a length of time is written 30m, 2h, 3d or 1w, up to 36500d"
        raise SpecError(f"{rule}, got {shown(text)}")
    return minutes


def length_text(minutes: int) -> str:
    """A length of time as ``minutes_of`` reads it."""
    unit = next(unit for unit in ("w", "d", "h", "m") if minutes % _UNITS[unit] == 0)
    return f"{minutes // _UNITS[unit]}{unit}"


def local_text(time: datetime, schedule: Schedule | None, *, seconds: bool = False) -> str:
    """A moment on the schedule's clock (else on this machine's), with its zone."""
    here = time.astimezone() if schedule is None else schedule.local(time)
    clock = "%H:%M:%S" if seconds else "%H:%M"
    return here.strftime(f"%Y-%m-%d {clock} %Z")


def until_text(until: datetime, now: datetime) -> str:
    """The end of an offer on its own clock: with the weekday, or the date, if it is not today."""
    clock = until.strftime("%H:%M %Z")
    here = now.astimezone(until.tzinfo) if now.tzinfo else now
    days = (until.date() - here.date()).days
    if days == 0:
        return clock
    day = DAYS[until.weekday()] if 0 < days < 7 else until.date().isoformat()
    return f"{day} {clock}"


def _whole(numbers: Sequence[object], allowed: range) -> bool:
    return all(type(number) is int and number in allowed for number in numbers)


def _span() -> str:
    return f"the years {_YEARS.start} to {_YEARS.stop - 1}"


def local_zone() -> str:
    """The time zone of this machine, UTC where it cannot be told."""
    named = os.environ.get("TZ", "").lstrip(":")
    linked = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")[2]
    for name in (named, linked):
        try:
            return ZoneInfo(name).key if name else "UTC"
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    return "UTC"


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        raise SpecError(f"a time zone is a name such as Europe/Rome, got {shown(name)}") from None


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise SpecError(f"a date is written 2026-05-01, got {text!r}") from None


def _entry(text: str, whole: str) -> tuple[bool, list[int]]:
    """One part of ``--slots``: whether it names weekdays, and its minutes."""
    match = _ENTRY.fullmatch(text)
    if not text or match is None:
        rule = "times such as 08:00,12:30 or 00:00/2h, or weekdays such as mon,thu 18:00"
        raise SpecError(f"slots are {rule}, got {whole!r}")
    start = int(match["hour"] or 0) * 60 + int(match["minute"] or 0)
    if start >= _DAY or int(match["minute"] or 0) > 59:
        raise SpecError(f"a time of day lies between 00:00 and 23:59, got {text!r}")
    step = minutes_of(match["step"]) if match["step"] else _DAY
    times = list(range(start, _DAY, step))
    if match["first"] is None:
        return False, times
    span = match["first"] + (f"-{match['last']}" if match["last"] else "")
    return True, [day * _DAY + minute for day in _weekdays(span) for minute in times]


def _weekdays(text: str) -> tuple[int, ...]:
    """``mon-fri,sun`` as numbers."""
    days: set[int] = set()
    for part in text.lower().split(","):
        first, _, last = part.strip().partition("-")
        if first not in DAYS or (last or first) not in DAYS:
            raise SpecError(
                f"weekdays are {', '.join(DAYS)} or a span such as mon-fri, got {text!r}"
            )
        low, high = DAYS.index(first), DAYS.index(last or first)
        days.update(day % 7 for day in range(low, high + 1 + (7 if high < low else 0)))
    return tuple(sorted(days))
