"""Complexities, lower bounds and the paper's upper bounds, its printed slips corrected.

Logarithms are natural. ``means`` are those of one problem; a* is the first of the largest.
"""

import numpy as np
from numpy.typing import ArrayLike

from spnb.engine.arrays import BoolArray, FloatArray


def kl(p: FloatArray, q: FloatArray) -> FloatArray:
    """Divergence of Bernoulli(p) from Bernoulli(q), in nats; infinite where q rules p out."""
    from scipy.special import rel_entr

    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)


def log_bar(arms: int) -> float:
    """1/2 + sum of 1/i for i = 2..K, the price of not knowing how many arms are hard."""
    total = 0.5
    for i in range(2, arms + 1):
        total += 1.0 / i
    return total


def gaps(means: ArrayLike, tolerance: float = 0.0) -> FloatArray:
    """Delta_i = mu* - mu_i along the last axis; 0 for every arm within ``tolerance`` of mu*."""
    mu = np.asarray(means, dtype=float)
    best = mu.max(axis=-1, keepdims=True)
    return np.where(as_good(mu, best, tolerance), 0.0, best - mu)


def as_good(means: FloatArray, bar: FloatArray, tolerance: float = 0.0) -> BoolArray:
    """Which arms count as best: none lies more than ``tolerance`` below the bar.

    The one definition of a tie, for regret, error, bounds and plans.
    """
    good: BoolArray = means >= bar - tolerance
    return good


def _suboptimal(means: ArrayLike) -> tuple[FloatArray, float]:
    """Gaps of every arm but a*, and mu*."""
    mu = np.asarray(means, dtype=float)
    return np.delete(gaps(mu), mu.argmax()), float(mu.max())


def h1(means: ArrayLike, tolerance: float = 0.0) -> FloatArray:
    """H1: sum over suboptimal arms of 1/Delta_i^2, along the last axis; 0 if there is none."""
    gap = gaps(means, tolerance)
    worse = gap > 0
    total: FloatArray = np.where(worse, 1 / np.where(worse, gap, 1.0) ** 2, 0.0).sum(axis=-1)
    return total


def h1_with_best(means: ArrayLike, tolerance: float = 0.0) -> FloatArray:
    """H1 as others define it: the best arm counted too, with the smallest gap above 0."""
    gap = gaps(means, tolerance)
    smallest = np.where(gap > 0, gap, np.inf).min(axis=-1)
    return h1(means, tolerance) + 1 / smallest**2


def h2(means: ArrayLike, tolerance: float = 0.0) -> FloatArray:
    """H2: max over the suboptimal arms of i / Delta_(i)^2, all gaps in increasing order."""
    sorted_gaps = np.sort(gaps(means, tolerance), axis=-1)
    worse, rank = sorted_gaps > 0, np.arange(1, sorted_gaps.shape[-1] + 1)
    hardest: FloatArray = np.where(worse, rank / np.where(worse, sorted_gaps, 1.0) ** 2, 0.0)
    return hardest.max(axis=-1)


def lower_bound_constant(means: ArrayLike, tolerance: float = 0.0) -> FloatArray:
    """sum Delta_i / kl(mu_i, mu*): no uniformly good agent pays less than this times ln(tau)."""
    return _per_log(means, gaps(means, tolerance), tolerance)


def one_pull_constant(means: ArrayLike, tolerance: float = 0.0) -> FloatArray:
    """sum (mu* + Delta_i) / kl(mu_i, mu*): the same for agents limited to one pull a round."""
    best = np.asarray(means, dtype=float).max(axis=-1, keepdims=True)
    return _per_log(means, best + gaps(means, tolerance), tolerance)


def _per_log(means: ArrayLike, price: FloatArray, tolerance: float) -> FloatArray:
    mu = np.asarray(means, dtype=float)
    worse = gaps(mu, tolerance) > 0
    divergence = kl(mu, np.broadcast_to(mu.max(axis=-1, keepdims=True), mu.shape))
    return np.where(worse, price / np.where(worse, divergence, 1.0), 0.0).sum(axis=-1)


