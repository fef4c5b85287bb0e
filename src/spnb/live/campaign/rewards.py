"""From what was measured to a reward in [0, 1]; whatever does not fit is refused."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from spnb.bandits.described import literal
from spnb.base.errors import DataError, SpecError

Kind = Literal["unit", "binary", "above", "below", "range"]
_RULES = "'unit', 'binary', 'above X', 'below X' or 'range LOW HIGH'"


@dataclass(frozen=True, slots=True)
class RewardRule:
    """What a reward may be, and how a raw value becomes one.

    ``unit`` takes rewards in [0, 1] and ``binary`` 0 or 1. ``above`` and ``below`` pay 1 for a
    raw value strictly on that side of the threshold ``low``; ``range`` maps [low, high] to [0, 1].
    """

    kind: Kind = "unit"
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        numbers = [x for x in (self.low, self.high) if x is not None]
        wanted = {"above": 1, "below": 1, "range": 2}.get(self.kind, 0)
        fits = len(numbers) == wanted and all(math.isfinite(x) for x in numbers)
        if self.kind not in get_args(Kind) or not fits:
            raise SpecError(f"a reward rule is {_RULES}, got {self!s}")
        if self.low is not None and self.high is not None and not self.low < self.high:
            raise SpecError(f"a range needs LOW < HIGH, got {self!s}")

    @classmethod
    def parse(cls, text: "str | RewardRule | None") -> "RewardRule":
        """From words: ``binary``, ``above 0.3``, ``range 0 50``."""
        if text is None or isinstance(text, RewardRule):
            return text or cls()
        word, *numbers = text.split() or [""]
        try:
            return cls(word, *(float(number) for number in numbers))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise SpecError(f"a reward rule is {_RULES}, got {text!r}") from None

    def __str__(self) -> str:
        numbers = [literal(x) for x in (self.low, self.high) if x is not None]
        return " ".join([self.kind, *numbers])

    @property
    def takes_values(self) -> bool:
        """Whether raw values are what this rule is about."""
        return self.kind in ("above", "below", "range")

    def reward(self, reward: float | None, value: float | None) -> float:
        """The reward that one of the two, a reward or a raw value, stands for."""
        if (reward is None) == (value is None):
            raise DataError("give either a reward or a value, one of them")
        if value is not None:
            return self._of_value(_number("value", value))
        given = _number("reward", 0.0 if reward is None else reward)
        if self.kind in ("binary", "above", "below") and given not in (0.0, 1.0):
            raise DataError(f"reward must be 0 or 1 in this campaign ({self}), got {given:g}")
        if not 0.0 <= given <= 1.0:
            raise DataError(f"reward must lie in [0, 1], got {given:g}")
        return given

    def _of_value(self, value: float) -> float:
        if self.low is None:
            raise DataError(
                f"this campaign takes rewards ({self}), not raw values: it has no threshold"
            )
        if self.high is not None:
            if not self.low <= value <= self.high:
                raise DataError(f"value must lie in [{self.low:g}, {self.high:g}], got {value:g}")
            return (value - self.low) / (self.high - self.low)
        return float(value > self.low if self.kind == "above" else value < self.low)


def _number(what: str, given: object) -> float:
    """A finite number; true and false are a reward that people will try."""
    try:
        number = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise DataError(f"{what} must be a number, got {given!r}") from None
    if not math.isfinite(number):
        raise DataError(f"{what} must be a finite number, got {given!r}")
    return number
