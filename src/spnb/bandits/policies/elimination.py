"""Policies that pull the arms in question equally often and drop the bad ones phase by phase."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from spnb.bandits.policies.base import Policy, Stats, empty_stats
from spnb.base import params
from spnb.engine.arrays import BoolArray, FloatArray, IntArray, argmax, take
from spnb.engine.setting import Setting
from spnb.theory import log_bar


@dataclass(slots=True)
class Contest(Stats):
    """A phase is over once every active arm has ``due`` rewards."""

    alive: BoolArray  # [B, K]
    phase: IntArray  # [B] phases behind us
    due: FloatArray  # [B]
    horizon: FloatArray  # [B]


class Elimination(Policy[Contest]):
    """Round-robin over the active arms; at each phase end some are dropped."""

    @abstractmethod
    def phase_end(self, state: Contest, rows: IntArray) -> FloatArray:
        """How many rewards each active arm must have at the end of the current phase."""

    @abstractmethod
    def survivors(self, state: Contest, rows: IntArray, rng: np.random.Generator) -> BoolArray:
        """The arms that stay after the current phase."""

    def init(self, batch: int, setting: Setting) -> Contest:
        state = Contest(
            *empty_stats(batch, setting.arms),
            alive=np.ones((batch, setting.arms), dtype=bool, order="F"),
            phase=np.zeros(batch, dtype=np.intp),
            due=np.zeros(batch),
            horizon=np.full(batch, float(setting.need_horizon(self))),
        )
        state.due[:] = self.phase_end(state, np.arange(batch))
        return state

    def choose(self, state: Contest, rows: IntArray, rng: np.random.Generator) -> IntArray:
        pulls = np.where(take(state.alive, rows), take(state.pulls, rows), np.inf)
        return pulls.argmin(axis=1)

    def update(
        self,
        state: Contest,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        state.add(rows, arm, reward)
        over = self._phase_over(state, rows)
        while over.size:
            state.alive[over] = self.survivors(state, over, rng)
            state.phase[over] += 1
            state.due[over] = self.phase_end(state, over)
            over = self._phase_over(state, over)

    def active(self, state: Contest, rows: IntArray) -> BoolArray:
        return take(state.alive, rows)

    def stopped(self, state: Contest, rows: IntArray) -> BoolArray:
        return take(state.alive, rows).sum(axis=1) == 1

    def _phase_over(self, state: Contest, rows: IntArray) -> IntArray:
        pulls = np.where(take(state.alive, rows), take(state.pulls, rows), np.inf)
        over = (pulls.min(axis=1) >= take(state.due, rows)) & ~self.stopped(state, rows)
        return rows[over]


@dataclass(frozen=True)
class UCBrev(Elimination):
    """Improved UCB (Auer & Ortner 2010): drops arms out of reach.

    ``radius="printed"`` uses the width that the paper on Seq prints.
    """

    radius: Literal["auer", "printed"] = "auer"

    def __post_init__(self) -> None:
        super().__post_init__()
        params.one_of(self, "radius", ("auer", "printed"))

    def phase_end(self, state: Contest, rows: IntArray) -> FloatArray:
        horizon, gap = take(state.horizon, rows), 0.5 ** take(state.phase, rows)
        log = np.log(horizon * gap**2)
        # Phases end while horizon * gap^2 >= e; what is still active then stays to the end.
        return np.where(log >= 1, np.ceil(2 * log / gap**2), np.inf)

    def survivors(self, state: Contest, rows: IntArray, rng: np.random.Generator) -> BoolArray:
        due, gap = state.due[rows], 0.5 ** state.phase[rows]
        scale = state.horizon[rows] if self.radius == "auer" else due
        width = np.sqrt(np.log(scale * gap**2) / (2 * due))
        alive, means = state.alive[rows], state.means(rows)
        best = np.where(alive, means, -np.inf).max(axis=1)
        return alive & ~(means + width[:, None] < (best - width)[:, None])


def sr_phase_end(budget: FloatArray, arms: int, phase: IntArray) -> FloatArray:
    """n_k of Successive Rejects for phase k = 1, 2, ..., K-1; never below one pull."""
    left = np.maximum(arms + 1 - phase, 1)
    return np.maximum(np.ceil((budget - arms) / (log_bar(arms) * left)), 1.0)


@dataclass(frozen=True)
class SR(Elimination):
    """Successive Rejects (Audibert & Bubeck 2010): drops the worst in turn."""

    def phase_end(self, state: Contest, rows: IntArray) -> FloatArray:
        return sr_phase_end(state.horizon[rows], state.pulls.shape[1], state.phase[rows] + 1)

    def survivors(self, state: Contest, rows: IntArray, rng: np.random.Generator) -> BoolArray:
        alive = state.alive[rows].copy()
        worst = argmax(np.where(alive, -state.means(rows), -2.0), self.ties, rng)
        alive[np.arange(len(rows)), worst] = False
        return alive


@dataclass(frozen=True)
class SH(Elimination):
    """Sequential Halving (Karnin et al. 2013): phases keep the better half."""

    def phase_end(self, state: Contest, rows: IntArray) -> FloatArray:
        phases = max(1, int(np.ceil(np.log2(state.pulls.shape[1]))))
        share = np.floor(state.horizon[rows] / (state.alive[rows].sum(axis=1) * phases))
        return state.due[rows] + np.maximum(share, 1.0)

    def survivors(self, state: Contest, rows: IntArray, rng: np.random.Generator) -> BoolArray:
        alive, means = state.alive[rows], state.means(rows)
        lots = rng.random(alive.shape) if self.ties == "random" else np.zeros(alive.shape)
        order = np.lexsort((lots, np.where(alive, -means, np.inf)), axis=1)
        rank = np.argsort(order, axis=1)
        half = (alive.sum(axis=1) + 1) // 2
        return alive & (rank < half[:, None])
