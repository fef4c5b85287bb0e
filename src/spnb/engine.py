"""The engine: one agent plays many runs side by side, jumping from pull to pull.

Every run keeps its own clock (round, position), so each sweep makes one pull in every run still
alive; nobody loops over all the offers. Runs that have finished are dropped from the batch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spnb.agents.base import Agent
from spnb.arrays import FloatArray, IntArray
from spnb.problems.base import World
from spnb.setting import Setting
from spnb.state import State

Tick = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends: after so many rounds, after so many pulls, or when the agent stops."""

    rounds: int
    pulls: int | None = None
    heed_stop: bool = False


@dataclass(slots=True)
class Played:
    """What was pulled in each run of a block."""

    pulls: IntArray  # [B, K]
    rounds: IntArray  # [B] rounds used, up to and including that of the last pull
    answer: IntArray  # [B] the arm recommended at the end
    gain: FloatArray  # [B, P] sum of the pulls' worth at each check point
    count: FloatArray  # [B, P] pulls so far at each check point


@dataclass(slots=True)
class _Clock(State):
    """The runs still alive: which they are, and where each stands."""

    run: IntArray
    round: IntArray
    position: IntArray
    last: IntArray  # the round of the latest pull
    pulls: IntArray
    gain: FloatArray


def play(
    agent: Agent[Any],
    world: World,
    worth: FloatArray,
    setting: Setting,
    limits: Limits,
    checkpoints: IntArray,
    rng: np.random.Generator,
    tick: Tick = lambda rounds: None,
) -> Played:
    """Play every run of the world to its end.

    ``worth`` [B, K] is what a pull adds to the gain; ``checkpoints`` are the numbers of rounds
    after which gain and pulls are noted; ``tick`` hears how many rounds have passed.
    """
    return _Game(agent, world, worth, setting, limits, checkpoints, rng, tick).play()


class _Game:
    def __init__(
        self,
        agent: Agent[Any],
        world: World,
        worth: FloatArray,
        setting: Setting,
        limits: Limits,
        checkpoints: IntArray,
        rng: np.random.Generator,
        tick: Tick,
    ) -> None:
        batch, arms = world.means.shape
        self.agent, self.world, self.worth, self.limits = agent, world, worth, limits
        self.arms, self.rng, self.tick = arms, rng, tick
        self.checkpoints = checkpoints
        self.note_every_round = len(checkpoints) == limits.rounds
        self.state = agent.init(batch, setting, rng)
        self.clock = _Clock(
            run=np.arange(batch),
            round=np.zeros(batch, dtype=np.intp),
            position=np.zeros(batch, dtype=np.intp),
            last=np.zeros(batch, dtype=np.intp),
            pulls=np.zeros(batch, dtype=np.intp),
            gain=np.zeros(batch),
        )
        self.out = Played(
            pulls=np.zeros((batch, arms), dtype=np.intp),
            rounds=np.zeros(batch, dtype=np.intp),
            answer=np.zeros(batch, dtype=np.intp),
            gain=np.zeros((batch, len(checkpoints))),
            count=np.zeros((batch, len(checkpoints))),
        )

    def play(self) -> Played:
        while self.clock.run.size:
            arm = self._advance()
            if self.clock.run.size:
                self._pull(arm)
        return self.out

    def _advance(self) -> IntArray:
        """Move every run to its next wanted arm, through as many rounds as it takes."""
        clock = self.clock
        everyone = np.arange(len(clock.run))
        arm = self.agent.next_wanted(self.state, everyone, clock.position)
        empty = np.flatnonzero(arm == self.arms)
        while empty.size:
            self._close_round(empty)
            going_on = empty[clock.round[empty] < self.limits.rounds]
            self.agent.next_round(self.state, going_on, self.rng)
            if self.limits.heed_stop:
                going_on = going_on[~self.agent.stopped(self.state, going_on)]
            clock.position[going_on] = 0
            arm[going_on] = self.agent.next_wanted(self.state, going_on, clock.position[going_on])
            empty = going_on[arm[going_on] == self.arms]
        over = arm == self.arms
        if over.any():
            self._finish(np.flatnonzero(over))
            arm = arm[~over]
        return arm

    def _close_round(self, rows: IntArray) -> None:
        clock, out = self.clock, self.out
        done = clock.round[rows] + 1
        clock.round[rows] = done
        self.tick(len(rows))
        if self.note_every_round:
            place = done - 1
        elif len(self.checkpoints):
            place = np.searchsorted(self.checkpoints, done)
            hit = self.checkpoints[place] == done
            rows, place = rows[hit], place[hit]
        else:
            return
        run = clock.run[rows]
        out.gain[run, place] = clock.gain[rows]
        out.count[run, place] = clock.pulls[rows]

    def _pull(self, arm: IntArray) -> None:
        clock, agent = self.clock, self.agent
        everyone = np.arange(len(arm))
        agent.pulled(self.state, everyone, arm)
        reward = self.world.reward(clock.run, clock.round, arm)
        agent.observe(self.state, everyone, arm, reward, self.rng)
        self.out.pulls[clock.run, arm] += 1
        clock.gain += self.worth[clock.run, arm]
        clock.pulls += 1
        clock.last[:] = clock.round
        clock.position = arm + 1
        self._check_limits(everyone)

    def _check_limits(self, everyone: IntArray) -> None:
        over = np.zeros(len(everyone), dtype=bool)
        if self.limits.pulls is not None:
            over |= self.clock.pulls >= self.limits.pulls
        if self.limits.heed_stop:
            over |= self.agent.stopped(self.state, everyone)
        if over.any():
            self._finish(np.flatnonzero(over))

    def _finish(self, rows: IntArray) -> None:
        """Note the answers of these runs and drop them from the batch."""
        clock, run = self.clock, self.clock.run[rows]
        self.out.answer[run] = self.agent.recommend(self.state, rows, self.rng)
        self.out.rounds[run] = np.where(
            clock.round[rows] < self.limits.rounds, clock.last[rows] + 1, clock.round[rows]
        )
        rest = np.setdiff1d(np.arange(len(clock.run)), rows, assume_unique=True)
        self.state.keep(rest)
        clock.keep(rest)
