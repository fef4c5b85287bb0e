"""Bandits of other libraries as policies: anything that selects an arm and learns a reward."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spnb.bandits.policies.base import IndexPolicy, Stats, empty_stats, unpulled_first
from spnb.base.errors import SpecError
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.setting import Setting


@dataclass(slots=True)
class Foreign(Stats):
    bandit: NDArray[np.object_]  # [B] one foreign object for each run


@dataclass(frozen=True)
class Adapted(IndexPolicy[Foreign]):
    """A bandit of another library; it chooses as it likes, unpulled arms first or not."""

    title: str
    make: Callable[[int, int], Any]
    select: Callable[[Any], int]
    learn: Callable[[Any, int, float], None]
    scores: Callable[[Any], ArrayLike] | None = None

    def __str__(self) -> str:
        return self.title

    def init(self, batch: int, setting: Setting) -> Foreign:
        bandits = np.empty(batch, dtype=object)
        for run in range(batch):
            bandits[run] = self.make(setting.arms, run)
        return Foreign(*empty_stats(batch, setting.arms), bandit=bandits)

    def choose(self, state: Foreign, rows: IntArray, rng: np.random.Generator) -> IntArray:
        arms = state.pulls.shape[1]
        chosen = np.array([self.select(bandit) for bandit in state.bandit[rows]], dtype=np.intp)
        if chosen.size and not 0 <= chosen.min() <= chosen.max() < arms:
            raise SpecError(f"{self} selected an arm outside 0 to {arms - 1}: {chosen}")
        return chosen

    def update(
        self,
        state: Foreign,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        state.add(rows, arm, reward)
        for bandit, k, x in zip(state.bandit[rows], arm.tolist(), reward.tolist(), strict=True):
            self.learn(bandit, k, x)

    def index(self, state: Foreign, rows: IntArray, clock: FloatArray) -> FloatArray:
        if self.scores is None:
            raise SpecError(f"{self} tells no index: give adapt(..., scores=) for this agent")
        table = np.array([self.scores(bandit) for bandit in state.bandit[rows]], dtype=float)
        pulls = state.pulls[rows]
        return unpulled_first(table.reshape(pulls.shape), pulls)


def adapt(
    title: str,
    *,
    make: Callable[[int, int], Any],
    select: Callable[[Any], int],
    learn: Callable[[Any, int, float], None],
    scores: Callable[[Any], ArrayLike] | None = None,
) -> Adapted:
    """A policy out of another library's bandit, to run under Seq, Once, or (with scores) others.

    ``make(arms, number)`` builds the bandit of one run (``number`` tells runs apart, for seeds),
    ``select(bandit)`` gives its arm from 0 on, ``learn(bandit, arm, reward)`` teaches it, and
    ``scores(bandit)`` gives the index of each arm to agents that compare arms, such as Challenge.
    """
    return Adapted(title, make, select, learn, scores)
