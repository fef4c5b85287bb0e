"""Checks of parameters, made when an object is built: who, which rule, which value.

The last two check what a function was given.
"""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any, NoReturn

from spnb.base.errors import SpecError
from spnb.base.words import shown

MOST = 2**53  # the largest number up to which a float counts one by one


def refuse(owner: object, name: str, rule: str) -> NoReturn:
    value = getattr(owner, name)
    raise SpecError(f"{type(owner).__name__}.{name} must be {rule}, got {value!r}")


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def number(owner: object, name: str) -> None:
    if not is_number(getattr(owner, name)):
        refuse(owner, name, "a number")


def positive(owner: object, name: str) -> None:
    if not is_number(getattr(owner, name)) or not getattr(owner, name) > 0:
        refuse(owner, name, "a number > 0")


def non_negative(owner: object, name: str) -> None:
    if not is_number(getattr(owner, name)) or not getattr(owner, name) >= 0:
        refuse(owner, name, "a number >= 0")


def share(owner: object, name: str) -> None:
    if not is_number(getattr(owner, name)) or not 0 <= getattr(owner, name) <= 1:
        refuse(owner, name, "a number in [0, 1]")


def inside_unit(owner: object, name: str) -> None:
    if not is_number(getattr(owner, name)) or not 0 < getattr(owner, name) < 1:
        refuse(owner, name, "a number inside (0, 1)")


def whole(owner: object, name: str, least: int | None = None) -> None:
    value = getattr(owner, name)
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or (least is not None and value < least)
    ):
        refuse(owner, name, "a whole number" + ("" if least is None else f" >= {least}"))


def count(owner: object, name: str) -> None:
    whole(owner, name, least=0)


def at_least_one(owner: object, name: str) -> None:
    whole(owner, name, least=1)


def one_of(owner: object, name: str, allowed: Collection[str]) -> None:
    if getattr(owner, name) not in allowed:
        refuse(owner, name, "one of " + ", ".join(map(repr, allowed)))


def flag(owner: object, name: str) -> None:
    if not isinstance(getattr(owner, name), bool):
        refuse(owner, name, "true or false")


def kind(owner: object, name: str, wanted: type, rule: str) -> None:
    if not isinstance(getattr(owner, name), wanted):
        refuse(owner, name, rule)


def whole_number(name: str, value: Any, least: int = 1, most: int = MOST) -> int:
    """A whole number that a function was given, NumPy's included."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise SpecError(f"{name} must be a whole number >= {least}, got {shown(value)}")
    if int(value) > most:
        raise SpecError(f"{name} must be at most {most}, got {shown(value)}")
    return int(value)


def unit_number(name: str, value: Any, *, inside: bool = False) -> float:
    """A number in [0, 1], or inside of it, that a function was given."""
    told = isinstance(value, Real) and not isinstance(value, bool)
    if not (told and (0 < value < 1 if inside else 0 <= value <= 1)):  # also refuses nan
        rule = "inside (0, 1)" if inside else "in [0, 1]"
        raise SpecError(f"{name} must be a number {rule}, got {shown(value)}")
    return float(value)
