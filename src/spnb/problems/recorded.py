"""A recorded table of rewards, replayed."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from spnb.base import params
from spnb.base.errors import DataError
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import Keys, stream_keys, uniform, unit
from spnb.engine.state import Count, Grid, Kind
from spnb.problems.base import Faced, World, Worlds, as_numbers, reward_keys
from spnb.problems.stationary import KnownMeans

ReplayName = Literal["repeat", "resample", "worlds"]
REPLAYS = ("repeat", "resample", "worlds")


@dataclass(frozen=True, eq=False)
class Recorded(KnownMeans):
    """What each arm paid on each recorded day, [days, K]; nan where it was not offered.

    ``replay="repeat"`` starts again when the record ends: the same world in every run. With
    ``"resample"`` each round replays a day drawn at random; with ``"worlds"`` each run first draws
    as many days as were recorded and then replays days of those: its means, and maybe its best
    arm, are its own, as if another such record had been made. Days are drawn in ``block``
    consecutive ones, the first following the last.

    With ``shows`` a cell is a count: its reward is that share of so many trials (clicks of
    impressions), a pull brings them all, and the mean of an arm is that of its trials.

    An arm that was not offered on a day cannot be pulled in the rounds that replay it; its mean
    is that of the days on which it was. A round without the best arm counts as one that missed
    it, for every agent alike.
    """

    table: FloatArray
    replay: ReplayName = "repeat"
    block: int = 1
    shows: FloatArray | None = None

    def __post_init__(self) -> None:
        params.one_of(self, "replay", REPLAYS)
        params.whole(self, "block", least=1)
        table = as_numbers("a record", self.table, "days x arms of numbers")
        if table.ndim != 2 or table.size == 0:
            raise DataError(f"a record needs days x arms, at least 1 x 1, got {table.shape}")
        outside = np.argwhere((table < 0) | (table > 1))
        if outside.size:
            day, arm = outside[0]
            raise DataError(
                f"reward of day {day}, arm {arm} must lie in [0, 1], got {table[day, arm]}"
            )
        never = np.flatnonzero(np.isnan(table).all(axis=0))
        if never.size:
            raise DataError(f"arm {never[0]} was never offered: its column has no reward")
        object.__setattr__(self, "table", table)
        if self.shows is not None:
            object.__setattr__(self, "shows", checked_shows(self.shows, table))
        means = table_means(table, np.ones((1, len(table))), self.shows)[0]
        object.__setattr__(self, "means", tuple(means.tolist()))

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        shows = np.ones_like(self.table) if self.shows is None else self.shows
        paid = self.table if self.shows is None else np.rint(self.table * self.shows)
        sizes, grids = {"days": len(self.table)}, {"table": paid, "shows": shows}
        keys, means = reward_keys(seed, runs), self.spread(runs)
        law = Replay(resample=self.replay != "repeat", block=self.block)
        if self.replay != "worlds":
            return Worlds.of(law, means, sizes, key=keys, **grids)
        days = drawn_days(stream_keys(seed, "days", runs), len(self.table), self.block)
        means = table_means(self.table, times_drawn(days), self.shows)
        drawn = ReplayDrawn(law.resample, law.block)
        return Worlds.of(drawn, means, sizes, key=keys, days=days, **grids)


class Replayed(Faced):
    asked: Count  # the number of the round that was asked for last, from 1
    today: Count  # and the recorded day that it replays
    table: Annotated[Grid, Kind("f8", ("days", "arms"), "shared")]  # nan where not offered
    shows: Annotated[Grid, Kind("f8", ("days", "arms"), "shared")]  # trials of a pull


class Replay(World):
    """A record: from the start again when it ends, or in blocks of days drawn at random."""

    resample: bool
    block: int

    State = Replayed

    def day(self, w: Any, round_: int) -> int:
        """The recorded day that a round replays; a division and a hash, so once a round."""
        if w.asked != round_ + 1:
            w.asked, w.today = round_ + 1, self.replayed(w, round_)
        return w.today

    def replayed(self, w: Any, round_: int) -> int:
        days = w.table.shape[0]
        if self.resample:
            first = int(unit(w.key, round_ // self.block) * days)
            return int((first + round_ % self.block) % days)
        return int(round_ % days)

    def offers(self, w: Any, round_: int, arm: int) -> bool:
        reward = w.table[self.day(w, round_), arm]
        return bool(reward == reward)  # noqa: PLR0124 - nan is not

    def reward(self, w: Any, round_: int, arm: int) -> float:
        return w.table[self.day(w, round_), arm]

    def trials(self, w: Any, round_: int, arm: int) -> float:
        return w.shows[self.day(w, round_), arm]


class Drawn(Replayed):
    days: Annotated[list[int], Kind("i8", ("days",))]  # the record of this run


class ReplayDrawn(Replay):
    """A record that is itself made of drawn days."""

    State = Drawn

    def replayed(self, w: Drawn, round_: int) -> int:
        days = len(w.days)
        first = int(unit(w.key, round_ // self.block) * days)
        return w.days[(first + round_ % self.block) % days]


def block_day(keys: Keys, place: IntArray, days: int, block: int) -> IntArray:
    """The day at ``place`` of a circular block bootstrap: blocks begin at random days."""
    start = (uniform(keys, place // block) * days).astype(np.intp)
    return (start + place % block) % days


def drawn_days(keys: Keys, days: int, block: int) -> IntArray:
    """[B, days]: for each key as many days as were recorded, drawn with replacement."""
    return block_day(keys[:, None], np.arange(days), days, block)


def times_drawn(days: IntArray) -> FloatArray:
    """[B, days]: how often each day was drawn."""
    batch, count = days.shape
    flat = (np.arange(batch)[:, None] * count + days).ravel()
    return np.bincount(flat, minlength=batch * count).reshape(batch, count).astype(float)


def table_means(table: FloatArray, times: FloatArray, shows: FloatArray | None) -> FloatArray:
    """[B, K]: mean reward of each arm over its days, each counted ``times``; 0 if it has none.

    A day counts as many times as it has ``shows``, where there are any.
    """
    present = ~np.isnan(table)
    weight = np.where(present, 1.0 if shows is None else shows, 0.0)
    seen = times @ weight
    return np.clip((times @ np.where(present, table * weight, 0.0)) / np.maximum(seen, 1.0), 0, 1)


def checked_shows(shows: object, table: FloatArray) -> FloatArray:
    """Trials of every cell: whole numbers, and whole numbers of wins; nan where the table is."""
    array = as_numbers("shows", shows)
    if array.shape != table.shape:
        raise DataError(f"shows must be of the table's shape {table.shape}, got {array.shape}")
    offered = ~np.isnan(table)
    count, wins = array[offered], table[offered] * array[offered]
    fits = (count >= 1) & (count % 1 == 0) & (np.abs(wins - np.rint(wins)) < 1e-6)
    if not fits.all():
        odd = count[~fits][0]
        raise DataError(f"shows must be whole numbers >= 1 of whole wins, got {odd:g}")
    return np.where(offered, array, np.nan)
