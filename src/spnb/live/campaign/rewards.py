"""From what was measured to a reward in [0, 1]; whatever does not fit is refused."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from spnb.bandits.described import literal
from spnb.base.errors import DataError, SpecError
from spnb.base.words import shown

Kind = Literal["unit", "binary", "above", "below", "range"]
_RULES = "'unit', 'binary', 'above X', 'below X' or 'range LOW HIGH'"


@dataclass(frozen=True, slots=True)
class Worth:
    """A reward, and the raw value that it was made from, if there was one."""

    reward: float
    value: float | None


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
        if (
            self.low is not None
            and self.high is not None
            and not 0 < self.high - self.low < math.inf
        ):
            raise SpecError(f"a range needs LOW < HIGH, not too far apart, got {self!s}")

    @classmethod
    def parse(cls, text: "str | RewardRule | None") -> "RewardRule":
        """From words: ``binary``, ``above 0.3``, ``range 0 50``."""
        if text is None or isinstance(text, RewardRule):
            return text or cls()
        word, *numbers = (text.split() if isinstance(text, str) else []) or [""]
        try:
            return cls(word, *(float(number) for number in numbers))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            raise SpecError(f"a reward rule is {_RULES}, got {shown(text)}") from None

    def __str__(self) -> str:
        numbers = [literal(x) for x in (self.low, self.high) if x is not None]
        return " ".join([self.kind, *numbers])

    @property
    def takes_values(self) -> bool:
        """Whether raw values are what this rule is about."""
        return self.kind in ("above", "below", "range")

    def worth(self, reward: object, value: object) -> Worth:
        """What one of the two, a reward or a raw value, stands for."""
        if (reward is None) == (value is None):
            raise DataError("give either a reward or a value, one of them")
        if value is not None:
            measured = _number("value", value)
            return Worth(self._of_value(measured), measured)
        given = _number("reward", reward)
        if self.kind in ("binary", "above", "below") and given not in (0.0, 1.0):
            raise DataError(f"reward must be 0 or 1 in this campaign ({self}), got {given:g}")
        if not 0.0 <= given <= 1.0:
            raise DataError(f"reward must lie in [0, 1], got {given:g}")
        return Worth(given, None)

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
    """A finite number, as text or of any kind of number; true and false are 1 and 0."""
    try:
        if hasattr(given, "__len__") and not isinstance(given, str):
            raise TypeError  # an array of one number would pass for it
        number = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"{what} must be a number, got {shown(given)}") from None
    if not math.isfinite(number):
        raise DataError(f"{what} must be a finite number, got {shown(given)}")
    return number + 0.0  # there is no -0: a database would not keep its sign
