"""From what was measured to a reward in [0, 1], or to wins of so many trials."""

import math
from dataclasses import dataclass
from typing import Literal, get_args

from spnb.bandits.described import literal
from spnb.base.errors import DataError, SpecError
from spnb.base.words import shown
from spnb.live.store.events import Event

Kind = Literal["unit", "binary", "above", "below", "range"]
_RULES = "'unit', 'binary', 'above X', 'below X' or 'range LOW HIGH'"


MOST_TRIALS = 10**9  # of one pull: whoever has more has made a mistake


@dataclass(frozen=True, slots=True)
class Worth:
    """A reward: of one trial, in [0, 1], or the wins of so many (7 clicks of 120 impressions).

    ``value`` is the raw value that it was made from, if there was one.
    """

    reward: float
    value: float | None = None
    trials: int = 1

    def __str__(self) -> str:
        return reward_text(self.reward, self.trials)

    def alike(self, other: "Worth") -> bool:
        """Whether a learner is told the same."""
        return (self.reward, self.trials) == (other.reward, other.trials)

    def adds_to(self, known: "Worth") -> bool:
        """Whether this says more than what is known, or something else."""
        return not self.alike(known) or self.value not in (None, known.value)

    def contradicts(self, known: "Worth") -> bool:
        """Whether both cannot be true; a reward may be told with its raw value or without."""
        return self.adds_to(known) and not (self.alike(known) and known.value is None)


def worth_of(event: Event) -> Worth:
    """The reward that an event brought."""
    value = event.extra().get("value")
    # An older spnb kept a value as it was given: 1, "1".
    return Worth(event.reward or 0.0, None if value is None else float(value), event.trials)


def reward_text(reward: float, trials: int = 1) -> str:
    """``0.5``, or ``7 of 120``."""
    return f"{reward:g}" if trials == 1 else f"{reward:.0f} of {trials}"


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

    def worth(
        self,
        reward: object = None,
        value: object = None,
        wins: object = None,
        trials: object = None,
    ) -> Worth:
        """What a reward, a raw value, or wins of so many trials stand for: one of the three."""
        if (wins is None) != (trials is None):
            raise DataError("wins and trials go together: 7 of 120")
        if sum(given is not None for given in (reward, value, wins)) != 1:
            raise DataError("give either a reward, or a value, or wins and trials: one of them")
        if wins is not None:
            return _counted(wins, trials)
        if value is not None:
            measured = _number("value", value)
            return Worth(self._of_value(measured), measured)
        given = _number("reward", reward)
        if self.kind in ("binary", "above", "below") and given not in (0.0, 1.0):
            raise DataError(f"reward must be 0 or 1 in this campaign ({self}), got {given:g}")
        if not 0.0 <= given <= 1.0:
            raise DataError(f"reward must lie in [0, 1], got {given:g}")
        return Worth(given)

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


def _counted(wins: object, trials: object) -> Worth:
    number, most = _number("wins", wins), _number("trials", trials)
    if not 1 <= most <= MOST_TRIALS or most % 1:
        raise DataError(f"trials must be a whole number from 1 to {MOST_TRIALS}, got {most:g}")
    if not 0 <= number <= most or number % 1:
        raise DataError(f"wins must be a whole number from 0 to {most:.0f} trials, got {number:g}")
    return Worth(number, trials=int(most))


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
