"""All that a function reaches, and a digest of it: machine code kept on disk is never stale."""

import hashlib
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

NATIVE: set[Callable[..., Any]] = set()
"""Functions that compiled code has in a form of its own: nothing is reached through them."""

LIBRARIES = ("numba", "llvmlite", "numpy", "scipy")


def functions_of(cls: type) -> dict[str, Callable[..., Any]]:
    """Every method of a class as a plain function, its own before inherited ones."""
    found: dict[str, Callable[..., Any]] = {}
    for base in reversed(cls.__mro__[:-1]):
        found.update({n: f for n, f in vars(base).items() if inspect.isfunction(f)})
    return {name: f for name, f in found.items() if not name.startswith("__")}


def reached(*functions: Callable[..., Any]) -> dict[Callable[..., Any], dict[str, Any]]:
    """These functions and all that they call, each with the values that its code names."""
    found: dict[Callable[..., Any], dict[str, Any]] = {}
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if function not in found:
            found[function] = dict(_named(function))
            # What somebody has compiled with Numba already is a function with a wrapper around it.
            called = (getattr(v, "py_func", v) for v in found[function].values())
            waiting += [v for v in called if inspect.isfunction(v) and v not in NATIVE]
    return found


def _named(function: Any) -> Iterator[tuple[str, Any]]:
    names = {name for code in _codes(function.__code__) for name in code.co_names}
    for name in sorted(names & set(function.__globals__)):
        yield from _inside(name, function.__globals__[name], names)
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, cell.cell_contents


def _inside(name: str, value: Any, names: set[str]) -> Iterator[tuple[str, Any]]:
    """A value; of a module, such as math, also what is in it, if the code names that too."""
    yield name, value
    if inspect.ismodule(value):
        for each in sorted(names - {name}):
            if hasattr(value, each):
                yield from _inside(f"{name}.{each}", getattr(value, each), names - {each})


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _codes(const)


def digest(*functions: Callable[..., Any]) -> str:
    """A name for what these functions compute: their code, and all code and values it reaches."""
    texts = [_foundation()]
    for function, values in reached(*functions).items():
        text = [function.__qualname__.encode(), *map(_code_text, _codes(function.__code__))]
        text += [f"{n}=".encode() + _value_text(v) for n, v in sorted(values.items())]
        text.append(repr((function.__defaults__, function.__kwdefaults__)).encode())
        texts.append(b";".join(text))
    return hashlib.sha256(b"\n".join(sorted(texts))).hexdigest()[:16]


def _code_text(code: CodeType) -> bytes:
    plain = [const for const in code.co_consts if not isinstance(const, CodeType)]
    return code.co_code + repr((plain, code.co_names, code.co_varnames)).encode()


def _value_text(value: Any) -> bytes:
    if isinstance(value, np.ndarray):
        return repr((value.dtype, value.shape)).encode() + value.tobytes()
    if callable(value) or inspect.ismodule(value):  # functions are reached, libraries have versions
        return str(getattr(value, "__name__", "")).encode()
    return repr(value).encode()


@cache
def _foundation() -> bytes:
    """What all compiled code stands on: how classes become types, and the libraries."""
    files = ("native.py", "dice.py", "maths.py")  # what is native reads numbers of the others
    lowering = b"".join(Path(__file__).with_name(name).read_bytes() for name in files)
    return hashlib.sha256(lowering).digest() + repr([version(n) for n in LIBRARIES]).encode()
