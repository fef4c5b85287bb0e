"""Thompson sampling: pull the arm whose posterior draw is the largest."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spnb.bandits.policies.base import IndexPolicy, Kernel, empty_stats, fresh_arm, learn_reward
from spnb.bandits.policies.posterior import Posteriors
from spnb.engine.arrays import FloatArray, IntArray, Numbers, flat, grid, take
from spnb.engine.compiled import compiled, part
from spnb.engine.setting import Setting

# ln of a density beyond which no arm's tail matters: its density was 1 or more somewhere before, so
# that it falls by 40 or more from here on, and its mass, below 1e-19, is lost beside 1.
_FAR = -40.0


@dataclass(slots=True)
class Draws(Posteriors):
    sample: FloatArray  # [B, K] the latest draw from each posterior, where all are asked for

    def add(self, rows: IntArray, arm: IntArray, reward: FloatArray) -> None:
        norm, cell = flat(self.norm, rows, arm)
        norm[cell] += norm_growth(*self.record(rows, arm), reward)
        Posteriors.add(self, rows, arm, reward)


class PosteriorMind(NamedTuple):
    pulls: FloatArray
    sums: FloatArray
    total: FloatArray
    norm: FloatArray
    random_ties: bool


@dataclass(frozen=True)
class TS(IndexPolicy[Draws]):
    """Thompson sampling: a draw from Beta(1+S, 1+N-S).

    A reward inside (0, 1) becomes 0 or 1 by a trial.
    """

    def init(self, batch: int, setting: Setting) -> Draws:
        arms = setting.arms
        return Draws(*empty_stats(batch, arms), norm=grid(batch, arms), sample=grid(batch, arms))

    def choose(self, state: Draws, rows: IntArray, rng: np.random.Generator) -> IntArray:
        # A live learner is one row, for which no compiler is loaded.
        each = draw_each() if len(rows) == 1 else compiled(draw_each)
        chosen = np.empty(len(rows), dtype=np.intp)
        with np.errstate(divide="ignore", invalid="ignore"):  # a draw may round to 1
            each(self._mind(state), rows, rng, chosen)
        return chosen

    def refresh(self, state: Draws, rows: IntArray, rng: np.random.Generator) -> None:
        pulls, sums = take(state.pulls, rows), take(state.sums, rows)
        draw = rng.beta(1 + sums.T, 1 + (pulls - sums).T).T  # column order, as in `grid`
        if len(rows) == len(state.sample):
            state.sample = draw
        else:
            state.sample[rows] = draw

    def index(self, state: Draws, rows: IntArray, clock: FloatArray) -> FloatArray:
        return np.where(take(state.pulls, rows) == 0, np.inf, take(state.sample, rows))

    def update(
        self,
        state: Draws,
        rows: IntArray,
        arm: IntArray,
        reward: FloatArray,
        rng: np.random.Generator,
    ) -> None:
        partial = (reward > 0) & (reward < 1)
        if partial.any():
            reward = reward.copy()
            reward[partial] = rng.random(partial.sum()) < reward[partial]
        state.add(rows, arm, reward)

    def kernel(self) -> Kernel:
        return Kernel(self._mind, learn_trial, choose=draw_largest)

    def _mind(self, state: Draws) -> PosteriorMind:
        stats = (state.pulls, state.sums, state.total)
        return PosteriorMind(*stats, state.norm, self.ties == "random")


def draw_each() -> Callable[[PosteriorMind, IntArray, np.random.Generator, IntArray], None]:
    def draw(
        mind: PosteriorMind, rows: IntArray, rng: np.random.Generator, chosen: IntArray
    ) -> None:
        for place in range(len(rows)):
            chosen[place] = draw_largest(mind, rows[place], rng)

    return draw


@part
def draw_largest(mind: PosteriorMind, run: int, rng: np.random.Generator) -> int:
    """The arm of the largest draw, without drawing for the arms that are far behind.

    The leader's draw is ``top``. Another arm's tail beyond it has at most the mass under the
    tangent of its density there. With that probability, if it is one, the arm makes a proposal
    from under the tangent, which may be its draw; if it makes none, its draw is not beyond
    ``top``, and nobody needs to know it. One number decides which of the arms propose.
    """
    pulls, sums, norm = mind.pulls[run], mind.sums[run], mind.norm[run]
    fresh = fresh_arm(mind, run)
    if fresh < len(pulls):
        return fresh
    best = leader = leading(pulls, sums)
    if pulls[leader] == 0:
        return leader
    top = rng.beta(1 + sums[leader], 1 + pulls[leader] - sums[leader])
    yes, no = np.log(top), np.log1p(-top)
    luck, silence = rng.random(), 1.0  # and the probability of no proposal so far
    for arm in range(len(pulls)):
        if arm == leader:
            continue
        wins, losses = sums[arm], pulls[arm] - sums[arm]
        height = norm[arm] + wins * yes + losses * no
        fall = losses * top - wins * (1 - top)
        if fall > 0 and height < _FAR:
            continue
        slope = fall / (top * (1 - top))
        mass = np.exp(height) / slope
        if fall > 0 and mass < 1:
            silence *= 1 - mass
            if luck < silence:
                continue
            luck, silence = rng.random(), 1.0
            draw = draw_beyond(wins, losses, norm[arm], top, height, slope, rng)
        else:
            draw = rng.beta(1 + wins, 1 + losses)
        if draw > top:
            best, top = arm, draw
            yes, no = np.log(top), np.log1p(-top)
    return best


@part
def draw_beyond(
    wins: float,
    losses: float,
    norm: float,
    top: float,
    height: float,
    slope: float,
    rng: np.random.Generator,
) -> float:
    """A draw from under the tangent at ``top``, or 0 if the density is not that high there."""
    step = rng.standard_exponential()
    draw = top + step / slope
    if draw >= 1:
        return 0.0
    drop = height - (norm + wins * np.log(draw) + losses * np.log1p(-draw))
    return draw if rng.standard_exponential() >= drop - step else 0.0


@part
def leading(pulls: FloatArray, sums: FloatArray) -> int:
    """The first arm without a reward, or else the arm of the largest posterior mean."""
    best = 0
    for arm in range(len(pulls)):
        if pulls[arm] == 0:
            return arm
        if (1 + sums[arm]) * (2 + pulls[best]) > (1 + sums[best]) * (2 + pulls[arm]):
            best = arm
    return best


@part
def norm_growth(wins: Numbers, losses: Numbers, reward: Numbers) -> Numbers:
    """What a reward of 0 or 1 adds to the norm: its Beta functions differ by a simple ratio."""
    alike = reward * wins + (1 - reward) * losses
    return np.log((2 + wins + losses) / (1 + alike))


@part
def learn_trial(mind: PosteriorMind, run: int, arm: int, reward: float) -> None:
    """``Draws.add`` for one run."""
    wins = mind.sums[run, arm]
    mind.norm[run, arm] += norm_growth(wins, mind.pulls[run, arm] - wins, reward)
    learn_reward(mind, run, arm, reward)