def classical_regret(
    means: ArrayLike, rounds: ArrayLike, per_log: ArrayLike, offset: ArrayLike
) -> FloatArray:
    """Theorem 1: a policy with E[N_i(t)] <= C_i ln t + A_i, pulled once a round.

    sum (mu* + Delta_i) (C_i ln T + A_i - C_i ln K); the paper prints -C_i K.
    """
    return _regret_bound(means, rounds, per_log, offset, offers_per_round=1)


def seq_regret(
    means: ArrayLike, rounds: ArrayLike, per_log: ArrayLike, offset: ArrayLike
) -> FloatArray:
    """Theorem 2: the same policy under Seq, sum (mu* + Delta_i) (C_i ln T + A_i), T = tau K."""
    arms = np.asarray(means).shape[-1]
    return _regret_bound(means, rounds, per_log, offset, offers_per_round=arms)


def _regret_bound(
    means: ArrayLike,
    rounds: ArrayLike,
    per_log: ArrayLike,
    offset: ArrayLike,
    offers_per_round: int,
) -> FloatArray:
    gap, best = _suboptimal(means)
    price = best + gap
    log = np.log(np.asarray(rounds, dtype=float) * offers_per_round)
    slope = np.sum(price * np.asarray(per_log, dtype=float))
    level = np.sum(price * np.asarray(offset, dtype=float))
    return np.asarray(slope * log + level)


def ucb1_constants(means: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """C_i = 8/Delta_i^2 and A_i = 1 + pi^2/3 of UCB1, for the suboptimal arms in order."""
    gap, _ = _suboptimal(means)
    with np.errstate(divide="ignore"):
        return 8 / gap**2, np.full(len(gap), 1 + np.pi**2 / 3)


def kl_constants(means: ArrayLike, epsilon: float = 0.0) -> tuple[FloatArray, FloatArray]:
    """C_i = (1 + epsilon)/kl(mu_i, mu*) of TS and bUCB; their A_i is o(ln t), left at 0."""
    gap, best = _suboptimal(means)
    with np.errstate(divide="ignore"):
        per_log = (1 + epsilon) / kl(best - gap, np.full(len(gap), best))
    return per_log, np.zeros(len(gap))


def classical_error(error_at: float, arms: int) -> float:
    """Theorem 3 and its corollary for Seq: an error bound C_1 t K becomes C_1 t K^2."""
    return min(1.0, error_at * arms)


def ucbe_error(means: ArrayLike, budget: int, c: float) -> float:
    """UCBE's bound 2 n K exp(-2a/25), a = c n / H1; the paper drops the minus sign."""
    arms = np.asarray(means).shape[-1]
    rate = c * budget / float(h1(means))
    return min(1.0, 2 * budget * arms * float(np.exp(-2 * rate / 25)))


def sr_error(means: ArrayLike, budget: int) -> float:
    """Successive Rejects with ``budget`` pulls: K(K-1)/2 exp(-(n - K)/(logbar(K) H2))."""
    arms = np.asarray(means).shape[-1]
    return _sr_error(means, (budget - arms) / log_bar(arms))


def sr_plus_error(means: ArrayLike, rounds: int) -> float:
    """Theorem 4: SR+ with budget n = (2T - 1) logbar(K)/(2K) + K.

    Put into the bound of Successive Rejects this gives the exponent (2T - 1)/(2 K H2); the paper
    prints it without K.
    """
    arms = np.asarray(means).shape[-1]
    return _sr_error(means, (2 * rounds * arms - 1) / (2 * arms))


def _sr_error(means: ArrayLike, pulls: float) -> float:
    arms = np.asarray(means).shape[-1]
    return min(1.0, arms * (arms - 1) / 2 * float(np.exp(-pulls / float(h2(means)))))


def ucbrev_plus_regret(means: ArrayLike, rounds: int, threshold: float | None = None) -> float:
    """Theorem 5: regret of UCBrev+, for a gap ``threshold`` of at least sqrt(e / T)."""
    gap, best = _suboptimal(means)
    offers = rounds * (len(gap) + 1)
    least = float(np.sqrt(np.e / offers))
    limit = least if threshold is None else max(threshold, least)
    large, small = gap[gap > limit], gap[(gap > 0) & (gap <= limit)]
    paid = large + (32 * np.log(offers * large**2) + 96) / large + 512 * best / large**2
    missed = 64 / limit + 512 * best / limit**2 + small * offers
    return float(paid.sum() + missed.sum())
