"""Policies built on the Bernoulli divergence."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spnb.bandits.policies.base import (
    IndexPolicy,
    Kernel,
    Stats,
    empty_stats,
    learn_reward,
    unpulled_first,
)
from spnb.bandits.policies.root import RootIndex
from spnb.base import params
from spnb.engine.arrays import BoolArray, FloatArray, IntArray, Numbers, flat, grid, take
from spnb.engine.compiled import part
from spnb.engine.divergence import kl_short, kl_upper
from spnb.engine.setting import Setting


@dataclass(slots=True)
class Evidence(Stats):
    fit: FloatArray  # [B, K] log-likelihood of the rewards at the mean that fits them best

    def add(self, rows: IntArray, arm: IntArray, reward: FloatArray) -> None:
        Stats.add(self, rows, arm, reward)
        fit, cell = flat(self.fit, rows, arm)
        fit[cell] = best_fit(*self.record(rows, arm))


class EvidenceMind(NamedTuple):
    pulls: FloatArray
    sums: FloatArray
    total: FloatArray
    fit: FloatArray
    random_ties: bool


class _KLBound(RootIndex[Evidence]):
    """The largest q with N kl(mean, q) <= nats: the likelihood is not too far below its best."""

    def init(self, batch: int, setting: Setting) -> Evidence:
        return Evidence(*empty_stats(batch, setting.arms), fit=grid(batch, setting.arms))

    def invert(self, wins: FloatArray, losses: FloatArray, nats: FloatArray) -> FloatArray:
        pulls = wins + losses
        return kl_upper(wins / pulls, nats / pulls)

    def may_reach(
        self, state: Evidence, rows: IntArray, nats: FloatArray, level: FloatArray
    ) -> BoolArray:
        pulls, sums, fit = (take(each, rows) for each in (state.pulls, state.sums, state.fit))
        mean = level[:, None]
        return likely(pulls, sums, fit, nats, mean, np.log(mean), np.log1p(-mean))


@part
def likely(
    pulls: Numbers,
    sums: Numbers,
    fit: Numbers,
    nats: Numbers,
    level: Numbers,
    yes: Numbers,
    no: Numbers,
) -> Numbers:
    """Whether the log-likelihood under a mean of ``level`` is at most ``nats`` below its best.

    ``yes`` and ``no`` are ln(level) and ln(1 - level). At levels 0 and 1 the likelihood may be
    nan, which is unlikely; a mean already at the level reaches it whatever its likelihood.
    """
    short = fit + sums * (no - yes) - pulls * no
    return (short <= nats) | (sums >= level * pulls)


@part
def best_fit(wins: Numbers, losses: Numbers) -> Numbers:
    """The log-likelihood of wins and losses at the mean that fits them best."""
    return _xlogx(wins) + _xlogx(losses) - _xlogx(wins + losses)


@part
def _xlogx(x: Numbers) -> Numbers:
    return x * np.log(np.maximum(x, 1e-300))  # so that it is 0 at 0


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
        return plus_nats(np.maximum(take(state.pulls, rows), 1), clock[:, None])

    def kernel(self) -> Kernel:
        return Kernel(self._mind, learn_evidence, reaches=plus_reaches)

    def _mind(self, state: Evidence) -> EvidenceMind:
        stats = (state.pulls, state.sums, state.total)
        return EvidenceMind(*stats, state.fit, self.ties == "random")


@part
def plus_nats(pulls: Numbers, clock: Numbers) -> Numbers:
    return np.log(np.maximum(clock / pulls, 1.0))


@part
def plus_reaches(
    mind: EvidenceMind, run: int, arm: int, clock: float, level: float, yes: float, no: float
) -> bool:
    pulls = mind.pulls[run, arm]
    nats = plus_nats(pulls, clock)
    return likely(pulls, mind.sums[run, arm], mind.fit[run, arm], nats, level, yes, no)


@part
def learn_evidence(mind: EvidenceMind, run: int, arm: int, reward: float) -> None:
    """``Evidence.add`` for one run."""
    learn_reward(mind, run, arm, reward)
    wins = mind.sums[run, arm]
    mind.fit[run, arm] = best_fit(wins, mind.pulls[run, arm] - wins)


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
