"""Indices of the form mean + width."""

from dataclasses import dataclass

import numpy as np

from spnb.arrays import FloatArray, IntArray, flat, take
from spnb.policies.base import IndexPolicy, Stats, empty_stats, unpulled_first
from spnb.setting import Setting


@dataclass(slots=True)
class Widths(Stats):
    mean: FloatArray  # [B, K]
    rarity: FloatArray  # [B, K] 1/N; +inf for an arm never pulled, and so is its index


@dataclass(frozen=True)
class UCB1(IndexPolicy[Widths]):
    """mean + sqrt(2 ln t / N) (Auer, Cesa-Bianchi & Fischer 2002)."""

    def init(self, batch: int, setting: Setting) -> Widths:
        mean, rarity, _ = empty_stats(batch, setting.arms)
        rarity += np.inf
        return Widths(*empty_stats(batch, setting.arms), mean=mean, rarity=rarity)

    def update(
        self,
        state: Widths,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        # What changes only for the pulled arm is kept, so that the index is three operations.
        state.add(rows, arm, reward)
        mean, cell = flat(state.mean, rows, arm)
        pulls, sums, rarity = (
            flat(grid, rows, arm)[0] for grid in (state.pulls, state.sums, state.rarity)
        )
        rarity[cell] = once = 1 / pulls[cell]
        mean[cell] = sums[cell] * once

    def index(self, state: Widths, rows: IntArray, clock: FloatArray) -> FloatArray:
        log = np.log(np.maximum(clock, 1.5))  # ln 1 = 0 would turn an infinite rarity into nan
        score = take(state.rarity, rows) * (2 * log)[:, None]
        np.sqrt(score, out=score)
        score += take(state.mean, rows)
        return score


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
        score = state.means(rows) + np.sqrt(np.log(np.maximum(share, 1)) / some)
        return unpulled_first(score, pulls)
