"""The state of ONE run: numbers, a number for each arm, small grids, and states inside.

    class Posterior(Stats):
        norm: Arms      # a number for each arm
        rate: Number

Every field is zero until ``start`` says otherwise. Plain code sees Python's own numbers and lists;
compiled code sees the same names as one row of a ``Batch``, a struct of arrays [B, ...].
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, Self, get_origin, get_type_hints

import numpy as np

from spnb.base.errors import DataError

Code = Literal["f8", "i8", "u8", "b1"]
ZERO: dict[str, Any] = {"f8": 0.0, "i8": 0, "u8": 0, "b1": False}
FORMAT = {"f8": "d", "i8": "q", "b1": "?"}  # of a memoryview
NUMBER: dict[str, Any] = {"f8": float, "i8": int, "u8": int, "b1": bool}


@dataclass(frozen=True)
class Kind:
    """What a field holds, and its sizes: "arms", or a whole number that its owner has.

    ``own``: each run's own. ``shared``: one table for all runs, only read. ``room``: to work in
    for a moment; nothing stays there.
    """

    code: Code
    sizes: tuple[str, ...] = ()
    role: Literal["own", "shared", "room"] = "own"


Grid = Any  # indexed [i, j]: a memoryview, or an array in compiled code
Number = Annotated[float, Kind("f8")]
Count = Annotated[int, Kind("i8")]
Flag = Annotated[bool, Kind("b1")]
Key = Annotated[int, Kind("u8")]
Arms = Annotated[list[float], Kind("f8", ("arms",))]
Counts = Annotated[list[int], Kind("i8", ("arms",))]
Flags = Annotated[list[bool], Kind("b1", ("arms",))]
Room = Annotated[list[float], Kind("f8", ("arms",), "room")]


class State:
    """What is known in one run. Subclasses add fields by annotation, and methods."""


def _kinds(cls: type[State]) -> Mapping[str, Any]:
    """The fields of a state in order: a ``Kind``, or the class of a state inside."""
    found: dict[str, Any] = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        if get_origin(hint) is Annotated:
            found[name] = hint.__metadata__[0]
        elif isinstance(hint, type) and issubclass(hint, State):
            found[name] = hint
    return found


kinds: Callable[[Any], Mapping[str, Any]] = cache(_kinds)


@dataclass(frozen=True)
class Layout:
    """A state with its sizes known: each field is a (kind, shape), or a layout inside."""

    cls: type[State]
    fields: Mapping[str, Any]

    @classmethod
    def of(cls, state: type[State], owner: object, sizes: Mapping[str, int]) -> Self:
        """The layout for ``owner``, whose attributes say what ``sizes`` does not."""
        fields: dict[str, Any] = {}
        for name, kind in kinds(state).items():
            if isinstance(kind, Kind):
                shape = tuple(
                    sizes[s] if s in sizes else int(getattr(owner, s)) for s in kind.sizes
                )
                fields[name] = (kind, shape)
            else:
                inner = getattr(owner, name, None)  # an agent's policy says what its state is
                fields[name] = cls.of(getattr(inner, "State", kind), inner, sizes)
        return cls(state, fields)

    def fresh(self) -> Any:
        """A state of one run as plain Python, all zero."""
        state = object.__new__(self.cls)
        for name, field in self.fields.items():
            setattr(state, name, field.fresh() if isinstance(field, Layout) else _zeros(*field))
        return state


def _zeros(kind: Kind, shape: tuple[int, ...]) -> Any:
    if not shape:
        return ZERO[kind.code]
    if len(shape) == 1:
        return [ZERO[kind.code]] * shape[0]
    empty = bytearray(np.dtype(kind.code).itemsize * math.prod(shape))
    return memoryview(empty).cast("B").cast(FORMAT[kind.code], shape)  # type: ignore[call-overload]


def reset(state: State) -> None:
    """Everything of this run zero again."""
    for name, kind in kinds(type(state)).items():
        value = getattr(state, name)
        if isinstance(value, State):
            reset(value)
        elif kind.role == "own":
            _fill(state, name, value, kind, None)


def _fill(state: State, name: str, value: Any, kind: Kind, data: Any) -> None:
    """Put plain numbers (None: zeros) where a number, a list or a grid stands."""
    if isinstance(value, list):
        value[:] = [ZERO[kind.code]] * len(value) if data is None else data
    elif isinstance(value, memoryview):
        rows, columns = value.shape or (0, 0)
        for i in range(rows):
            for j in range(columns):
                value[i, j] = ZERO[kind.code] if data is None else data[i][j]
    else:
        setattr(state, name, ZERO[kind.code] if data is None else data)


def to_dict(state: State) -> dict[str, Any]:
    """Plain JSON values, exact to the last bit (what JSON has no number for as text)."""
    out: dict[str, Any] = {}
    for name, kind in kinds(type(state)).items():
        value = getattr(state, name)
        if isinstance(value, State):
            out[name] = to_dict(value)
        elif kind.role == "own":
            out[name] = _written(value.tolist() if isinstance(value, memoryview) else value)
    return out


def _written(value: Any) -> Any:
    if isinstance(value, list):
        # A snapshot is written at every ask: one sum tells that no number needs a second look.
        plain = not value or (not isinstance(value[0], list) and math.isfinite(sum(value)))
        return value[:] if plain else [_written(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def load(state: State, data: Any) -> None:
    """Take over what ``to_dict`` wrote, and nothing that it could not have written."""
    wanted = {n: k for n, k in kinds(type(state)).items() if getattr(k, "role", "own") == "own"}
    if not isinstance(data, dict) or set(data) != set(wanted):
        got = sorted(map(str, data)) if isinstance(data, dict) else data
        raise DataError(f"a {type(state).__name__} has the fields {sorted(wanted)}, got {got!r}")
    for name, kind in wanted.items():
        value = getattr(state, name)
        if isinstance(value, State):
            load(value, data[name])
        else:
            shape = (value.shape or ()) if isinstance(value, memoryview) else np.shape(value)
            _fill(state, name, value, kind, _read(name, kind, shape, data[name]))


def _read(name: str, kind: Kind, shape: tuple[int, ...], data: Any) -> Any:
    if shape:
        if not isinstance(data, list) or len(data) != shape[0]:
            raise DataError(f"the state's {name} must be a list of {shape[0]}, got {data!r:.80}")
        return [_read(name, kind, shape[1:], each) for each in data]
    if kind.code == "f8" and data in ("inf", "-inf", "nan"):
        return float(data)
    number = NUMBER[kind.code]
    low, high = (0, 2**64) if kind.code == "u8" else (-(2**63), 2**63)
    if type(data) is not number or (number is int and not low <= data < high):
        raise DataError(f"the state's {name} must be of type {number.__name__}, got {data!r:.80}")
    return data


class Batch:
    """Many runs as a struct of arrays [B, ...]; a row of it is a state."""

    def __init__(self, layout: Layout, batch: int, **tables: Any) -> None:
        self.layout, self.batch = layout, batch
        self.parts: dict[str, Any] = {}
        for name, field in layout.fields.items():
            if isinstance(field, Layout):
                self.parts[name] = Batch(field, batch, **tables)
            elif name in tables:  # given as a whole: shared, or one row a run
                self.parts[name] = np.ascontiguousarray(tables[name], field[0].code)
            else:
                rows = (batch,) if field[0].role == "own" else ()
                self.parts[name] = np.zeros((*rows, *field[1]), field[0].code)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["parts"][name]
        except KeyError:
            raise AttributeError(name) from None

    def own(self, path: str = "") -> Iterator[tuple[str, Any]]:
        """Every array with a row for each run, under the path of its field: ``policy.pulls``."""
        for name, field in self.layout.fields.items():
            if isinstance(field, Layout):
                yield from self.parts[name].own(f"{path}{name}.")
            elif field[0].role == "own":
                yield path + name, self.parts[name]

    def put(self, numbers: Any, other: "Batch") -> None:
        """Take the rows of another batch of this layout in the places of these."""
        for (_, mine), (_, theirs) in zip(self.own(), other.own(), strict=True):
            mine[numbers] = theirs

    def _pairs(self, state: State) -> Iterator[tuple[str, Any, Any, Any]]:
        for name, field in self.layout.fields.items():
            yield name, field, self.parts[name], getattr(state, name)

    def read(self, run: int, state: State) -> None:
        """Fill a plain state with one run."""
        for name, field, part, value in self._pairs(state):
            if isinstance(field, Layout):
                part.read(run, value)
            elif field[0].role == "shared":
                setattr(state, name, part.tolist() if part.ndim < 2 else memoryview(part))
            elif field[0].role == "own":
                _fill(state, name, value, field[0], part[run].tolist())

    def write(self, run: int, state: State) -> None:
        """Put a plain state back into its row."""
        for _, field, part, value in self._pairs(state):
            if isinstance(field, Layout):
                part.write(run, value)
            elif field[0].role == "own":
                part[run] = value
