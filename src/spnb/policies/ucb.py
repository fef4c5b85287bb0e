"""Indices of the form mean + width."""

from dataclasses import dataclass

import numpy as np

from spnb.arrays import FloatArray, IntArray, take
from spnb.policies.base import IndexPolicy, Stats, empty_stats, unpulled_first
from spnb.setting import Setting


@dataclass(frozen=True)
class UCB1(IndexPolicy[Stats]):
    """mean + sqrt(2 ln t / N) (Auer, Cesa-Bianchi & Fischer 2002)."""

    def init(self, batch: int, setting: Setting) -> Stats:
        return Stats(*empty_stats(batch, setting.arms))

    def index(self, state: Stats, rows: IntArray, clock: FloatArray) -> FloatArray:
        pulls = take(state.pulls, rows)
        # In place: this is the hottest line of a simulation, and fresh arrays cost more than sums.
        rarity = 1 / np.maximum(pulls, 1)
        score = 2 * np.log(clock)[:, None] * rarity
        np.sqrt(score, out=score)
        rarity *= take(state.sums, rows)
        score += rarity
        return unpulled_first(score, pulls)


@dataclass(slots=True)
class HorizonStats(Stats):
    horizon: FloatArray  # [B]


@dataclass(frozen=True)
class MOSS(IndexPolicy[HorizonStats]):
    """mean + sqrt(max(0, ln(horizon / (K N))) / N) (Audibert & Bubeck 2009)."""

    def init(self, batch: int, setting: Setting) -> HorizonStats:
        horizon = np.full(batch, float(setting.need_horizon(self)))
        return HorizonStats(*empty_stats(batch, setting.arms), horizon=horizon)

    def index(self, state: HorizonStats, rows: IntArray, clock: FloatArray) -> FloatArray:
        pulls = take(state.pulls, rows)
        some = np.maximum(pulls, 1)
        share = take(state.horizon, rows)[:, None] / (pulls.shape[1] * some)
        score = state.means(rows) + np.sqrt(np.log(np.maximum(share, 1)) / some)
        return unpulled_first(score, pulls)
