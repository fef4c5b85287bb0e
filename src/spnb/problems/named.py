"""Random problems by name: ``"abrupt(length=200)"``, drawn anew for every run."""

from dataclasses import fields, replace
from typing import Any

from spnb.base.errors import SpecError
from spnb.base.grammar import matched, read
from spnb.problems.base import Problem
from spnb.problems.changing import Abrupt, Drifting, Seasonal
from spnb.problems.families import DailyMeans, families
from spnb.problems.synthetic import Synthetic

NAMED: dict[str, Any] = {
    "paper": Synthetic(),
    **families(),
    "hours": DailyMeans(),
    "abrupt": Abrupt(),
    "drifting": Drifting(),
    "seasonal": Seasonal(),
}


def family(spec: str, arms: int) -> Problem:
    """The random problems of this name, with so many arms and with the parameters given."""

    def build(name: str, positional: list[Any], named: dict[str, Any]) -> Problem:
        if name not in NAMED:
            raise SpecError(f"family must be one of {', '.join(NAMED)}, got {name!r}")
        own = [each for each in fields(NAMED[name]) if each.name != "arms"]
        changed = matched(name, own, positional, named)
        problem: Problem = replace(NAMED[name], arms=arms, **changed)
        return problem

    found: Problem = read(spec, build, "uniform")
    return found
