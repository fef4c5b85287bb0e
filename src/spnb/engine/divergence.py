"""The Bernoulli divergence kl(p, q) and its inverse; indices, bounds and theory all use these."""

import numpy as np

from spnb.engine.arrays import FloatArray


def kl(p: FloatArray, q: FloatArray) -> FloatArray:
    """Divergence of Bernoulli(p) from Bernoulli(q), in nats; infinite where q rules p out."""
    from scipy.special import rel_entr

    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def kl_short(mean: FloatArray, level: FloatArray) -> FloatArray:
    """kl(mean, level) for a mean short of its level, 0 for one that has reached it.

    The entropy of the mean is set apart, so that with one level for many arms its logarithms are
    taken once: half the cost of ``kl`` where it matters most.
    """
    from scipy.special import xlogy

    rest = 1 - mean
    entropy = xlogy(mean, mean)
    entropy += xlogy(rest, rest)
    with np.errstate(divide="ignore", invalid="ignore"):  # levels 0 and 1: settled below
        entropy -= mean * np.log(level)
        entropy -= rest * np.log1p(-level)
    np.copyto(entropy, 0.0, where=mean >= level)
    return entropy


def kl_upper(mean: FloatArray, radius: FloatArray) -> FloatArray:
    """The largest q with kl(mean, q) <= radius.

    Newton from the right: kl(mean, .) is convex there, so every step stays right of the root.
    The start is the smaller of two upper bounds (Pinsker's, and one that is exact at mean 0),
    close enough for a few steps to reach machine precision.
    """
    from scipy.special import xlogy

    radius = np.maximum(radius, 0.0)
    inner = np.minimum(mean, 1 - 1e-12)  # a mean of 1 is its own bound; avoid 0/0 on the way
    room = 1 - inner
    exact_at_zero = 1 - room * np.exp(-(radius - xlogy(inner, inner)) / room)
    q = np.minimum(inner + np.sqrt(radius / 2), exact_at_zero)
    for _ in range(50):
        slope = (q - inner) / np.maximum(q * (1 - q), 1e-300)
        excess = kl(inner, np.clip(q, 0.0, 1.0)) - radius
        step = np.where((slope > 0) & np.isfinite(excess), excess / np.maximum(slope, 1e-300), 0.0)
        q = np.clip(q - np.maximum(step, 0.0), inner, 1.0)
        if not (step > 1e-15).any():
            break
    return np.where(mean >= 1 - 1e-12, 1.0, q)
