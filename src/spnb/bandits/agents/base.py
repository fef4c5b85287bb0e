"""What an agent is: it answers offers, one after the other, with pull or pass."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from spnb.bandits.described import Described
from spnb.bandits.policies.base import Policy, Stats
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.setting import Setting
from spnb.engine.state import State


@dataclass(slots=True)
class AgentState(State):
    """What an agent knows; every agent here learns through a policy."""

    policy: Stats


A = TypeVar("A", bound=AgentState)


@dataclass(frozen=True)
class AgentKernel:
    """An agent as parts of a compiled loop, for rewards of 0 and 1 that come at once."""

    mind: Callable[[Any], Any]
    """The agent's state as a named tuple of its arrays and of numbers, which Numba can read."""

    wanted: Callable[..., int]
    """(decide, mind, run, start) to the next wanted arm."""

    observe: Callable[..., None]
    """(decide, learn, mind, run, arm, reward, rng): a pull and its reward."""

    next_round: Callable[..., None]
    """(mind, run): a new round begins."""

    decide: Callable[..., Any]
    """What the agent asks of its policy."""

    learn: Callable[..., None]
    """How its policy learns a reward."""


@dataclass(frozen=True)
class Agent(Described, ABC, Generic[A]):
    """Parameters of an agent. Pull and reward are separate events: rewards may come late.

    The one decision primitive is ``next_wanted``. Live, ``ask(arm)`` is
    ``next_wanted(start=arm) == arm``; a simulation jumps straight to the wanted arm.
    """

    policy: Policy[Any]

    @abstractmethod
    def init(self, batch: int, setting: Setting, rng: np.random.Generator) -> A:
        """The state of ``batch`` agents at the start of the first round."""

    @abstractmethod
    def next_wanted(self, state: A, rows: IntArray, start: IntArray) -> IntArray:
        """The first arm at or after ``start`` that would be pulled if offered; K if none.

        A pure function of the state: asking twice gives the same answer.
        """

    def pulled(self, state: A, rows: IntArray, arm: IntArray) -> None:
        """The pull has happened; its reward will come."""

    def observe(
        self,
        state: A,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        """The reward of an earlier pull has come."""
        self.policy.update(state.policy, rows, arm, reward, rng)

    def lost(self, state: A, rows: IntArray, arm: IntArray, rng: np.random.Generator) -> None:
        """The reward of an earlier pull will never come."""

    def found(
        self,
        state: A,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        """A reward that had been given up for lost has come after all."""
        self.policy.update(state.policy, rows, arm, reward, rng)

    def next_round(self, state: A, rows: IntArray, rng: np.random.Generator) -> None:
        """A new round begins."""

    def kernel(self) -> AgentKernel | None:
        """The agent as parts of a compiled loop, if it can be had; see ``agent_kernel``."""
        return None

    def recommend(self, state: A, rows: IntArray, rng: np.random.Generator) -> IntArray:
        """The arm held for the best."""
        return self.policy.recommend(state.policy, rows, rng)

    def stopped(self, state: A, rows: IntArray) -> BoolArray:
        """Whether the agent has finished identifying."""
        return self.policy.stopped(state.policy, rows)


def agent_kernel(agent: Agent[A]) -> AgentKernel | None:
    """The agent's kernel; a class that inherits one may have changed what the agent does."""
    return agent.kernel() if "kernel" in vars(type(agent)) else None
