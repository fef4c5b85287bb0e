"""Indices that are the root of an equation: dear to find, cheap to test.

KL-UCB and Bayes-UCB are of this kind. The best arm is found by guessing it, inverting its index to
a level, and testing whether any other index reaches that level: little more than one inversion a
choice, whatever the number of arms.
"""

from abc import abstractmethod

import numpy as np

from spnb.bandits.policies.base import IndexPolicy, S, unpulled_first
from spnb.engine.arrays import BoolArray, FloatArray, IntArray, Numbers, any_true, take, true_cells
from spnb.engine.compiled import part


class RootIndex(IndexPolicy[S]):
    """The largest mean that the rewards do not rule out; ``nats`` says how boldly it does so."""

    @abstractmethod
    def nats(self, state: S, rows: IntArray, clock: FloatArray) -> FloatArray:
        """Minus the logarithm of the risk taken, of shape [R, K] or [R, 1]."""

    @abstractmethod
    def invert(self, wins: FloatArray, losses: FloatArray, nats: FloatArray) -> FloatArray:
        """The index of arms that paid ``wins`` in ``wins + losses`` pulls, elementwise."""

    @abstractmethod
    def may_reach(self, state: S, rows: IntArray, nats: FloatArray, level: FloatArray) -> BoolArray:
        """A cheap test of which indices reach their row's level; it may only err on that side."""

    def confirm(
        self, passed: BoolArray, state: S, rows: IntArray, nats: FloatArray, level: FloatArray
    ) -> BoolArray:
        """Keep of the arms that passed the cheap test those whose index does reach the level."""
        return passed

    def index(self, state: S, rows: IntArray, clock: FloatArray) -> FloatArray:
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        score = self.invert(sums, np.maximum(pulls, 1) - sums, self.nats(state, rows, clock))
        return unpulled_first(score, pulls)

    def reaches(self, state: S, rows: IntArray, clock: FloatArray, level: FloatArray) -> BoolArray:
        nats = self.nats(state, rows, clock)
        passed = self._reach(state, rows, nats, level, besides=take(state.pulls, rows) > 0)
        return passed | (take(state.pulls, rows) == 0)

    def choose(self, state: S, rows: IntArray, rng: np.random.Generator) -> IntArray:
        fresh = take(state.pulls, rows) == 0
        seen = np.flatnonzero(~fresh.any(axis=1))
        if seen.size == len(rows):
            return self._best(state, rows, rng)
        arm: IntArray = fresh.argmax(axis=1)
        if seen.size:
            arm[seen] = self._best(state, rows[seen], rng)
        return arm

    def _best(self, state: S, rows: IntArray, rng: np.random.Generator) -> IntArray:
        """The arm of the best index, in rows whose arms have all been pulled."""
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        nats = self.nats(state, rows, take(state.total, rows) + 1)
        each, guess = np.arange(len(rows)), wilson(pulls, sums, nats).argmax(axis=1)
        every_nats = np.broadcast_to(nats, pulls.shape)
        wins, losses = sums[each, guess], (pulls - sums)[each, guess]
        level = self.invert(wins, losses, every_nats[each, guess])
        besides = ~_same_counts(pulls, sums, each, guess)
        rivals = self._reach(state, rows, nats, level, besides)
        best = self._largest(rivals, pulls, sums, every_nats, guess)
        tied = _same_counts(pulls, sums, each, best)
        return any_true(tied, np.full(len(tied), self.ties == "random"), rng)

    def _reach(
        self,
        state: S,
        rows: IntArray,
        nats: FloatArray,
        level: FloatArray,
        besides: BoolArray,
    ) -> BoolArray:
        with np.errstate(divide="ignore", invalid="ignore"):  # levels 0 and 1
            passed = self.may_reach(state, rows, nats, level)
        return self.confirm(passed & besides, state, rows, nats, level)

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


@part
def wilson(pulls: Numbers, sums: Numbers, nats: Numbers) -> Numbers:
    """Wilson's upper bound of a mean, a good stand-in for any of these indices."""
    mean, wide = sums / pulls, nats / pulls
    return (mean + wide + np.sqrt(wide * (wide + 2 * mean * (1 - mean)))) / (1 + 2 * wide)


def _same_counts(pulls: FloatArray, sums: FloatArray, each: IntArray, arm: IntArray) -> BoolArray:
    """The arms tied with this one: equal counts mean equal indices, and nothing else does."""
    same = pulls == pulls[each, arm][:, None]
    same &= sums == sums[each, arm][:, None]
    return same
