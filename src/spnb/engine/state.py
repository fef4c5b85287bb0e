"""The state of a learner: a struct of arrays that can be thinned, written and read back."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from spnb.base.errors import DataError
from spnb.engine.arrays import IntArray


@dataclass(slots=True)
class State:
    """Arrays with the batch axis first, and states of the same kind inside.

    Together with its generator's state this is all that a live learner needs to go on.
    """

    def keep(self, rows: IntArray) -> None:
        """Drop every run but these."""
        for name, value in self._parts():
            if isinstance(value, State):
                value.keep(rows)
            else:
                setattr(self, name, _thin(value, rows))

    def by_rows(self) -> None:
        """Lay the arrays out run by run in memory, for a loop that plays one run at a time."""
        for name, value in self._parts():
            if isinstance(value, State):
                value.by_rows()
            else:
                setattr(self, name, np.ascontiguousarray(value))

    def to_dict(self) -> dict[str, Any]:
        """Plain lists and numbers, exact to the last bit, valid JSON (no bare infinities)."""
        return {
            name: value.to_dict() if isinstance(value, State) else _to_lists(name, value)
            for name, value in self._parts()
        }

    def load(self, data: dict[str, Any]) -> Self:
        """Take over what ``to_dict`` wrote; this state lends the shapes and types."""
        names = {name for name, _ in self._parts()}
        if names != set(data):
            raise DataError(f"a state has the fields {sorted(names)}, got {sorted(data)}")
        for name, value in self._parts():
            if isinstance(value, State):
                value.load(data[name])
            else:
                value[...] = _from_lists(name, value, data[name])
        return self

    def _parts(self) -> list[tuple[str, Any]]:
        return [(name, getattr(self, name)) for name in self.__dataclass_fields__]


def _thin(array: NDArray[Any], rows: IntArray) -> NDArray[Any]:
    return np.asfortranarray(array[rows])


def _to_lists(name: str, array: NDArray[Any]) -> Any:
    if array.dtype == object:
        raise DataError(f"the state field {name!r} holds foreign objects: it cannot be written")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return np.where(np.isfinite(array), array.astype(object), array.astype(str)).tolist()
    return array.tolist()


def _from_lists(name: str, like: NDArray[Any], data: Any) -> NDArray[Any]:
    array = np.asarray(data, dtype=object).astype(like.dtype)
    if array.shape != like.shape:
        raise DataError(f"the state field {name!r} has shape {like.shape}, got {array.shape}")
    return array
