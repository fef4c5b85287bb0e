"""Bounds on the error of best-arm identification; 0 where every arm is a best one."""

from math import exp, floor

import numpy as np
from numpy.typing import ArrayLike

from spnb.base.errors import SpecError
from spnb.theory.bounds import h1, h1_with_best, h2, log_bar


def classical_error(error_at: float, arms: int) -> float:
    """Theorem 3 and its corollary for Seq: an error bound C_1 t K becomes C_1 t K^2.

    As printed. Nothing in the proof asks for the factor K: one pull a round is the classical
    setting with tau pulls, and its bound at tau pulls holds as it is.
    """
    return min(1.0, error_at * arms)


def ucbe_error(means: ArrayLike, budget: int, c: float) -> float:
    """UCBE's bound 2 n K exp(-2a/25), a = c n / H1; the paper drops the minus sign.

    It is proven for a <= 25/36 (n - K)/H1, the best arm counted in that H1, and refused beyond:
    there the formula may lie far below the error that UCBE really makes.
    """
    arms, hardness = _arms(means), float(h1(means))
    if hardness == 0:
        return 0.0
    most = 25 / 36 * (budget - arms) / budget * hardness / float(h1_with_best(means))
    if not 0 < c <= most:  # also refuses nan
        raise SpecError(
            f"ucbe_error is proven for 0 < c <= {max(most, 0.0):.4g} alone (these means, "
            f"budget {budget}), got c = {c!r}"
        )
    return min(1.0, 2 * budget * arms * exp(-2 * c * budget / hardness / 25))


def sr_error(means: ArrayLike, budget: int) -> float:
    """Successive Rejects with ``budget`` pulls: K(K-1)/2 exp(-(n - K)/(logbar(K) H2))."""
    arms, hardness = _arms(means), float(h2(means))
    if hardness == 0:
        return 0.0
    exponent = (budget - arms) / (log_bar(arms) * hardness)
    return min(1.0, arms * (arms - 1) / 2 * exp(-exponent))


def sr_plus_error(means: ArrayLike, rounds: int, budget: int | None = None) -> float:
    """SR+ with ``budget`` pulls, tau of them unless told otherwise, as the agent SR+ has.

    It makes the pulls of Successive Rejects, only sooner, so the bound is that of SR. Theorem 4
    speaks of another budget, see ``sr_plus_budget``.
    """
    return sr_error(means, rounds if budget is None else budget)


def sr_plus_budget(arms: int, rounds: int) -> int:
    """The largest budget with which SR+ is through within so many rounds.

    Its last two arms are pulled (n - K)/(2 logbar(K)) times each, which may be tau. The exponent is
    then 2 tau/H2: twice that of theorem 4, which sets n = (2T - 1) logbar(K)/(2K) + K and overlooks
    the 2 (and prints (2T - 1)/(2 H2), without the K of its own budget).
    """
    return arms + floor(2 * rounds * log_bar(arms))


def sr_plus_gain(arms: int, rounds: int) -> float:
    """The exponent of theorem 4 (with its own budget) over that of SR with tau pulls."""
    theorem_4 = (2 * rounds * arms - 1) / (2 * arms)
    return theorem_4 * log_bar(arms) / (rounds - arms)


def _arms(means: ArrayLike) -> int:
    return int(np.asarray(means).shape[-1])
