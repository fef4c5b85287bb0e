"""Functions of single numbers, the same number to the last bit in plain Python and compiled.

Python's own raise where machine code gives an infinity; these never raise. Special functions are
SciPy's, loaded when first called; compiled code calls the very same ones (``engine/native.py``).
"""

import math
from collections.abc import Callable

inf, nan = math.inf, math.nan


def log(x: float) -> float:
    """ln x; minus infinity at 0."""
    return math.log(x) if x > 0 else (-inf if x == 0 else nan)


def log1p(x: float) -> float:
    """ln(1 + x); minus infinity at -1."""
    return math.log1p(x) if x > -1 else (-inf if x == -1 else nan)


def exp(x: float) -> float:
    """e^x; infinite beyond what a float can hold."""
    return math.exp(x) if x < 709.7 else (nan if x != x else inf)  # noqa: PLR0124 - nan


def sqrt(x: float) -> float:
    """The square root; nan below 0."""
    return math.sqrt(x) if x >= 0 else nan


def ratio(a: float, b: float) -> float:
    """a / b, infinite (or nan) where b is 0."""
    if b == 0:
        return nan if a == 0 else math.copysign(inf, a)
    return a / b


def ceil(x: float) -> float:
    """The least whole number that is not below ``x``, as a float."""
    whole = float(int(x))
    return whole + 1.0 if x > whole else whole


def betainc(a: float, b: float, x: float) -> float:
    """The probability that a Beta(a, b) variable is at most ``x``."""
    from scipy import special

    return float(special.betainc(a, b, x))


def betaincinv(a: float, b: float, p: float) -> float:
    """The ``x`` that a Beta(a, b) variable does not exceed with probability ``p``."""
    from scipy import special

    return float(special.betaincinv(a, b, p))


def gammaln(x: float) -> float:
    """The logarithm of the Gamma function of a positive ``x``."""
    from scipy import special

    return float(special.gammaln(x))


def ndtri(p: float) -> float:
    """The ``x`` that a standard normal variable does not exceed with probability ``p``."""
    from scipy import special

    return float(special.ndtri(p))


# Compiled code calls the C library's, and SciPy's with so many arguments.
ELEMENTARY: tuple[Callable[..., float], ...] = (log, log1p, exp, sqrt)
SPECIAL: dict[Callable[..., float], int] = {betainc: 3, betaincinv: 3, gammaln: 1, ndtri: 1}
