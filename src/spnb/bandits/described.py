"""Parameters: fields that are checked when an object is built and print themselves as a spec."""

from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cache
from types import NoneType
from typing import Any, ClassVar, Literal, dataclass_transform, get_args, get_origin, get_type_hints

from spnb.base import params


def param(
    *, default: Any = MISSING, rule: Callable[[object, str], None], shown: bool = False
) -> Any:
    """A parameter with a rule of ``spnb.base.params``; a spec always shows it if ``shown``."""
    return field(default=default, metadata={"rule": rule, "shown": shown})


@dataclass_transform(frozen_default=True, field_specifiers=(field, param))
class Described:
    """A class whose annotated fields are its parameters, frozen once it is built.

    ``str`` is the shortest spec that reads back as an equal object: defaults are left out, but
    for a parameter that is always ``shown``.
    """

    spec_name: ClassVar[str] = ""  # where it differs from the class's name

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        dataclass(frozen=True)(cls)

    def __post_init__(self) -> None:
        """Every field is of its declared type, and keeps its rule."""
        for name, hint in _hints(type(self)).items():
            _check(self, name, hint)
        for each in fields(self):  # type: ignore[arg-type]  # every subclass is a dataclass
            if "rule" in each.metadata:
                each.metadata["rule"](self, each.name)

    @classmethod
    def name(cls) -> str:
        return cls.__dict__.get("spec_name") or cls.__name__

    @classmethod
    def summary(cls) -> str:
        """The first line of the docstring, for listings."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    def __str__(self) -> str:
        return self.name() + self.arguments()

    def arguments(self) -> str:
        own = fields(self)  # type: ignore[arg-type]  # as above
        ordered = sorted(own, key=lambda field: bool(field.kw_only))
        shown = [text for field in ordered if field.init for text in self._argument(field)]
        return f"({', '.join(shown)})" if shown else ""

    def _argument(self, field: "Field[Any]") -> Iterator[str]:
        value = getattr(self, field.name)
        if value == field.default and not field.metadata.get("shown"):
            return
        if isinstance(value, Described):
            yield str(value)
        elif value is True and field.default is False:
            yield field.name
        else:
            yield f"{field.name}={literal(value)}"


def _find_hints(cls: Any) -> dict[str, Any]:
    hints = get_type_hints(cls)
    return {field.name: hints[field.name] for field in fields(cls) if field.init}


_hints: Callable[[type], dict[str, Any]] = cache(_find_hints)


def _check(owner: Described, name: str, hint: Any) -> None:
    kinds = get_args(hint)
    if NoneType in kinds:
        if getattr(owner, name) is not None:
            _check(owner, name, kinds[0])
    elif get_origin(hint) is Literal:
        params.one_of(owner, name, kinds)
    elif hint is bool:
        params.flag(owner, name)
    elif hint is int:
        params.whole(owner, name)
    elif hint is float:
        params.number(owner, name)
        # One type for one parameter: 2 and 2.0 are the same spec and the same compiled code.
        object.__setattr__(owner, name, float(getattr(owner, name)))
    elif isinstance(hint, type) and issubclass(hint, Described):
        if isinstance(getattr(owner, name), str):
            _read(owner, name)
        kind, colon, _ = hint.summary().partition(":")  # "Policy: ...", of those that say so
        params.kind(owner, name, hint, f"a {kind.lower() if colon else hint.name()}")


def _read(owner: Described, name: str) -> None:
    """A spec where an object is wanted, such as Seq("TS"), is read."""
    from spnb.bandits.spec import policy

    object.__setattr__(owner, name, policy(getattr(owner, name)))


def literal(value: object) -> str:
    """A number, text or truth value as a spec writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return f'"{value}"' if isinstance(value, str) else repr(value)
