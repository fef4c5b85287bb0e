"""Bayes-UCB: the upper quantile of every arm's posterior."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spnb.bandits.policies.base import Kernel, empty_stats, fresh_arm, learn_reward
from spnb.bandits.policies.posterior import Posteriors, quantile, tail
from spnb.bandits.policies.root import RootIndex, wilson
from spnb.base import params
from spnb.engine.arrays import (
    BoolArray,
    FloatArray,
    IntArray,
    Numbers,
    flat,
    grid,
    largest,
    take,
    true_cells,
)
from spnb.engine.compiled import part
from spnb.engine.setting import Setting
from spnb.engine.special import gammaln


@dataclass(slots=True)
class SlowPosteriors(Posteriors):
    slowdown: FloatArray  # [B] ln of (ln horizon)^c

    def add(self, rows: IntArray, arm: IntArray, reward: FloatArray) -> None:
        Posteriors.add(self, rows, arm, reward)
        norm, cell = flat(self.norm, rows, arm)
        norm[cell] = beta_norm(*self.record(rows, arm))


class SlowMind(NamedTuple):
    pulls: FloatArray
    sums: FloatArray
    total: FloatArray
    norm: FloatArray
    slowdown: FloatArray
    room: FloatArray  # [K] for the scores of one run
    random_ties: bool


@dataclass(frozen=True)
class bUCB(RootIndex[SlowPosteriors]):  # noqa: N801 - the paper's name
    """Bayes-UCB: Beta(1+S, 1+N-S) at level 1 - 1/(t (ln horizon)^c)."""

    c: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        params.non_negative(self, "c")

    def init(self, batch: int, setting: Setting) -> SlowPosteriors:
        slow = 0.0
        if self.c:
            slow = self.c * np.log(max(np.log(setting.need_horizon(self)), 1.0))
        return SlowPosteriors(
            *empty_stats(batch, setting.arms),
            norm=grid(batch, setting.arms),
            slowdown=np.full(batch, slow),
        )

    def nats(self, state: SlowPosteriors, rows: IntArray, clock: FloatArray) -> FloatArray:
        return (np.log(clock) + take(state.slowdown, rows))[:, None]

    def invert(self, wins: FloatArray, losses: FloatArray, nats: FloatArray) -> FloatArray:
        return quantile(wins, losses, np.exp(-nats))

    def may_reach(
        self, state: SlowPosteriors, rows: IntArray, nats: FloatArray, level: FloatArray
    ) -> BoolArray:
        wins, norm = take(state.sums, rows), take(state.norm, rows)
        losses, beyond = take(state.pulls, rows) - wins, level[:, None]
        return tail_may_hold(wins, losses, norm, nats, beyond, np.log(beyond), np.log1p(-beyond))

    def confirm(
        self,
        passed: BoolArray,
        state: SlowPosteriors,
        rows: IntArray,
        nats: FloatArray,
        level: FloatArray,
    ) -> BoolArray:
        line, arm = true_cells(passed)
        pulls, sums = state.pulls[rows[line], arm], state.sums[rows[line], arm]
        enough = np.exp(-np.broadcast_to(nats, passed.shape)[line, arm])
        passed[line, arm] = tail(sums, pulls - sums, level[line]) >= enough
        return passed

    def kernel(self) -> Kernel:
        return Kernel(self._mind, learn_bucb, choose=choose_bucb)

    def _mind(self, state: SlowPosteriors) -> SlowMind:
        stats = (state.pulls, state.sums, state.total)
        room = np.empty(state.pulls.shape[1])
        return SlowMind(*stats, state.norm, state.slowdown, room, self.ties == "random")


@part
def beta_norm(wins: Numbers, losses: Numbers) -> Numbers:
    return gammaln(2 + wins + losses) - gammaln(1 + wins) - gammaln(1 + losses)


@part
def tail_may_hold(
    wins: Numbers,
    losses: Numbers,
    norm: Numbers,
    nats: Numbers,
    level: Numbers,
    yes: Numbers,
    no: Numbers,
) -> Numbers:
    """Whether the tail beyond ``level`` may hold exp(-nats): whether its bound does.

    ``yes`` and ``no`` are ln(level) and ln(1 - level). The bound is the mass under the tangent; it
    says nothing where the density still rises.
    """
    height = norm + wins * yes + losses * no
    fall = losses * level - wins * (1 - level)  # the slope, but for a factor
    mass = np.exp(height + nats) * (level * (1 - level))
    return (fall <= 0) | (mass * (1 + 1e-9) >= fall)  # roundings must not rule out what holds


@part
def choose_bucb(mind: SlowMind, run: int, rng: np.random.Generator) -> int:
    """Guess the best arm, invert its index, and turn to whichever arm's index lies above that."""
    pulls, sums, norm = mind.pulls[run], mind.sums[run], mind.norm[run]
    fresh = fresh_arm(mind, run)
    if fresh < len(pulls):
        return fresh
    nats = np.log(mind.total[run] + 1) + mind.slowdown[run]
    best, bound = 0, -1.0
    for arm in range(len(pulls)):
        if pulls[arm] == 0:
            return arm
        guess = wilson(pulls[arm], sums[arm], nats)
        if guess > bound:
            best, bound = arm, guess
    enough = np.exp(-nats)
    level = quantile(sums[best], pulls[best] - sums[best], enough)
    yes, no = np.log(level), np.log1p(-level)
    for arm in range(len(pulls)):
        wins, losses = sums[arm], pulls[arm] - sums[arm]
        if pulls[arm] == pulls[best] and wins == sums[best]:
            continue
        if not tail_may_hold(wins, losses, norm[arm], nats, level, yes, no):
            continue
        if tail(wins, losses, level) >= enough:
            best, level = arm, quantile(wins, losses, enough)
            yes, no = np.log(level), np.log1p(-level)
    for arm in range(len(pulls)):  # equal counts mean equal indices, and nothing else does
        mind.room[arm] = pulls[arm] == pulls[best] and sums[arm] == sums[best]
    return largest(mind.room, mind.random_ties, rng)


@part
def learn_bucb(mind: SlowMind, run: int, arm: int, reward: float) -> None:
    """``SlowPosteriors.add`` for one run."""
    learn_reward(mind, run, arm, reward)
    wins = mind.sums[run, arm]
    mind.norm[run, arm] = beta_norm(wins, mind.pulls[run, arm] - wins)
