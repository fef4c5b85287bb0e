"""What an agent is asked for: the best arm, how sure it has to be, or the arms above a level."""

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from spnb.bandits.agents import Agent
from spnb.base.errors import SpecError
from spnb.engine.arrays import BoolArray, FloatArray


def with_risk(agent: Agent, risk: float) -> Agent:
    """The agent at this risk of error; one that knows none is refused."""
    told: Any = {"delta": risk}
    if _has(agent, "delta"):
        return replace(agent, **told)
    if _has(agent.policy, "delta") and not agent.policy.forgets:
        return replace(agent, policy=replace(agent.policy, **told))
    raise SpecError(
        f"{agent} does not stop by itself: give it a budget, or ask an agent for a confidence that "
        "does, such as Seq(T3C) or Race"
    )


def risk_of(agent: Agent) -> float | None:
    """The risk of error that an agent stops at; None if it does not stop by itself."""
    return None if agent.policy.forgets else _parameter(agent, "delta")  # theirs is of a change


def level_of(agent: Agent) -> float | None:
    """The level that an agent asks about whose answer is a set of arms."""
    return _parameter(agent, "level")


def cost_of(agent: Agent) -> float | None:
    """The cost of a pull that an agent goes by."""
    return _parameter(agent, "cost")


def _parameter(agent: Agent, name: str) -> float | None:
    found = [getattr(thing, name) for thing in (agent, agent.policy) if _has(thing, name)]
    return float(found[0]) if found else None


def _has(thing: Any, name: str) -> bool:
    return any(field.name == name and field.init for field in fields(thing))


@dataclass(frozen=True, slots=True)
class Sides:
    """The arms above a level; whoever lies within the tolerance of it may be put on either side."""

    above: BoolArray  # [B, K]
    level: BoolArray  # [B, K]

    @classmethod
    def of(cls, means: FloatArray, level: float, tolerance: float) -> "Sides":
        return cls(means > level, np.abs(means - level) <= tolerance)

    def wrong(self, accepted: BoolArray) -> FloatArray:
        """[B, K]: 1 where an arm was put on the wrong side."""
        return ((accepted != self.above) & ~self.level).astype(float)
