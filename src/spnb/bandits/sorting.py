"""Sorting in place, for lists and for compiled arrays alike."""

from typing import Any


def sort(values: Any, size: int) -> None:
    """Put the first ``size`` values into increasing order (heap sort: quick to compile)."""
    for turn in range(size // 2 + size - 1):
        if turn < size // 2:
            root, end = size // 2 - 1 - turn, size
        else:
            root, end = 0, size - 1 - (turn - size // 2)
            values[0], values[end] = values[end], values[0]
        value = values[root]
        child = 2 * root + 1
        while child < end:
            if child + 1 < end and values[child + 1] > values[child]:
                child += 1
            if values[child] <= value:
                break
            values[root] = values[child]
            root, child = child, 2 * child + 1
        values[root] = value
