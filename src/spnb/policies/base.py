"""What a policy is: a classical bandit that chooses an arm and learns its reward."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from spnb import params
from spnb.arrays import BoolArray, FloatArray, IntArray, Ties, argmax, flat, grid, take
from spnb.described import Described
from spnb.setting import Setting
from spnb.state import State


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

    def means(self, rows: IntArray) -> FloatArray:
        """Empirical means; 0 for an arm without a reward, which every caller puts first anyway."""
        return take(self.sums, rows) / np.maximum(take(self.pulls, rows), 1)


def empty_stats(batch: int, arms: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    return grid(batch, arms), grid(batch, arms), np.zeros(batch)


S = TypeVar("S", bound=Stats)


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


def unpulled_first(score: FloatArray, pulls: FloatArray) -> FloatArray:
    """The score itself, with +inf put in place of the score of an arm never pulled."""
    np.copyto(score, np.inf, where=pulls == 0)
    return score
