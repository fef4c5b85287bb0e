"""What a fleet refuses: unknown ids, rewards that cannot be, pulls that were never made."""

import numpy as np
from numpy.typing import ArrayLike

from spnb.base.errors import ConflictError, DataError, MissingError, SpecError
from spnb.base.words import shown
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.live.learner import MOST_ROUNDS

MOST_CAMPAIGNS = 10**12


def checked_ids(size: int | range) -> range:
    """The ids of so many campaigns, or those given."""
    if isinstance(size, int | np.integer) and not isinstance(size, bool):
        size = range(int(size))
    if not isinstance(size, range) or size.step != 1 or size.start < 0 or len(size) == 0:
        raise SpecError(f"size must be a whole number >= 1, or a range of ids, got {size!r}")
    if size.stop > MOST_CAMPAIGNS:
        raise SpecError(f"ids must be below {MOST_CAMPAIGNS}, got {size!r}")
    return size


def rows_of(ids: ArrayLike, known: range) -> IntArray:
    """The rows of these campaigns, each named once."""
    given = np.asarray(ids)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
        raise SpecError(f"ids must be a list of whole numbers, got {shown(ids)}")
    unknown = given[(given < known.start) | (given >= known.stop)]
    if unknown.size:
        raise MissingError(
            f"there is no campaign {unknown[0]}: ids are {known.start} to {known.stop - 1}"
        )
    if not (given[1:] > given[:-1]).all():
        each, times = np.unique(given, return_counts=True)
        if times.max() > 1:
            raise DataError(f"campaign {each[times > 1][0]} is named twice: once is enough")
    rows: IntArray = given.astype(np.intp) - known.start
    return rows


def paid(ids: IntArray, rewards: ArrayLike, trials: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """A reward and its trials for each of these campaigns."""
    sums, of = _one_each("rewards", rewards, len(ids)), _one_each("trials", trials, len(ids))
    odd = np.flatnonzero(~((of >= 1) & (of % 1 == 0) & (of <= MOST_ROUNDS)))
    if odd.size:
        raise SpecError(f"trials must be whole numbers >= 1, got {of[odd[0]]:g}")
    odd = np.flatnonzero(~((sums >= 0) & (sums <= of)))  # also refuses nan
    if odd.size:
        at = odd[0]
        raise DataError(
            f"reward of campaign {ids[at]} must lie in [0, {of[at]:g}], got {sums[at]:g}"
        )
    return sums, of


def refuse_closed(ids: IntArray, waiting: BoolArray, arm: int) -> None:
    """Every campaign must wait for the reward of a pull of this arm."""
    if not waiting.all():
        raise ConflictError(
            f"campaign {ids[~waiting][0]} waits for no reward of arm {arm}: it did not pull the "
            "arm, or the reward was observed or given up for lost before"
        )


def checked_offered(offered: ArrayLike, size: int) -> BoolArray:
    """Whether each campaign gets the offer."""
    mask = np.asarray(offered)
    if mask.dtype != bool or mask.shape != (size,):
        raise SpecError(
            f"offered must be true or false for each of {size} campaigns, got {mask.dtype} of "
            f"shape {mask.shape}"
        )
    return mask


def _one_each(name: str, given: ArrayLike, count: int) -> FloatArray:
    """A number for each: one for all, or as many as there are."""
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers, got {shown(given)}") from None
    if values.ndim and values.shape != (count,):
        raise DataError(f"{name} must be one for each of {count} ids, got shape {values.shape}")
    return np.broadcast_to(values, (count,))
