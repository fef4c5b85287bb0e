"""How many pulls it takes to be sure: the characteristic time of Garivier & Kaufmann (2016).

No agent that errs with probability at most delta on every problem names the best arm with fewer
than about T*(mu) ln(1/delta) pulls, where

    1/T*(mu) = max over shares w, min over b != a*, of w_a* kl(mu_a*, m) + w_b kl(mu_b, m)

and m is the mean of both arms at these shares. The shares that reach the maximum are what Track and
Stop follows, so they are computed with plain arithmetic on numbers, which can be compiled.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spnb.engine.arrays import FloatArray
from spnb.engine.maths import exp, inf, log

EDGE = 1e-9  # means are kept so far inside (0, 1)


def characteristic_time(means: ArrayLike) -> FloatArray:
    """T*(mu) along the last axis; infinite where the best arm is not the only one."""
    rows = np.clip(np.atleast_2d(np.asarray(means, dtype=float)), EDGE, 1 - EDGE)
    distinct, place = np.unique(rows, axis=0, return_inverse=True)
    shares = [0.0] * rows.shape[1]
    rates = np.array([best_shares(row, shares) for row in distinct.tolist()])
    with np.errstate(divide="ignore"):
        times = (1 / rates)[place.reshape(-1)]
    return np.asarray(times.reshape(np.asarray(means).shape[:-1]))


def best_shares(means: Any, shares: Any) -> float:
    """Fill in the shares of the pulls that tell the best arm soonest; 1/T* is returned.

    All means lie inside (0, 1). With y the common rate of all pairs, in units of the best arm's
    share, arm b needs x_b(y) times the pulls of the best; at the right y the sum over b of
    kl(mu_a*, m_b)/kl(mu_b, m_b) is 1 (their theorem 5), which Newton's method finds.
    """
    best = leader_of(means)
    if best < 0:
        return 0.0 if share_evenly(means, shares) > 1 else inf
    most = inf
    for arm in range(len(means)):
        shares[arm] = 0.0
        if arm != best:
            most = min(most, kl_inside(means[best], means[arm]))
    low, high, u, y = -40.0, 40.0, 0.0, 0.0
    for _ in range(60):
        y = most / (1.0 + exp(-u))
        total, slope = balance(means, shares, best, y)
        if total > 1.0:
            high = u
        else:
            low = u
        step = log(total) * total / (slope * y * (1.0 - y / most))
        u = u - step if low < u - step < high else 0.5 * (low + high)
        if abs(step) < 1e-9 or high - low < 1e-9:
            break
    whole = 1.0
    for arm in range(len(means)):
        whole += shares[arm]
    shares[best] = 1.0
    for arm in range(len(means)):
        shares[arm] /= whole
    return y / whole


def leader_of(means: Any) -> int:
    """The arm of the largest mean; -1 if it is not the only one, or there is no other."""
    best, tied = 0, 0
    for arm in range(len(means)):
        if means[arm] > means[best]:
            best = arm
    for arm in range(len(means)):
        tied += means[arm] == means[best]
    return best if tied == 1 and len(means) > 1 else -1


def share_evenly(means: Any, shares: Any) -> int:
    """Give the best arms equal shares and the others none; how many best ones there are."""
    highest, tied = 0.0, 0
    for arm in range(len(means)):
        highest = max(highest, means[arm])
    for arm in range(len(means)):
        tied += means[arm] == highest
    for arm in range(len(means)):
        shares[arm] = 1.0 / tied if means[arm] == highest else 0.0
    return tied


def balance(means: Any, ratios: Any, best: int, y: float) -> Any:
    """The sum that must be 1 and its slope in y; ``ratios`` become x_b(y), from a first guess."""
    total = slope = 0.0
    for arm in range(len(means)):
        if arm == best:
            continue
        top, low = means[best], means[arm]
        x = ratios[arm] = ratio_for(top, low, y, ratios[arm])
        m = (top + x * low) / (1.0 + x)
        near, far = kl_inside(top, m), kl_inside(low, m)
        total += near / far
        bend = ((m - top) * far - (m - low) * near) / (m * (1.0 - m) * far * far)
        slope += bend * (low - m) / (1.0 + x) / far
    return total, slope


def ratio_for(top: float, low: float, y: float, x: float) -> float:
    """The x with kl(top, m) + x kl(low, m) = y, m = (top + x low)/(1 + x): concave in x."""
    for _ in range(100):
        m = (top + x * low) / (1.0 + x)
        far = kl_inside(low, m)
        step = (y - kl_inside(top, m) - x * far) / far
        x = max(x + step, 0.0)
        if abs(step) <= 1e-10 * (1.0 + x):
            break
    return x


def kl_inside(p: float, q: float) -> float:
    """Divergence of Bernoulli(p) from Bernoulli(q), both inside (0, 1)."""
    return p * log(p / q) + (1.0 - p) * log((1.0 - p) / (1.0 - q))
