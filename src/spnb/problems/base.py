"""What a problem is: arms in an order, and what each pays in every run and round."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from spnb.base.errors import DataError
from spnb.base.words import brief, shown
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import stream_keys, unit
from spnb.engine.maths import nan
from spnb.engine.state import Arms, Batch, Key, Layout, State


class Faced(State):
    """What one run faces: the means of its arms, and a key to what they pay."""

    means: Arms
    key: Key


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
class World:
    """The law by which arms pay, for one run; what (round, arm) pays is fixed, pulled or not.

    Written like a policy: parameters are its fields, what a run faces is in a state ``w``.
    """

    State: ClassVar[type[Faced]] = Faced
    changing: ClassVar[bool] = False  # whether means depend on the round

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        dataclass(frozen=True)(cls)

    def mean(self, w: Any, round_: int, arm: int) -> float:
        """The arm's mean in this round."""
        return w.means[arm]

    def best_mean(self, w: Any, round_: int) -> float:
        """The largest mean of this round; asked for only where means change."""
        return nan

    def best_so_far(self, w: Any, rounds: IntArray) -> FloatArray:
        """The largest means of all rounds up to these, summed; only where means change."""
        raise NotImplementedError

    def offers(self, w: Any, round_: int, arm: int) -> bool:
        """Whether the arm is offered at all in this round."""
        return True

    def reward(self, w: Any, round_: int, arm: int) -> float:
        """What the arm pays in this round: a number in [0, 1], or the sum of its trials'."""
        raise NotImplementedError

    def trials(self, w: Any, round_: int, arm: int) -> float:
        """How many rewards a pull in this round brings at once."""
        return 1.0

    def luck(self, w: Any, round_: int, arm: int) -> float:
        """A number in [0, 1) that belongs to this round and arm alone."""
        return unit(w.key, round_ * len(w.means) + arm)


@dataclass(frozen=True)
class Worlds:
    """What a block of runs faces: one law, and a row for each run."""

    law: World
    faced: Batch

    @classmethod
    def of(
        cls, law: World, means: FloatArray, sizes: dict[str, int] | None = None, **parts: Any
    ) -> "Worlds":
        """Worlds of these means [B, K], and of whatever else the law's state has."""
        layout = Layout.of(law.State, law, {"arms": means.shape[1], **(sizes or {})})
        return cls(law, Batch(layout, len(means), means=means, **parts))

    @property
    def means(self) -> FloatArray:
        """[B, K]"""
        means: FloatArray = self.faced.means
        return means

    def of_run(self, number: int) -> Any:
        """What one run faces, as plain numbers: the ``w`` of the law's methods."""
        w = self.faced.layout.fresh()
        self.faced.read(number, w)
        return w


class Problem(ABC):
    """Arms in the order in which a round offers them."""

    @property
    @abstractmethod
    def arms(self) -> int: ...

    @abstractmethod
    def worlds(self, seed: int, runs: IntArray) -> Worlds:
        """What these runs face under this seed."""

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        if "__repr__" not in cls.__dict__:  # else a dataclass would write one, however long
            cls.__repr__ = Problem.__repr__  # type: ignore[method-assign]

    def told(self) -> dict[str, str]:
        """Its parameters as short texts."""
        own: Any = self
        names = [each.name for each in fields(own) if each.init] if is_dataclass(own) else ["arms"]
        return {name: brief(getattr(self, name)) for name in names}

    def __repr__(self) -> str:
        """In one line: as it was built, long lists and tables cut short."""
        told = ", ".join(f"{name}={text}" for name, text in self.told().items())
        return f"{type(self).__name__}({told})"

    def _repr_html_(self) -> str:
        """A table of its arms, for a notebook."""
        from spnb.report.profile import problem_table

        return problem_table(self).html()


def reward_keys(seed: int, runs: IntArray) -> Any:
    return stream_keys(seed, "reward", runs)


def as_numbers(name: str, given: object, rule: str = "numbers") -> FloatArray:
    """What was given, as an array."""
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be {rule}, got {shown(given)}") from None


def checked_means(means: object) -> tuple[float, ...]:
    """Means of at least one arm, each in [0, 1]."""
    array = as_numbers("means", means, "numbers in [0, 1]")
    if array.ndim != 1 or array.size == 0:
        raise DataError(f"means must be a list of at least 1 number, got {shown(means)}")
    for arm, mean in enumerate(array):
        if not 0 <= mean <= 1:  # also refuses nan
            raise DataError(f"mean of arm {arm} must lie in [0, 1], got {mean}")
    return tuple(array.tolist())
