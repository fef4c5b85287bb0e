"""What a policy is: a classical bandit that chooses an arm and learns its reward."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from spnb.bandits.described import Described
from spnb.base import params
from spnb.engine.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    Ties,
    argmax,
    flat,
    grid,
    largest,
    take,
)
from spnb.engine.compiled import part
from spnb.engine.setting import Setting
from spnb.engine.state import State


@dataclass(slots=True)
class Stats(State):
    """What every policy remembers of each arm: how often it paid, and how much in all."""

    pulls: FloatArray  # [B, K] rewards seen; floats, since only divisions follow
    sums: FloatArray  # [B, K]
    total: FloatArray  # [B] rewards seen of all arms

    def add(self, rows: IntArray, arm: IntArray, reward: FloatArray) -> None:
        pulls, cell = flat(self.pulls, rows, arm)
        sums, _ = flat(self.sums, rows, arm)
        pulls[cell] += 1
        sums[cell] += reward
        self.total[rows] += 1

    def record(self, rows: IntArray, arm: IntArray) -> tuple[FloatArray, FloatArray]:
        """What these arms have paid so far, and what they might have paid but did not."""
        pulls, cell = flat(self.pulls, rows, arm)
        wins = flat(self.sums, rows, arm)[0][cell]
        return wins, pulls[cell] - wins

    def means(self, rows: IntArray) -> FloatArray:
        """Empirical means; 0 for an arm without a reward, which every caller puts first anyway."""
        return take(self.sums, rows) / np.maximum(take(self.pulls, rows), 1)


def empty_stats(batch: int, arms: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    return grid(batch, arms), grid(batch, arms), np.zeros(batch)


@part
def fresh_arm(mind: Any, run: int) -> int:
    """The first arm without a reward while few rewards have come; the number of arms otherwise.

    A short cut for the first round: with ten thousand arms it is most of the work.
    """
    arms = mind.pulls.shape[1]
    if mind.total[run] < arms:
        for arm in range(arms):
            if mind.pulls[run, arm] == 0:
                return arm
    return arms


@part
def recommend_mean(mind: Any, run: int, room: FloatArray, rng: np.random.Generator) -> int:
    """``Policy.recommend`` for one run."""
    for arm in range(len(room)):
        pulls = mind.pulls[run, arm]
        room[arm] = mind.sums[run, arm] / pulls if pulls > 0 else -1.0
    return largest(room, mind.random_ties, rng)


S = TypeVar("S", bound=Stats)


@dataclass(frozen=True)
class Kernel:
    """A policy as parts of a compiled loop, for rewards of 0 and 1.

    It takes the decisions that the policy's own methods take, and throws the same dice. Only for a
    policy that never stops and recommends the best mean.
    """

    mind: Callable[[Any], Any]
    """The policy's state as a named tuple, which Numba can read: of its arrays ``pulls``, ``sums``,
    ``total`` and others, of the flag ``random_ties``, and of numbers."""

    learn: Callable[[Any, int, int, float], None]
    """(mind, run, arm, reward): the reward has come."""

    choose: Callable[[Any, int, np.random.Generator], int] | None = None
    """(mind, run, rng) to the arm to pull next."""

    reaches: Callable[..., bool] | None = None
    """(mind, run, arm, clock, level, ln level, ln(1 - level)): does the index reach the level?"""


@part
def learn_reward(mind: Any, run: int, arm: int, reward: float) -> None:
    """``Stats.add`` for one run."""
    mind.pulls[run, arm] += 1
    mind.sums[run, arm] += reward
    mind.total[run] += 1


@dataclass(frozen=True)
class Policy(Described, ABC, Generic[S]):
    """Parameters of a classical bandit; what it learns lives in a state of its own."""

    ties: Ties = field(default="random", kw_only=True)

    def __post_init__(self) -> None:
        params.one_of(self, "ties", ("random", "first"))

    @abstractmethod
    def init(self, batch: int, setting: Setting) -> S:
        """The state of ``batch`` learners who have seen nothing."""

    @abstractmethod
    def choose(self, state: S, rows: IntArray, rng: np.random.Generator) -> IntArray:
        """The arm to pull next in each row; arms never pulled come first, in order."""

    def update(
        self,
        state: S,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        """Learn the reward of a pull."""
        state.add(rows, arm, reward)

    def recommend(self, state: S, rows: IntArray, rng: np.random.Generator) -> IntArray:
        """The arm held for the best: the best empirical mean among those still in question."""
        unseen = take(state.pulls, rows) == 0
        score = np.where(unseen | ~self.active(state, rows), -1.0, state.means(rows))
        return argmax(score, self.ties, rng)

    def kernel(self) -> Kernel | None:
        """The policy as parts of a compiled loop, if it offers them; see ``kernel_of``."""
        return None

    def active(self, state: S, rows: IntArray) -> BoolArray:
        """The arms still in question; only elimination ever drops one."""
        return np.ones((len(rows), state.pulls.shape[1]), dtype=bool)

    def stopped(self, state: S, rows: IntArray) -> BoolArray:
        """Whether the policy has made up its mind."""
        return np.zeros(len(rows), dtype=bool)


class IndexPolicy(Policy[S]):
    """A policy that scores every arm and pulls the best score."""

    @abstractmethod
    def index(self, state: S, rows: IntArray, clock: FloatArray) -> FloatArray:
        """Score of every arm at time ``clock``; +inf for an arm never pulled."""

    def refresh(self, state: S, rows: IntArray, rng: np.random.Generator) -> None:
        """Draw anew whatever the index owes to chance."""

    def choose(self, state: S, rows: IntArray, rng: np.random.Generator) -> IntArray:
        self.refresh(state, rows, rng)
        clock = take(state.total, rows) + 1
        return argmax(self.index(state, rows, clock), self.ties, rng)

    def reaches(self, state: S, rows: IntArray, clock: FloatArray, level: FloatArray) -> BoolArray:
        """Whether each arm's index is at least its row's ``level``."""
        return self.index(state, rows, clock) >= level[:, None]

    def challenges(self, state: S, rows: IntArray, clock: FloatArray, rival: IntArray) -> BoolArray:
        """Whether each arm may still prove better than its row's ``rival``."""
        level = state.means(rows)[np.arange(len(rows)), rival]
        return self.reaches(state, rows, clock, level)


def kernel_of(policy: Policy[S]) -> Kernel | None:
    """The policy's kernel; a class that inherits one may have changed what the policy does."""
    return policy.kernel() if "kernel" in vars(type(policy)) else None


def unpulled_first(score: FloatArray, pulls: FloatArray) -> FloatArray:
    """The score itself, with +inf put in place of the score of an arm never pulled."""
    np.copyto(score, np.inf, where=pulls == 0)
    return score
