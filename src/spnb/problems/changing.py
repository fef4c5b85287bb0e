"""Problems whose means change with the rounds: at once, little by little, or with the season."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from spnb.base import params
from spnb.base.errors import DataError
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import stream_keys, uniform
from spnb.engine.state import Grid, Kind
from spnb.problems.base import Faced, Problem, World, Worlds, checked_means, reward_keys


class Staged(Faced):
    """A run goes through stages, from the last one back to the first."""

    stages: Annotated[Grid, Kind("f8", ("stage", "arms"))]  # the means in each
    tops: Annotated[list[float], Kind("f8", ("stage",))]  # the best of them


class ChangingWorld(World):
    """Bernoulli rewards whose means hold for ``length`` rounds, stage after stage."""

    length: int

    State = Staged
    changing: ClassVar[bool] = True

    def stage(self, w: Staged, round_: int) -> int:
        return (round_ // self.length) % len(w.tops)

    def reward(self, w: Staged, round_: int, arm: int) -> float:
        return 1.0 if self.luck(w, round_, arm) < self.mean(w, round_, arm) else 0.0

    def mean(self, w: Staged, round_: int, arm: int) -> float:
        return w.stages[self.stage(w, round_), arm]

    def best_mean(self, w: Staged, round_: int) -> float:
        return w.tops[self.stage(w, round_)]

    def best_so_far(self, w: Staged, rounds: IntArray) -> FloatArray:
        stage = (np.arange(int(rounds[-1])) // self.length) % len(w.tops)
        total: FloatArray = np.cumsum(np.asarray(w.tops)[stage])[np.asarray(rounds) - 1]
        return total


class ChangingProblem(Problem):
    """Stages of means, ``length`` rounds each; after the last one the first comes again."""

    length: int

    def tables(self, seed: int, runs: IntArray) -> FloatArray:
        """[B, stages, K]"""
        raise NotImplementedError

    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        tables = self.tables(seed, runs)
        return Worlds.of(
            ChangingWorld(self.length), tables.mean(axis=1), {"stage": tables.shape[1]},
            key=reward_keys(seed, runs), stages=tables, tops=tables.max(axis=2),
        )  # fmt: skip


@dataclass(frozen=True)
class Changing(ChangingProblem):
    """The means of each stage as they are given."""

    stages: tuple[tuple[float, ...], ...]
    length: int = 100

    def __post_init__(self) -> None:
        if not isinstance(self.stages, Iterable):
            params.refuse(self, "stages", "lists of means")
        rows = tuple(checked_means(row) for row in self.stages)
        if not rows or len({len(row) for row in rows}) != 1:
            raise DataError("stages must be at least 1 list of means, all of the same length")
        object.__setattr__(self, "stages", rows)
        params.at_least_one(self, "length")

    @property
    def arms(self) -> int:
        return len(self.stages[0])

    def tables(self, seed: int, runs: IntArray) -> FloatArray:
        return np.broadcast_to(np.array(self.stages), (len(runs), *np.shape(self.stages)))


@dataclass(frozen=True)
class Abrupt(ChangingProblem):
    """All means are drawn anew, uniform on [0, 1], after every ``length`` rounds."""

    arms: int = 10
    length: int = 500
    changes: int = 3

    def __post_init__(self) -> None:
        params.whole(self, "arms", least=2)
        params.at_least_one(self, "length")
        params.count(self, "changes")

    def tables(self, seed: int, runs: IntArray) -> FloatArray:
        cells = np.arange((self.changes + 1) * self.arms).reshape(self.changes + 1, self.arms)
        return uniform(stream_keys(seed, "means", runs)[:, None, None], cells)


@dataclass(frozen=True)
class Drifting(ChangingProblem):
    """Every mean goes up or down by ``step`` after every ``length`` rounds, reflected at 0 and 1.

    For ``stages`` stages; then all begins again.
    """

    arms: int = 10
    length: int = 10
    step: float = 0.03
    stages: int = 100

    def __post_init__(self) -> None:
        params.whole(self, "arms", least=2)
        params.at_least_one(self, "length")
        params.at_least_one(self, "stages")
        params.share(self, "step")

    def tables(self, seed: int, runs: IntArray) -> FloatArray:
        cells = np.arange(self.stages * self.arms).reshape(self.stages, self.arms)
        luck = uniform(stream_keys(seed, "means", runs)[:, None, None], cells)
        steps = np.where(luck < 0.5, -self.step, self.step)
        steps[:, 0] = luck[:, 0]
        return 1.0 - np.abs(np.cumsum(steps, axis=1) % 2.0 - 1.0)  # folded into [0, 1]


@dataclass(frozen=True)
class Seasonal(ChangingProblem):
    """Means that swing by ``swing`` around their own level, once in ``stages`` * ``length`` rounds.

    Every run draws levels, uniform on [swing, 1 - swing], and where in the swing each arm begins.
    """

    arms: int = 10
    length: int = 10
    stages: int = 40
    swing: float = 0.3

    def __post_init__(self) -> None:
        params.whole(self, "arms", least=2)
        params.at_least_one(self, "length")
        params.at_least_one(self, "stages")
        if not params.is_number(self.swing) or not 0 <= self.swing <= 0.5:
            params.refuse(self, "swing", "a number in [0, 0.5]")

    def tables(self, seed: int, runs: IntArray) -> FloatArray:
        luck = uniform(stream_keys(seed, "means", runs)[:, None], np.arange(2 * self.arms))
        level, phase = np.split(luck[:, None, :], 2, axis=2)
        at = np.arange(self.stages)[None, :, None] / self.stages
        wave = self.swing * np.sin(2 * np.pi * (at + phase))
        return np.clip(self.swing + (1 - 2 * self.swing) * level + wave, 0.0, 1.0)
