"""What no agent can beat on average over a family of problems: a bound on the Bayes regret.

The means of a family are drawn independently of each other. Regret is a sum over the arms: an arm
of mean theta whose best competitor has mean b costs b - theta a pull if theta < b, and theta a
round without a pull if theta > b. Tell the agent b (and all about the other arms): that can only
help it. Then each arm is a problem of its own, since the others' rewards say nothing of theta, and
a pass teaches nothing, so the best is to pull up to some moment and never again (an information
relaxation: Brown, Smith & Sun 2010). When to stop is found by dynamic programming over the number
of rewards and their sum.
"""

from typing import Protocol, runtime_checkable

import numpy as np

from spnb.engine.arrays import FloatArray, IntArray

LEVELS = 24  # values of the competitor's mean
CELLS = 60  # of equal probability, for integrals over theta, beside those that the levels cut


@runtime_checkable
class Family(Protocol):
    """Arms whose means are drawn independently, by one law."""

    @property
    def arms(self) -> int: ...

    def quantile(self, share: FloatArray) -> FloatArray:
        """The mean below which this share of all means lies."""
        ...


def bayes_limit(family: Family, rounds: int) -> float:
    """A lower bound on every agent's mean regret over the family's problems.

    Integrals are by Gauss's rule; the error is some parts in ten thousand.
    """
    return float(bayes_limits(family, np.array([rounds]))[0])


def bayes_limits(family: Family, rounds: IntArray) -> FloatArray:
    """The same for several numbers of rounds, at hardly more work than the largest alone takes."""
    if family.arms == 1:
        return np.zeros(len(rounds))
    at, weight = _gauss(LEVELS)
    shares = at ** (1.0 / (family.arms - 1))  # quantiles of the largest of the other means
    return family.arms * _stopping_costs(family, rounds, shares) @ weight


def _gauss(points: int) -> tuple[FloatArray, FloatArray]:
    """Nodes and weights of Gauss's rule on [0, 1]."""
    node, weight = np.polynomial.legendre.leggauss(points)
    return (node + 1.0) / 2.0, weight / 2.0


def _stopping_costs(family: Family, rounds: IntArray, shares: FloatArray) -> FloatArray:
    """The least expected cost of one arm, [rounds, quantiles of its best competitor's mean]."""
    theta, weight = _nodes(family, shares)
    level = family.quantile(shares)
    miss = np.where(theta[:, None] > level, theta[:, None], 0.0) * weight[:, None]
    pull = np.maximum(level - theta[:, None], 0.0) * weight[:, None]
    columns = np.column_stack([miss, pull, weight])
    with np.errstate(divide="ignore"):
        yes, no = np.log(theta), np.log1p(-theta)
    most = int(rounds.max())
    # [wins, rounds, shares]; after the last round nothing is at stake
    cost = np.zeros((most + 1, len(rounds), len(shares)))
    for pulls in range(most - 1, -1, -1):
        wins = np.arange(pulls + 1.0)[:, None]
        like = np.exp(wins * yes + (pulls - wins) * no - _best_fit(wins, pulls))
        sums = like @ columns
        chance = np.maximum(sums[:, -1:], 1e-300)
        missed, paid = ((part / chance)[:, None] for part in np.split(sums[:, :-1], 2, axis=1))
        won = (like @ (theta * weight) / chance[:, 0])[:, None, None]
        go_on = paid + won * cost[1 : pulls + 2] + (1.0 - won) * cost[: pulls + 1]
        left = np.maximum(rounds - pulls, 0)[:, None]
        cost = np.minimum(left * missed, go_on)
    return cost[0]


def _nodes(family: Family, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Points and weights for integrals over an arm's mean, in cells that no level cuts."""
    edges = np.unique(np.concatenate([np.linspace(0.0, 1.0, CELLS + 1), shares]))
    node, weight = _gauss(3)
    width = np.diff(edges)[:, None]
    return family.quantile((edges[:-1, None] + width * node).ravel()), (width * weight).ravel()


def _best_fit(wins: FloatArray, pulls: int) -> FloatArray:
    """The largest log-likelihood of so many wins: likelihoods are taken relative to it."""
    from scipy.special import xlogy

    return xlogy(wins, wins / max(pulls, 1)) + xlogy(pulls - wins, 1.0 - wins / max(pulls, 1))


def two_armed_optimum(rounds: int) -> float:
    """The least mean regret over two arms of uniform means, by exact dynamic programming.

    No relaxation: the best answer to every offer, given the rewards of both arms so far. Meant for
    few rounds: the work grows with their fifth power.
    """
    pulls, wins = np.tril_indices(rounds + 1)  # all that an arm may have shown, (0, 0) first
    miss, pull = _two_armed_prices(pulls, wins)
    win, lose = (_follower(rounds, pulls, wins + more) for more in (1, 0))
    cost = np.zeros((len(pulls), len(pulls)))  # [what the first arm showed, the second]
    for _ in range(rounds):  # back from the last round; both arms face the same choice in turn
        for arm in (1, 0):
            mine = cost.T if arm else cost
            chance = ((wins + 1.0) / (pulls + 2.0))[:, None]
            looked = pull + chance * mine[win] + (1.0 - chance) * mine[lose]
            best = np.minimum(miss + mine, looked)
            cost = best.T if arm else best
    return float(cost[0, 0])


def _two_armed_prices(pulls: IntArray, wins: IntArray) -> tuple[FloatArray, FloatArray]:
    """What a missed round and a pull of an arm cost, for what it showed and what the other did.

    E[theta; theta > other] and E[(other - theta)+] are integrals of polynomials, for which Gauss's
    rule is exact.
    """
    from scipy.special import betainc
    from scipy.stats import beta

    x, weight = _gauss(int(pulls.max()) + 2)
    a, b = wins[:, None] + 1.0, (pulls - wins)[:, None] + 1.0
    density, below = beta.pdf(x, a, b) * weight, betainc(a, b, x)
    up = (density * x) @ below.T
    mean = ((wins + 1.0) / (pulls + 2.0))[:, None]
    return up, up.T - (mean - up)


def _follower(rounds: int, pulls: IntArray, wins: IntArray) -> IntArray:
    """Where an arm's history stands in the list with one pull more; the last ones stay."""
    more = np.minimum(pulls + 1, rounds)
    return more * (more + 1) // 2 + np.minimum(wins, more)
