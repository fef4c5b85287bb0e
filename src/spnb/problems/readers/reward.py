"""From readings to rewards in [0, 1]."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from spnb.base.errors import DataError, SpecError
from spnb.engine.arrays import BoolArray, FloatArray

MANY = 10  # different values: rewards given by people or by rules have fewer


@dataclass(frozen=True, slots=True)
class Reward:
    """1 above (or below) a threshold and 0 otherwise; or values scaled so that low, high are 0, 1.

    ``scale="data"`` takes the least and the largest value. With nothing given the values must be
    rewards already.
    """

    above: float | None = None
    below: float | None = None
    scale: tuple[float, float] | Literal["data"] | None = None

    def __post_init__(self) -> None:
        given = [name for name in self.__slots__ if getattr(self, name) is not None]
        if len(given) > 1:
            raise SpecError(f"give one of above, below and scale, got {' and '.join(given)}")
        for name in ("above", "below"):
            level = getattr(self, name)
            if level is not None and not np.isfinite(level):
                raise SpecError(f"{name} must be a number, got {level}")
        if isinstance(self.scale, tuple) and not self.scale[0] < self.scale[1] < np.inf:
            raise SpecError(f"scale must go from a smaller to a larger number, got {self.scale}")

    @property
    def as_told(self) -> bool:
        """Whether values are taken for rewards as they are."""
        return self.above is None and self.below is None and self.scale is None

    def rule(self, values: FloatArray) -> str | None:
        """The same rule for a campaign, in words; None if values are rewards as they are."""
        if self.as_told:
            return None
        if self.scale is None:
            side, level = ("above", self.above) if self.below is None else ("below", self.below)
            return f"{side} {level!r}"
        low, high = self._ends(values)
        return f"range {low!r} {high!r}"

    def doubts(self, values: FloatArray) -> list[str]:
        """A warning where values taken for rewards look like measurements."""
        known = values[~np.isnan(values)]
        if not self.as_told or len(np.unique(known)) < MANY:
            return []
        return [
            f"values from {known.min():.3g} to {known.max():.3g} are taken as rewards as they "
            "are; if they are measurements, give --above, --below or --scale"
        ]

    def _ends(self, values: FloatArray) -> tuple[float, float]:
        if isinstance(self.scale, tuple):
            return float(self.scale[0]), float(self.scale[1])
        return float(np.nanmin(values)), float(np.nanmax(values))

    def of(self, values: FloatArray, name: str = "values") -> FloatArray:
        """The reward of every value; nan stays nan. ``name`` is what messages call them."""
        least, most = float(np.nanmin(values)), float(np.nanmax(values))
        if self.above is not None:
            return _by_threshold(values, values > self.above, f"above {self.above:g}", name)
        if self.below is not None:
            return _by_threshold(values, values < self.below, f"below {self.below:g}", name)
        if self.scale is not None:
            low, high = self._ends(values)
            if not low < high:
                raise DataError(f"all {name} are {low:g}: there is nothing to scale")
            return np.clip((values - low) / (high - low), 0.0, 1.0)
        if least < 0 or most > 1:
            raise DataError(
                f"{name} go from {least:g} to {most:g}: to make them rewards in [0, 1] "
                "give a threshold (--above or --below) or a --scale"
            )
        return values


def _by_threshold(values: FloatArray, hit: BoolArray, where: str, name: str) -> FloatArray:
    known = ~np.isnan(values)
    least, most = values[known].min(), values[known].max()
    if least == most:
        raise DataError(f"all {name} are {least:g}: no threshold makes one arm better than another")
    if hit[known].all() or not hit.any():
        how = "all" if hit.any() else "none"
        raise DataError(
            f"{how} of the {name} ({least:g} to {most:g}) lie {where}: no arm is better than "
            "another; choose a threshold in between"
        )
    return np.where(known, hit.astype(float), np.nan)
