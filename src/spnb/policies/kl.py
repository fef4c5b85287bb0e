"""Policies built on the Bernoulli divergence."""

from dataclasses import dataclass

import numpy as np

from spnb import params
from spnb.arrays import BoolArray, FloatArray, IntArray, take
from spnb.divergence import kl_short, kl_upper
from spnb.policies.base import IndexPolicy, Stats, empty_stats, unpulled_first
from spnb.policies.likelihood import Evidence, LikelihoodIndex
from spnb.setting import Setting


class _KLBound(LikelihoodIndex[Evidence]):
    """The largest q with N kl(mean, q) <= nats."""

    prior = 0.0

    def init(self, batch: int, setting: Setting) -> Evidence:
        return Evidence(*self.evidence(batch, setting))

    def invert(self, wins: FloatArray, losses: FloatArray, nats: FloatArray) -> FloatArray:
        pulls = wins + losses
        return kl_upper(wins / pulls, nats / pulls)


@dataclass(frozen=True)
class KLUCB(_KLBound):
    """KL-UCB: threshold ln t + c ln ln t (Garivier & Cappe 2011)."""

    c: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        params.non_negative(self, "c")

    def nats(self, state: Evidence, rows: IntArray, clock: FloatArray) -> FloatArray:
        log = np.log(clock)
        # ln ln t is negative before t = 3: there it must not shrink the bound.
        return (log + self.c * np.log(np.maximum(log, 1.0)))[:, None]


@dataclass(frozen=True)
class KLUCBPlus(_KLBound):
    """KL-UCB+: threshold ln(t/N), less exploring of what is known well."""

    spec_name = "KLUCB+"

    def nats(self, state: Evidence, rows: IntArray, clock: FloatArray) -> FloatArray:
        pulls = np.maximum(take(state.pulls, rows), 1)
        return np.log(np.maximum(clock[:, None] / pulls, 1.0))


@dataclass(frozen=True)
class IMED(IndexPolicy[Stats]):
    """Least N kl(mean, best mean) + ln N (Honda & Takemura 2015)."""

    def init(self, batch: int, setting: Setting) -> Stats:
        return Stats(*empty_stats(batch, setting.arms))

    def index(self, state: Stats, rows: IntArray, clock: FloatArray) -> FloatArray:
        best = state.means(rows).max(axis=1)
        return unpulled_first(-self._divergence(state, rows, best), take(state.pulls, rows))

    def challenges(
        self, state: Stats, rows: IntArray, clock: FloatArray, rival: IntArray
    ) -> BoolArray:
        each = np.arange(len(rows))
        level = state.means(rows)[each, rival]
        limit = np.log(np.maximum(take(state.pulls, rows)[each, rival], 1))
        passed: BoolArray = self._divergence(state, rows, level) <= limit[:, None]
        return passed | (take(state.pulls, rows) == 0)

    def _divergence(self, state: Stats, rows: IntArray, level: FloatArray) -> FloatArray:
        pulls = np.maximum(take(state.pulls, rows), 1)
        return pulls * kl_short(state.means(rows), level[:, None]) + np.log(pulls)
