"""Indices of the form mean + width."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spnb.bandits.policies.base import (
    IndexPolicy,
    Kernel,
    Stats,
    empty_stats,
    fresh_arm,
    learn_reward,
    unpulled_first,
)
from spnb.engine.arrays import FloatArray, IntArray, Numbers, largest, take
from spnb.engine.compiled import part
from spnb.engine.setting import Setting


@part
def optimism(pulls: Numbers, sums: Numbers, rate: Numbers) -> Numbers:
    """The mean + sqrt(rate/N) of arms that have been pulled."""
    return sums / pulls + np.sqrt(rate / pulls)


@part
def ucb1_rate(clock: Numbers) -> Numbers:
    return 2 * np.log(clock)


class UCB1Mind(NamedTuple):
    pulls: FloatArray
    sums: FloatArray
    total: FloatArray
    room: FloatArray  # [K] for the scores of one run
    random_ties: bool


@dataclass(frozen=True)
class UCB1(IndexPolicy[Stats]):
    """mean + sqrt(2 ln t / N) (Auer, Cesa-Bianchi & Fischer 2002)."""

    def init(self, batch: int, setting: Setting) -> Stats:
        return Stats(*empty_stats(batch, setting.arms))

    def index(self, state: Stats, rows: IntArray, clock: FloatArray) -> FloatArray:
        pulls = take(state.pulls, rows)
        score = optimism(np.maximum(pulls, 1), take(state.sums, rows), ucb1_rate(clock)[:, None])
        return unpulled_first(score, pulls)

    def kernel(self) -> Kernel:
        return Kernel(self._mind, learn_reward, choose=choose_ucb1)

    def _mind(self, state: Stats) -> UCB1Mind:
        room = np.empty(state.pulls.shape[1])
        return UCB1Mind(state.pulls, state.sums, state.total, room, self.ties == "random")


@part
def choose_ucb1(mind: UCB1Mind, run: int, rng: np.random.Generator) -> int:
    pulls, sums, score = mind.pulls[run], mind.sums[run], mind.room
    fresh = fresh_arm(mind, run)
    if fresh < len(score):
        return fresh
    rate = ucb1_rate(mind.total[run] + 1)
    for arm in range(len(score)):
        seen = pulls[arm] > 0
        score[arm] = optimism(pulls[arm], sums[arm], rate) if seen else np.inf
    return largest(score, mind.random_ties, rng)


@dataclass(slots=True)
class HorizonStats(Stats):
    horizon: FloatArray  # [B]


@dataclass(frozen=True)
class MOSS(IndexPolicy[HorizonStats]):
    """mean + sqrt(max(0, ln(horizon/(K N)))/N) (Audibert & Bubeck 2009)."""

    def init(self, batch: int, setting: Setting) -> HorizonStats:
        horizon = np.full(batch, float(setting.need_horizon(self)))
        return HorizonStats(*empty_stats(batch, setting.arms), horizon=horizon)

    def index(self, state: HorizonStats, rows: IntArray, clock: FloatArray) -> FloatArray:
        pulls = take(state.pulls, rows)
        some = np.maximum(pulls, 1)
        share = take(state.horizon, rows)[:, None] / (pulls.shape[1] * some)
        rate = np.log(np.maximum(share, 1))
        return unpulled_first(optimism(some, take(state.sums, rows), rate), pulls)
