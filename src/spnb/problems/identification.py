"""The seven identification problems of Audibert & Bubeck 2010, the best arm first."""

from spnb.base.errors import DataError
from spnb.problems.stationary import Bernoulli

_BEST = 0.5

_REST: dict[int, list[float]] = {
    1: [0.4] * 19,
    2: [0.42] * 5 + [0.38] * 14,
    3: [_BEST - 0.37**i for i in range(2, 5)],
    4: [0.42] + [0.4] * 2 + [0.35] * 2,
    5: [_BEST - 0.025 * i for i in range(2, 16)],
    6: [0.48] + [0.37] * 18,
    7: [0.45] * 5 + [0.43] * 14 + [0.38] * 10,
}

BUDGETS = {1: 2000, 2: 2000, 3: 2000, 4: 600, 5: 4000, 6: 6000, 7: 6000}
"""The paper's number of rounds for each experiment."""


def experiment(number: int) -> Bernoulli:
    """Problem 1 to 7 of the paper's identification experiments."""
    if number not in _REST:
        raise DataError(f"experiment must be one of 1 to {len(_REST)}, got {number!r}")
    return Bernoulli((_BEST, *_REST[number]))
