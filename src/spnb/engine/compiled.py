"""Plain functions of numbers, turned into machine code by Numba where a simulation runs them.

What is marked as a ``part`` stays a plain Python function: NumPy code calls it on whole arrays, a
live learner on single numbers, and neither loads a compiler. A simulation puts parts together into
a loop over runs and has that compiled. So a formula is written once and serves all three.
"""

import hashlib
import inspect
import marshal
import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pickle import UnpicklingError
from typing import Any, TypeVar, cast

from spnb.engine import special

F = TypeVar("F", bound=Callable[..., Any])

_PARTS: set[Callable[..., Any]] = set()

# Numbers as NumPy has them: 1/0 is infinite. And no part makes an array, so that nobody needs to
# count who uses one; counting would take most of the time.
_OPTIONS = {"error_model": "numpy", "_nrt": False}


def part(function: F) -> F:
    """Mark a function that compiled loops may call."""
    _PARTS.add(function)
    return function


@cache
def compiled(build: Callable[..., F], *parts: Callable[..., Any]) -> F:
    """The loop that ``build`` makes of these parts, as machine code.

    Numba keeps the code on disk where it can; the loop's name carries a digest of all that goes
    into it, so that code of an older formula is never taken for that of a newer one.
    """
    from numba import njit

    for name, inputs in (("betainc", 3), ("betaincinv", 3), ("gammaln", 1)):
        _link(name, inputs)
    loop = build(*parts)
    reached = _reached(loop, *parts)
    for function in reached - {loop}:
        _introduce(function)
    names = "-".join(each.__name__ for each in (build, *parts))
    loop.__qualname__ = f"{names}-{_digest(part, *reached)}"
    forgotten = njit(**_OPTIONS)(loop)
    try:
        kept = njit(cache=True, **_OPTIONS)(loop)
    except RuntimeError:  # no folder to keep it in: it is compiled anew in every process
        return forgotten

    def call(*args: Any) -> Any:
        try:
            return kept(*args)
        except (OSError, EOFError, UnpicklingError):  # no room for it, or what was kept is broken
            return forgotten(*args)

    return cast("F", call)


def _reached(*functions: Callable[..., Any]) -> set[Callable[..., Any]]:
    """These functions and all parts that they call, and those call."""
    found: set[Callable[..., Any]] = set()
    waiting = list(functions)
    while waiting:
        function = waiting.pop()
        if function not in found:
            found.add(function)
            named = map(function.__globals__.get, function.__code__.co_names)
            waiting += [each for each in named if inspect.isfunction(each) and each in _PARTS]
    return found


def _digest(*functions: Callable[..., Any]) -> str:
    source = b"".join(sorted({_source(function) for function in functions}))
    return hashlib.sha256(source).hexdigest()[:16]


def _source(function: Callable[..., Any]) -> bytes:
    """The module of a function, constants and all; in a notebook its code alone."""
    try:
        return inspect.getsource(sys.modules[function.__module__]).encode()
    except (KeyError, OSError, TypeError):
        return marshal.dumps(function.__code__)


@cache
def _introduce(function: Callable[..., Any]) -> None:
    from numba.extending import register_jitable

    register_jitable(forceinline=True, **_OPTIONS)(function)


@cache
def _link(name: str, inputs: int) -> None:
    """Let compiled code call SciPy's own function where plain code calls ``special``'s."""
    import llvmlite.binding
    from numba import types
    from numba.extending import get_cython_function_address, overload

    module = "scipy.special.cython_special"
    # Where SciPy has the function in two precisions, the first of them is double.
    exact = name if name in import_module(module).__pyx_capi__ else f"__pyx_fuse_0{name}"
    # By symbol, not by address: an address could not be kept on disk.
    symbol = f"spnb_{name}"
    llvmlite.binding.add_symbol(symbol, get_cython_function_address(module, exact))
    number = types.float64
    function = types.ExternalFunction(symbol, number(*[number] * inputs, types.intc))
    if inputs == 1:
        overload(getattr(special, name))(lambda x: lambda x: function(x, 0))
    else:
        overload(getattr(special, name))(lambda a, b, x: lambda a, b, x: function(a, b, x, 0))
