"""What is taken for a problem, and how a problem is told to others."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from spnb.base.errors import SpecError
from spnb.base.words import shown
from spnb.engine.arrays import FloatArray
from spnb.problems.base import Problem
from spnb.problems.stationary import Bernoulli, KnownMeans

ProblemLike = Problem | Sequence[float] | FloatArray
MANY = 2500  # numbers: a longer list is told by its length


def as_problem(given: object) -> Problem:
    """A problem; the means of Bernoulli arms are one, too."""
    if isinstance(given, Problem):
        return given
    if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
        return Bernoulli(given)  # type: ignore[arg-type]  # it checks them itself
    made = getattr(given, "problem", None)
    hint = "; say data.problem()" if callable(made) else ""
    raise SpecError(f"a problem is a Problem or the means of its arms, got {shown(given)}{hint}")


def described(problem: Problem) -> dict[str, Any]:
    """A problem as plain JSON values: its kind, its parameters, and the means if they are known."""
    told: dict[str, Any] = {"kind": type(problem).__name__, "arms": problem.arms}
    own: Any = problem
    if is_dataclass(own):
        told |= {each.name: _plain(getattr(own, each.name)) for each in fields(own)}
    if isinstance(problem, KnownMeans):
        told["means"] = _plain(problem.means)
    return told


def _plain(value: object) -> Any:
    if isinstance(value, np.ndarray):
        return {"shape": list(value.shape)}
    if isinstance(value, tuple) and len(value) > MANY:
        return {"length": len(value)}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
