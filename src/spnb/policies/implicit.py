"""Policies whose index is the root of an equation, chosen from without solving it for every arm."""

from abc import abstractmethod

import numpy as np

from spnb.arrays import BoolArray, FloatArray, IntArray, random_true, take
from spnb.policies.base import IndexPolicy, S, unpulled_first


class ImplicitIndex(IndexPolicy[S]):
    """An index given by a cheap test, "is it at least q?", and a dear inversion, "what is it?".

    The best arm is found with one or two inversions a choice: guess it, invert its index to q,
    and let the test rule out every arm that does not reach q. Only the survivors are inverted.
    """

    @abstractmethod
    def bound(
        self, state: S, pulls: FloatArray, sums: FloatArray, rows: IntArray, clock: FloatArray
    ) -> FloatArray:
        """The index of arms with these pulls and sums, elementwise."""

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
        """Whether those indices are at least ``level``, elementwise."""

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
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        fresh = pulls == 0
        arm: IntArray = fresh.argmax(axis=1)
        seen = np.flatnonzero(~fresh.any(axis=1))
        if seen.size:
            arm[seen] = self._best_seen(state, take(pulls, seen), take(sums, seen), rows[seen], rng)
        return arm

    def _best_seen(
        self,
        state: S,
        pulls: FloatArray,
        sums: FloatArray,
        rows: IntArray,
        rng: np.random.Generator,
    ) -> IntArray:
        clock = state.total[rows] + 1
        each = np.arange(len(rows))
        optimism = sums / pulls + np.sqrt(np.log(clock)[:, None] / (2 * pulls))
        best: IntArray = optimism.argmax(axis=1)
        level = self.bound(state, pulls[each, best], sums[each, best], rows, clock)
        rivals = self.passes(state, pulls, sums, rows[:, None], clock[:, None], level[:, None])
        rivals &= ~_same(pulls, sums, each, best)
        line, arm = np.nonzero(rivals)
        while line.size:
            # Of each row's rivals the most optimistic is inverted; it becomes the one to beat.
            line, arm = _by_optimism(line, arm, optimism)
            lead = np.flatnonzero(np.diff(line, prepend=-1))
            at, rival = line[lead], arm[lead]
            value = self.bound(state, pulls[at, rival], sums[at, rival], rows[at], clock[at])
            better = value > level[at]
            best[at[better]], level[at[better]] = rival[better], value[better]
            rest = np.ones(len(line), dtype=bool)
            rest[lead] = False
            line, arm = line[rest], arm[rest]
            n, s = pulls[line, arm], sums[line, arm]
            left = self.passes(state, n, s, rows[line], clock[line], level[line])
            left &= (n != pulls[line, best[line]]) | (s != sums[line, best[line]])
            line, arm = line[left], arm[left]
        return self._settle(pulls, sums, each, best, rng)

    def _settle(
        self,
        pulls: FloatArray,
        sums: FloatArray,
        each: IntArray,
        best: IntArray,
        rng: np.random.Generator,
    ) -> IntArray:
        # Equal counts mean equal indices, and nothing else does.
        tied = _same(pulls, sums, each, best)
        if self.ties == "first":
            return tied.argmax(axis=1)
        count = tied.sum(axis=1)
        several = np.flatnonzero(count > 1)
        if several.size:
            best[several] = random_true(tied[several], count[several], rng)
        return best


def _same(pulls: FloatArray, sums: FloatArray, each: IntArray, arm: IntArray) -> BoolArray:
    same_pulls = pulls == pulls[each, arm][:, None]
    return same_pulls & (sums == sums[each, arm][:, None])


def _by_optimism(line: IntArray, arm: IntArray, optimism: FloatArray) -> tuple[IntArray, IntArray]:
    order = np.lexsort((-optimism[line, arm], line))
    return line[order], arm[order]
