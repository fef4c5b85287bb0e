"""Special functions for NumPy and compiled code alike: SciPy's, loaded when first called."""

from typing import Any


def betainc(a: Any, b: Any, x: Any) -> Any:
    """The probability that a Beta(a, b) variable is at most ``x``."""
    from scipy import special

    return special.betainc(a, b, x)


def betaincinv(a: Any, b: Any, p: Any) -> Any:
    """The ``x`` that a Beta(a, b) variable does not exceed with probability ``p``."""
    from scipy import special

    return special.betaincinv(a, b, p)


def gammaln(x: Any) -> Any:
    """The logarithm of the Gamma function of a positive ``x``."""
    from scipy import special

    return special.gammaln(x)
