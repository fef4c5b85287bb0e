"""Array types and the few vector idioms that every policy and agent shares.

Shapes: ``B`` runs in the batch, ``R`` rows of it (a sorted subset), ``K`` arms.
"""

from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
Ties = Literal["random", "first"]
T = TypeVar("T", bound=np.generic)


def grid(batch: int, arms: int) -> FloatArray:
    """Zeros of shape [B, K], one column after the other in memory.

    The batch is long and the arms are few: column order makes every reduction over the arms a
    handful of long vector operations instead of one short loop per run.
    """
    return np.zeros((batch, arms), order="F")


def take(array: NDArray[T], rows: IntArray) -> NDArray[T]:
    """The given rows; the array itself, not a copy, when they are all of it."""
    return array if len(rows) == len(array) else array[rows]


def first_from(mask: BoolArray, start: IntArray) -> IntArray:
    """The first true column at or after ``start`` in each row; the number of columns if none."""
    arms = mask.shape[1]
    ahead = mask & (np.arange(arms) >= start[:, None])
    first = ahead.argmax(axis=1)
    return np.where(ahead[np.arange(len(first)), first], first, arms)


def argmax(score: FloatArray, ties: Ties, rng: np.random.Generator) -> IntArray:
    """The column of the largest score in each row.

    Equal finite scores are settled as ``ties`` says; among infinite ones (arms that must come
    first) the lowest position wins, so that a fresh learner tries its arms in order.
    """
    top = score.max(axis=1)
    tied = score == top[:, None]
    if ties == "random" and np.count_nonzero(tied) > len(tied):
        return any_true(tied, np.isfinite(top), rng)
    return tied.argmax(axis=1)


def any_true(mask: BoolArray, random: BoolArray, rng: np.random.Generator) -> IntArray:
    """A true column of each row: any of them where ``random``, else the first."""
    first: IntArray = mask.argmax(axis=1)
    several = np.flatnonzero((mask.sum(axis=1, dtype=np.int32) > 1) & random)
    if several.size:
        choices = mask[several].cumsum(axis=1)
        nth = np.floor(rng.random(several.size) * choices[:, -1])
        first[several] = (choices > nth[:, None]).argmax(axis=1)
    return first


def flat(array: NDArray[T], rows: IntArray, arm: IntArray) -> tuple[NDArray[T], IntArray]:
    """A grid as one long vector, and where its cells (row, arm) lie in it.

    Indexing a vector is more than twice as fast as indexing a grid by pairs.
    """
    return array.T.reshape(-1), arm * len(array) + rows
