"""Policies whose index is the root of an equation, chosen from without solving it for every arm."""

from abc import abstractmethod

import numpy as np

from spnb.arrays import BoolArray, FloatArray, IntArray, any_true, take
from spnb.policies.base import IndexPolicy, S, unpulled_first


class ImplicitIndex(IndexPolicy[S]):
    """An index given by a cheap test, "is it at least q?", and a dear inversion, "what is it?".

    The best arm takes little more than one inversion a choice: guess it, invert its index to q,
    and let the test rule out every arm that does not reach q. Only the few others are inverted.
    All methods work elementwise on pulls >= 1; ``rows`` tells whose they are.
    """

    @abstractmethod
    def nats(self, state: S, pulls: FloatArray, rows: IntArray, clock: FloatArray) -> FloatArray:
        """How unlikely, as -ln of a probability, a mean at the index would make the rewards."""

    @abstractmethod
    def bound(
        self, state: S, pulls: FloatArray, sums: FloatArray, rows: IntArray, clock: FloatArray
    ) -> FloatArray:
        """The index."""

    @abstractmethod
    def passes(
        self,
        state: S,
        pulls: FloatArray,
        sums: FloatArray,
        rows: IntArray,
        clock: FloatArray,
        level: FloatArray,
    ) -> BoolArray:
        """Whether the index is at least ``level``."""

    def index(self, state: S, rows: IntArray, clock: FloatArray) -> FloatArray:
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        some = np.maximum(pulls, 1)
        score = self.bound(state, some, sums, rows[:, None], clock[:, None])
        return unpulled_first(score, pulls)

    def reaches(self, state: S, rows: IntArray, clock: FloatArray, level: FloatArray) -> BoolArray:
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        some = np.maximum(pulls, 1)
        passed = self.passes(state, some, sums, rows[:, None], clock[:, None], level[:, None])
        return passed | (pulls == 0)

    def choose(self, state: S, rows: IntArray, rng: np.random.Generator) -> IntArray:
        fresh = take(state.pulls, rows) == 0
        seen = np.flatnonzero(~fresh.any(axis=1))
        if seen.size == len(rows):
            return self._best_seen(state, rows, rng)
        arm: IntArray = fresh.argmax(axis=1)
        if seen.size:
            arm[seen] = self._best_seen(state, rows[seen], rng)
        return arm

    def _best_seen(self, state: S, rows: IntArray, rng: np.random.Generator) -> IntArray:
        """The best index of rows whose arms have all been pulled."""
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        clock = take(state.total, rows) + 1
        each = np.arange(len(rows))
        guess = self._guess(state, pulls, sums, rows, clock)
        level = self.bound(state, pulls[each, guess], sums[each, guess], rows, clock)
        rivals = self.passes(state, pulls, sums, rows[:, None], clock[:, None], level[:, None])
        rivals &= ~_same_counts(pulls, sums, each, guess)
        score = np.full(pulls.shape, -np.inf)
        score[each, guess] = level
        line, arm = np.nonzero(rivals)
        score[line, arm] = self.bound(
            state, pulls[line, arm], sums[line, arm], rows[line], clock[line]
        )
        tied = _same_counts(pulls, sums, each, score.argmax(axis=1))
        return any_true(tied, np.full(len(tied), self.ties == "random"), rng)

    def _guess(
        self, state: S, pulls: FloatArray, sums: FloatArray, rows: IntArray, clock: FloatArray
    ) -> IntArray:
        """The best arm by Wilson's upper bound, a good stand-in for any of these indices."""
        wide = self.nats(state, pulls, rows[:, None], clock[:, None]) / pulls
        mean = sums / pulls
        score = (mean + wide + np.sqrt(wide * (2 * mean * (1 - mean) + wide))) / (1 + 2 * wide)
        return score.argmax(axis=1)


def _same_counts(pulls: FloatArray, sums: FloatArray, each: IntArray, arm: IntArray) -> BoolArray:
    """The arms tied with this one: equal counts mean equal indices, and nothing else does."""
    same = pulls == pulls[each, arm][:, None]
    same &= sums == sums[each, arm][:, None]
    return same
