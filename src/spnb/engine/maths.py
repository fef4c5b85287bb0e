"""Functions of single numbers, the same number to the last bit in plain Python and compiled.

Python's own raise where machine code gives an infinity; these never raise. Special functions are
SciPy's, loaded when first called; compiled code calls the very same ones (``engine/native.py``).
"""

import math
from collections.abc import Callable
from typing import Any

inf, nan = math.inf, math.nan
CENTRAL = 0.45  # so far from the middle the normal quantile is simple
_log, _log1p, _exp, _sqrt = math.log, math.log1p, math.exp, math.sqrt  # a look-up less


def log(x: float) -> float:
    """ln x; minus infinity at 0."""
    return _log(x) if x > 0 else (-inf if x == 0 else nan)


def log1p(x: float) -> float:
    """ln(1 + x); minus infinity at -1."""
    return _log1p(x) if x > -1 else (-inf if x == -1 else nan)


def exp(x: float) -> float:
    """e^x; infinite beyond what a float can hold."""
    return _exp(x) if x <= 709.782712893384 else (nan if x != x else inf)  # noqa: PLR0124 - only nan is not itself


def sqrt(x: float) -> float:
    """The square root; nan below 0."""
    return _sqrt(x) if x >= 0 else nan


def ratio(a: float, b: float) -> float:
    """a / b, infinite (or nan) where b is 0."""
    if b == 0:
        return a * math.copysign(inf, b)  # nan if a is 0 or nan
    return a / b


def ceil(x: float) -> float:
    """The least whole number that is not below ``x``, as a float."""
    whole = float(int(x))
    return whole + 1.0 if x > whole else whole


def xlogx(x: float) -> float:
    """x ln x; 0 at 0."""
    return x * log(x) if x > 0 else 0.0


def kl_upper(mean: float, radius: float) -> float:
    """The largest q with kl(mean, q) <= radius.

    Newton's method from Wilson's bound. kl(mean, .) is convex, so from the first step on every
    step stays right of the root; the last one leaves an error of its square.
    """
    room = 1.0 - mean
    if room <= 1e-12 or radius <= 0.0:
        return 1.0 if room <= 1e-12 else mean
    fit = xlogx(mean) + xlogx(room)
    q, step = wilson(1.0, mean, radius), 1.0
    for _ in range(60):
        if not mean < q < 1.0 or abs(step) <= 1e-8 * min(q - mean, 1.0 - q):
            break
        step = (fit - mean * log(q) - room * log1p(-q) - radius) * q * (1.0 - q) / (q - mean)
        q = q - step if q - step < 1.0 else 0.5 * (1.0 + q)
    return min(max(q, mean), 1.0)


def wilson(pulls: float, sums: float, nats: float) -> float:
    """Wilson's upper bound of a mean: of N kl(mean, q) <= nats, where kl is a parabola."""
    mean, wide = sums / pulls, nats / pulls
    return (mean + wide + sqrt(wide * (wide + 2.0 * mean * (1.0 - mean)))) / (1.0 + 2.0 * wide)


def sort(values: Any, size: int) -> None:
    """Put the first ``size`` values into increasing order (heap sort: quick to compile)."""
    for turn in range(size // 2 + size - 1):
        if turn < size // 2:
            root, end = size // 2 - 1 - turn, size
        else:
            root, end = 0, size - 1 - (turn - size // 2)
            values[0], values[end] = values[end], values[0]
        value = values[root]
        child = 2 * root + 1
        while child < end:
            if child + 1 < end and values[child + 1] > values[child]:
                child += 1
            if values[child] <= value:
                break
            values[root] = values[child]
            root, child = child, 2 * child + 1
        values[root] = value


def cholesky(square: Any, size: int) -> None:
    """Turn the lower half of a positive definite matrix into its triangular root, in place."""
    for column in range(size):
        pivot = square[column, column]
        for k in range(column):
            pivot -= square[column, k] * square[column, k]
        pivot = sqrt(pivot)
        square[column, column] = pivot
        for i in range(column + 1, size):
            total = square[i, column]
            for k in range(column):
                total -= square[i, k] * square[column, k]
            square[i, column] = total / pivot


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


def normal_quantile(p: float) -> float:
    """``ndtri`` to ten digits, mostly without calling it: far quicker."""
    return central_quantile(p - 0.5) if abs(p - 0.5) < CENTRAL else ndtri(p)


def central_quantile(q: float) -> float:
    """The normal quantile of 1/2 + q, abs(q) < CENTRAL: a ratio of polynomials (a minimax fit)."""
    # In pairs, so that a processor need not do one step after the other.
    r = q * q
    r2 = r * r
    upper = (2.506628274704 - 28.61466659647 * r) + (118.9181490377 - 214.2683734161 * r) * r2
    lower = (1.0 - 12.46279787886 * r) + (58.18957950586 - 123.9664247078 * r) * r2
    upper += (149.9975283939 - 21.66852216282 * r) * (r2 * r2)
    lower += (114.7847812423 - 32.97392323412 * r) * (r2 * r2)
    return q * upper / lower


# Compiled code calls the C library's, and SciPy's with so many arguments.
ELEMENTARY: tuple[Callable[..., float], ...] = (log, log1p, exp, sqrt)
SPECIAL: dict[Callable[..., float], int] = {betainc: 3, betaincinv: 3, gammaln: 1, ndtri: 1}
