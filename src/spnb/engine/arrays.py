"""Array types and the few vector idioms that every policy and agent shares.

Shapes: ``B`` runs in the batch, ``R`` rows of it (a sorted subset), ``K`` arms.
"""

from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from spnb.engine.compiled import part

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.intp]
BoolArray = NDArray[np.bool_]
Numbers: TypeAlias = Any
"""A number, or an array of them: a formula takes either, and gives what it was given."""
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
    return any_true(score == top[:, None], np.isfinite(top) & (ties == "random"), rng)


@part
def largest(score: FloatArray, random: bool, rng: np.random.Generator) -> int:
    """``argmax`` of a single row, number by number; it throws the same dice."""
    top, arm, tied = score[0], 0, 1
    for place in range(1, len(score)):
        if score[place] > top:
            top, arm, tied = score[place], place, 1
        elif score[place] == top:
            tied += 1
    if random and tied > 1 and np.isfinite(top):
        pick = int(rng.random() * tied)
        for place in range(arm, len(score)):
            if score[place] == top:
                arm = place
                if pick == 0:
                    break
                pick -= 1
    return arm


def any_true(mask: BoolArray, random: BoolArray, rng: np.random.Generator) -> IntArray:
    """A true column of each row (there is one): any of them where ``random``, else the first."""
    rows = len(mask)
    row, column = true_cells(mask)
    chosen = np.empty(rows, dtype=np.intp)
    # Of several values written to one place the last one stays.
    chosen[row[::-1]] = column[::-1]
    if len(row) > rows:
        count = np.bincount(row, minlength=rows)
        tied = np.flatnonzero(random & (count > 1))
        last = np.cumsum(count[tied])
        pick = last - count[tied] + (rng.random(len(tied)) * count[tied]).astype(np.intp)
        chosen[tied] = np.nonzero(mask[tied])[1][pick]
    return chosen


def true_cells(mask: BoolArray) -> tuple[IntArray, IntArray]:
    """Rows and columns of what is true, column by column: ``nonzero`` for grids, but faster."""
    column, row = np.divmod(np.flatnonzero(mask.T), len(mask))
    return row, column


def flat(array: NDArray[T], rows: IntArray, arm: IntArray) -> tuple[NDArray[T], IntArray]:
    """A grid as one long vector, and where its cells (row, arm) lie in it.

    Indexing a vector is more than twice as fast as indexing a grid by pairs.
    """
    return array.T.reshape(-1), arm * len(array) + rows
