"""What is believed of the arms' means: independent Beta posteriors, and who is best under them."""

import numpy as np

from spnb.engine.arrays import FloatArray

_POINTS = 80  # of the grid on which the chance of being best is added up, and of each refinement
_REFINEMENTS = 4
_TINY = 1e-300


def chance_of_best(told: FloatArray, sums: FloatArray) -> FloatArray:
    """The probability that each arm's mean is the largest, under independent Beta posteriors.

    Between two points of a grid, an arm's probability to lie there times that of all others to
    lie below. The grid is fine where the largest mean lies: its points are quantiles of the
    largest mean, as far as an earlier, coarser grid tells them.
    """
    wins, losses = wins_and_losses(told, sums)
    grid = np.linspace(0.0, 1.0, _POINTS)
    below = _below(wins, losses, grid)
    for turn in range(_REFINEMENTS):
        largest = np.exp(np.log(np.maximum(below, _TINY)).sum(axis=0))  # its distribution
        levels = (np.arange(_POINTS) + (turn + 0.5) / _REFINEMENTS) / _POINTS  # others each time
        finer = np.setdiff1d(np.interp(levels, largest, grid), grid)
        grid = np.append(grid, finer)
        below = np.append(below, _below(wins, losses, finer), axis=1)
        order = np.argsort(grid)
        grid, below = grid[order], below[:, order]
    logs = np.log(np.maximum(below, _TINY))
    others = np.exp(logs.sum(axis=0) - logs)
    chance: FloatArray = (np.diff(below) * (others[:, 1:] + others[:, :-1])).sum(axis=1)
    return chance / chance.sum()


def wins_and_losses(told: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wins and losses; corrections may leave a rounding error in a sum."""
    wins = np.clip(sums, 0.0, told)
    return wins, told - wins


def _below(wins: FloatArray, losses: FloatArray, grid: FloatArray) -> FloatArray:
    """[K, points]: the chance that each mean lies below each point."""
    from scipy.special import betainc

    below: FloatArray = betainc(1 + wins[:, None], 1 + losses[:, None], grid)
    return below
