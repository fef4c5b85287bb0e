"""Agents that pull the arm a policy chose: once a round, or as often as it comes by."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spnb.bandits.agents.base import Agent, AgentKernel, AgentState
from spnb.bandits.policies.base import Policy, kernel_of
from spnb.base import params
from spnb.engine.arrays import BoolArray, FloatArray, IntArray, take
from spnb.engine.compiled import part
from spnb.engine.setting import Setting


@dataclass(slots=True)
class Following(AgentState):
    target: IntArray  # [B] the arm the policy chose
    waiting: BoolArray  # [B] the target was pulled and its reward is still to come
    spent: BoolArray  # [B] this round's one pull is made (Once)


class FollowMind(NamedTuple):
    policy: Any
    target: IntArray
    spent: BoolArray
    once: bool


class _Follow(Agent[Following]):
    """Pull the policy's target when it is offered; choose again once its reward is known."""

    def __post_init__(self) -> None:
        params.kind(self, "policy", Policy, "a policy")

    def init(self, batch: int, setting: Setting, rng: np.random.Generator) -> Following:
        policy = self.policy.init(batch, setting)
        target = self.policy.choose(policy, np.arange(batch), rng)
        return Following(
            policy, target, waiting=np.zeros(batch, dtype=bool), spent=np.zeros(batch, dtype=bool)
        )

    def next_wanted(self, state: Following, rows: IntArray, start: IntArray) -> IntArray:
        target = take(state.target, rows)
        busy = take(state.waiting, rows) | take(state.spent, rows)
        return np.where((target >= start) & ~busy, target, state.policy.pulls.shape[1])

    def pulled(self, state: Following, rows: IntArray, arm: IntArray) -> None:
        state.waiting[rows] = True

    def observe(
        self,
        state: Following,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        super().observe(state, rows, arm, reward, rng)
        state.target[rows] = self.policy.choose(state.policy, rows, rng)
        state.waiting[rows] = False

    def lost(
        self, state: Following, rows: IntArray, arm: IntArray, rng: np.random.Generator
    ) -> None:
        # Nothing was learnt, so the choice stands: the target is pulled again when it comes by.
        state.waiting[rows] = False

    def found(
        self,
        state: Following,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        super().found(state, rows, arm, reward, rng)
        # Whoever waits for another reward goes on waiting; the others choose with what is new.
        idle = rows[~state.waiting[rows]]
        if idle.size:
            state.target[idle] = self.policy.choose(state.policy, idle, rng)

    def _kernel(self, once: bool) -> AgentKernel | None:
        policy = kernel_of(self.policy)
        if policy is None or policy.choose is None:
            return None
        of_policy = policy.mind

        def mind(state: Following) -> FollowMind:
            return FollowMind(of_policy(state.policy), state.target, state.spent, once)

        return AgentKernel(
            mind, follow_wanted, follow_observe, follow_next_round, policy.choose, policy.learn
        )


@part
def follow_wanted(_choose: Callable[..., int], mind: FollowMind, run: int, start: int) -> int:
    arm = mind.target[run]
    return mind.policy.pulls.shape[1] if mind.spent[run] or arm < start else arm


@part
def follow_observe(
    choose: Callable[..., int],
    learn: Callable[..., None],
    mind: FollowMind,
    run: int,
    arm: int,
    reward: float,
    rng: np.random.Generator,
) -> None:
    learn(mind.policy, run, arm, reward)
    mind.target[run] = choose(mind.policy, run, rng)
    mind.spent[run] = mind.once


@part
def follow_next_round(mind: FollowMind, run: int) -> None:
    mind.spent[run] = False


@dataclass(frozen=True)
class Once(_Follow):
    """The policy as it is: one pull a round (a bare policy means this)."""

    def __str__(self) -> str:
        return str(self.policy)  # as in the paper: a bare policy

    def pulled(self, state: Following, rows: IntArray, arm: IntArray) -> None:
        super().pulled(state, rows, arm)
        state.spent[rows] = True

    def next_round(self, state: Following, rows: IntArray, rng: np.random.Generator) -> None:
        state.spent[rows] = False

    def kernel(self) -> AgentKernel | None:
        return self._kernel(once=True)


@dataclass(frozen=True)
class Seq(_Follow):
    """The paper's way: pull the target as soon as it is offered, go on.

    Given the same rewards pull by pull, it pulls exactly the sequence its policy pulls.
    """

    def kernel(self) -> AgentKernel | None:
        return self._kernel(once=False)
