"""Parameters that print themselves as a spec."""

from collections.abc import Iterator
from dataclasses import Field, fields
from typing import Any, ClassVar


class Described:
    """A frozen dataclass whose ``str`` is the shortest spec that parses back to an equal object.

    Defaults are left out, but for a field with ``metadata={"shown": True}``.
    """

    spec_name: ClassVar[str] = ""  # where it differs from the class's name

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
        ordered = sorted(fields(self), key=lambda field: bool(field.kw_only))  # type: ignore[arg-type]
        shown = [text for field in ordered for text in self._argument(field)]
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


def literal(value: object) -> str:
    """A number, text or truth value as a spec writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    return f'"{value}"' if isinstance(value, str) else repr(value)
