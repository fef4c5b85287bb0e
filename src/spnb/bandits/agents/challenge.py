"""Challenge: pull the leader, and every arm that may still prove better than it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from spnb.bandits.agents.base import Agent, AgentKernel, AgentState
from spnb.bandits.policies.base import IndexPolicy, kernel_of
from spnb.bandits.policies.kl import KLUCBPlus
from spnb.base import params
from spnb.engine.arrays import FloatArray, IntArray, Numbers, first_from, take
from spnb.engine.compiled import part
from spnb.engine.setting import Setting


@dataclass(slots=True)
class Challenging(AgentState):
    round: FloatArray  # [B] the clock: the current round, from 1


@dataclass(frozen=True)
class Challenge(Agent[Challenging]):
    """Pull the leading arm (or ``best`` of them) and all that may beat it.

    The leaders have the best posterior means (S+1)/(N+2). An arm may beat the last of them if its
    index under the policy, with the round as clock, is at least that leader's mean. An arm never
    pulled is always pulled.
    """

    policy: IndexPolicy[Any] = KLUCBPlus()
    best: int = 1

    def __post_init__(self) -> None:
        params.kind(self, "policy", IndexPolicy, "a policy with an index")
        params.whole(self, "best", least=1)

    def init(self, batch: int, setting: Setting, rng: np.random.Generator) -> Challenging:
        return Challenging(self.policy.init(batch, setting), np.ones(batch))

    def next_wanted(self, state: Challenging, rows: IntArray, start: IntArray) -> IntArray:
        pulls, sums = take(state.policy.pulls, rows), take(state.policy.sums, rows)
        fresh = pulls == 0
        standing = np.where(fresh, -1.0, posterior_mean(pulls, sums))
        bar = largest(standing, self.best)
        leading = standing >= bar[:, None]
        last_leader: IntArray = (standing == bar[:, None]).argmax(axis=1)
        clock = take(state.round, rows)
        contest = self.policy.challenges(state.policy, rows, clock, last_leader)
        return first_from(fresh | leading | contest, start)

    def next_round(self, state: Challenging, rows: IntArray, rng: np.random.Generator) -> None:
        state.round[rows] += 1
        self.policy.refresh(state.policy, rows, rng)

    def kernel(self) -> AgentKernel | None:
        policy = kernel_of(self.policy)
        if policy is None or policy.reaches is None or self.best > 1:
            return None
        of_policy = policy.mind

        def mind(state: Challenging) -> ChallengeMind:
            return ChallengeMind(of_policy(state.policy), state.round)

        return AgentKernel(
            mind,
            challenge_wanted,
            challenge_observe,
            challenge_next_round,
            policy.reaches,
            policy.learn,
        )


class ChallengeMind(NamedTuple):
    policy: Any
    round: FloatArray


@part
def posterior_mean(pulls: Numbers, sums: Numbers) -> Numbers:
    return (sums + 1) / (pulls + 2)


@part
def challenge_wanted(
    reaches: Callable[..., bool], mind: ChallengeMind, run: int, start: int
) -> int:
    pulls, sums = mind.policy.pulls[run], mind.policy.sums[run]
    leader, bar = 0, -1.0
    for arm in range(len(pulls)):
        standing = posterior_mean(pulls[arm], sums[arm]) if pulls[arm] > 0 else -1.0
        if standing > bar:
            leader, bar = arm, standing
    level = sums[leader] / max(pulls[leader], 1.0)
    yes, no, clock = np.log(level), np.log1p(-level), mind.round[run]
    for arm in range(start, len(pulls)):
        if (
            pulls[arm] == 0
            or posterior_mean(pulls[arm], sums[arm]) >= bar
            or reaches(mind.policy, run, arm, clock, level, yes, no)
        ):
            return arm
    return len(pulls)


@part
def challenge_observe(
    _reaches: Callable[..., bool],
    learn: Callable[..., None],
    mind: ChallengeMind,
    run: int,
    arm: int,
    reward: float,
    _rng: np.random.Generator,
) -> None:
    learn(mind.policy, run, arm, reward)


@part
def challenge_next_round(mind: ChallengeMind, run: int) -> None:
    mind.round[run] += 1


def largest(values: FloatArray, rank: int) -> FloatArray:
    """The ``rank``-th largest value of each row, or the smallest if there are fewer."""
    if rank == 1:
        return values.max(axis=1)
    place = max(values.shape[1] - rank, 0)
    return np.partition(values, place, axis=1)[:, place]
