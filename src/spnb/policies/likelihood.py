"""Indices that are the largest mean under which the rewards seen are not too unlikely.

KL-UCB and Bayes-UCB are of this kind. Their index is the root of an equation,
dear to find; whether it reaches a given level is cheap to test. So the best arm is found by
guessing it, inverting its index to q, and testing all others against q: little more than one
inversion a choice, whatever the number of arms.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from spnb.arrays import BoolArray, FloatArray, IntArray, any_true, flat, take, true_cells
from spnb.policies.base import IndexPolicy, Stats, empty_stats, unpulled_first
from spnb.setting import Setting


@dataclass(slots=True)
class Evidence(Stats):
    fit: FloatArray  # [B, K] log-likelihood of the rewards at the mean that fits them best


E = TypeVar("E", bound=Evidence)


class LikelihoodIndex(IndexPolicy[E]):
    """The largest mean at which the log-likelihood is at most ``nats`` below its best.

    ``prior`` successes and as many failures are counted before the first reward.
    """

    prior: ClassVar[float]

    @abstractmethod
    def nats(self, state: E, rows: IntArray, clock: FloatArray) -> FloatArray:
        """How far below its best, of shape [R, K] or [R, 1]."""

    @abstractmethod
    def invert(self, wins: FloatArray, losses: FloatArray, nats: FloatArray) -> FloatArray:
        """The index of arms that paid ``wins`` in ``wins + losses`` pulls, elementwise."""

    def confirm(
        self, passed: BoolArray, state: E, rows: IntArray, nats: FloatArray, level: FloatArray
    ) -> BoolArray:
        """Keep of the arms that passed the likelihood test those whose index reaches the level."""
        return passed

    def evidence(
        self, batch: int, setting: Setting
    ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """The fields of a fresh state."""
        pulls, sums, total = empty_stats(batch, setting.arms)
        return pulls, sums, total, pulls + _fit(self.prior, self.prior)

    def update(
        self,
        state: E,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        state.add(rows, arm, reward)
        fit, cell = flat(state.fit, rows, arm)
        pulls, sums = (flat(grid, rows, arm)[0][cell] for grid in (state.pulls, state.sums))
        fit[cell] = _fit(sums + self.prior, pulls - sums + self.prior)

    def index(self, state: E, rows: IntArray, clock: FloatArray) -> FloatArray:
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        score = self.invert(sums, np.maximum(pulls, 1) - sums, self.nats(state, rows, clock))
        return unpulled_first(score, pulls)

    def reaches(self, state: E, rows: IntArray, clock: FloatArray, level: FloatArray) -> BoolArray:
        nats = self.nats(state, rows, clock)
        passed = self._likely(state, rows, nats, level)
        passed = self.confirm(passed, state, rows, nats, level)
        return passed | (take(state.pulls, rows) == 0)

    def choose(self, state: E, rows: IntArray, rng: np.random.Generator) -> IntArray:
        fresh = take(state.pulls, rows) == 0
        seen = np.flatnonzero(~fresh.any(axis=1))
        if seen.size == len(rows):
            return self._best(state, rows, rng)
        arm: IntArray = fresh.argmax(axis=1)
        if seen.size:
            arm[seen] = self._best(state, rows[seen], rng)
        return arm

    def _best(self, state: E, rows: IntArray, rng: np.random.Generator) -> IntArray:
        """The arm of the best index, in rows whose arms have all been pulled."""
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        nats = self.nats(state, rows, take(state.total, rows) + 1)
        each, guess = np.arange(len(rows)), _guess(pulls, sums, nats)
        every_nats = np.broadcast_to(nats, pulls.shape)
        wins, losses = sums[each, guess], (pulls - sums)[each, guess]
        level = self.invert(wins, losses, every_nats[each, guess])
        rivals = self._likely(state, rows, nats, level) & ~_same_counts(pulls, sums, each, guess)
        rivals = self.confirm(rivals, state, rows, nats, level)
        best = self._largest(rivals, pulls, sums, every_nats, guess)
        tied = _same_counts(pulls, sums, each, best)
        return any_true(tied, np.full(len(tied), self.ties == "random"), rng)

    def _largest(
        self,
        rivals: BoolArray,
        pulls: FloatArray,
        sums: FloatArray,
        nats: FloatArray,
        guess: IntArray,
    ) -> IntArray:
        """The rival of the largest index where there are rivals, all above the guess; else that.

        A lone rival wins without its index being known.
        """
        line, arm = true_cells(rivals)
        guess[line] = arm
        several = np.bincount(line, minlength=len(guess))[line] > 1
        if several.any():
            line, arm = line[several], arm[several]
            wins = sums[line, arm]
            index = self.invert(wins, pulls[line, arm] - wins, nats[line, arm])
            order = np.argsort(index)  # of several values written to one place the last stays
            guess[line[order]] = arm[order]
        return guess

    def _likely(self, state: E, rows: IntArray, nats: FloatArray, level: FloatArray) -> BoolArray:
        """Whether the rewards of each arm are likely enough under a mean of ``level``."""
        pulls, sums, prior = take(state.pulls, rows), take(state.sums, rows), self.prior
        with np.errstate(divide="ignore", invalid="ignore"):  # levels 0 and 1: nan is unlikely
            yes, no = np.log(level), np.log1p(-level)
            unlikely = sums * (no - yes)[:, None]
            unlikely -= pulls * no[:, None]
            unlikely += take(state.fit, rows)
            passed = unlikely <= nats + (prior * (yes + no))[:, None]
        # A mean already at the level reaches it, whatever the likelihood of that level.
        return passed | (sums + prior >= level[:, None] * (pulls + 2 * prior))


def _fit(wins: FloatArray | float, losses: FloatArray | float) -> FloatArray:
    from scipy.special import xlogy

    size = wins + losses
    return xlogy(wins, wins) + xlogy(losses, losses) - xlogy(size, size)


def _guess(pulls: FloatArray, sums: FloatArray, nats: FloatArray) -> IntArray:
    """The best arm by Wilson's upper bound, a good stand-in for any of these indices."""
    wide = nats / pulls
    mean = sums / pulls
    score = 1 - mean
    score *= mean
    score *= 2
    score += wide
    score *= wide
    np.sqrt(score, out=score)
    score += mean
    score += wide
    score /= 1 + 2 * wide
    return score.argmax(axis=1)


def _same_counts(pulls: FloatArray, sums: FloatArray, each: IntArray, arm: IntArray) -> BoolArray:
    """The arms tied with this one: equal counts mean equal indices, and nothing else does."""
    same = pulls == pulls[each, arm][:, None]
    same &= sums == sums[each, arm][:, None]
    return same
