"""All runs side by side, jumping from pull to pull: for every agent and every world.

Every run keeps its own clock (round, position), so each sweep makes one pull in every run still
alive; nobody loops over all the offers. Runs that have finished are dropped from the batch.
"""

from dataclasses import dataclass

import numpy as np

from spnb.engine.arrays import FloatArray, IntArray, take
from spnb.engine.game import Game, Played
from spnb.engine.state import State

_NOBODY = np.array([], dtype=np.intp)


@dataclass(slots=True)
class _Clock(State):
    """The runs still alive: which they are, and where each stands."""

    run: IntArray
    round: IntArray  # rounds behind it
    position: IntArray  # the next offer
    gain: FloatArray


def play(game: Game) -> Played:
    return _Sweeps(game).play()


class _Sweeps:
    def __init__(self, game: Game) -> None:
        batch, arms = game.world.means.shape
        self.agent, self.state, self.world = game.agent, game.state, game.world
        self.limits, self.checkpoints = game.limits, game.checkpoints
        self.rng, self.onlooker, self.tick = game.rng, game.onlooker, game.tick
        self.arms = arms
        self.worth = np.ascontiguousarray(game.worth).reshape(-1)
        self.clock = _Clock(
            run=np.arange(batch),
            round=np.zeros(batch, dtype=np.intp),
            position=np.zeros(batch, dtype=np.intp),
            gain=np.zeros(batch),
        )
        self.everyone = np.arange(batch)
        self.sweeps = 0  # pulls so far, the same number in every run still alive
        self.out = Played.blank(game)

    def play(self) -> Played:
        while self.everyone.size:
            arm = self._advance()
            if arm.size:
                self._pull(arm)
        return self.out

    def _advance(self) -> IntArray:
        """Move every run to its next wanted arm, through as many rounds as it takes."""
        clock = self.clock
        arm = self._next_pull(self.everyone, clock.position)
        empty = np.flatnonzero(arm == self.arms)
        some_over = False
        while empty.size:
            going_on = self._next_round(empty)
            start = np.zeros(len(going_on), dtype=np.intp)
            found = self._next_pull(going_on, start)
            arm[going_on] = found
            some_over |= going_on.size < empty.size
            empty = going_on[found == self.arms]
        if some_over:
            over = arm == self.arms
            ended = np.flatnonzero(over)
            self._finish(ended, clock.round[ended])
            arm = arm[~over]
        return arm

    def _next_pull(self, rows: IntArray, start: IntArray) -> IntArray:
        """The next wanted arm of this round that is really offered, or the number of arms."""
        clock = self.clock
        arm = self.agent.next_wanted(self.state, rows, start)
        asking = np.flatnonzero(arm < self.arms) if self.world.has_gaps() else _NOBODY
        while asking.size:
            at = rows[asking]
            absent = ~self.world.offered(clock.run[at], clock.round[at], arm[asking])
            asking = asking[absent]
            arm[asking] = self.agent.next_wanted(self.state, rows[asking], arm[asking] + 1)
            asking = asking[arm[asking] < self.arms]
        return arm

    def _next_round(self, rows: IntArray) -> IntArray:
        """Close the round of these runs; tell which of them go on."""
        clock = self.clock
        done = take(clock.round, rows) + 1
        clock.round[rows] = done
        self._note(rows, done)
        self.tick(len(rows))
        going_on = rows[done < self.limits.rounds]
        self.agent.next_round(self.state, going_on, self.rng)
        if self.limits.heed_stop:
            going_on = going_on[~self.agent.stopped(self.state, going_on)]
        return going_on

    def _note(self, rows: IntArray, done: IntArray) -> None:
        """Note gain and pulls of the runs that have reached a check point."""
        points = len(self.checkpoints)
        if not points:
            return
        place = done - 1
        if points < self.limits.rounds:
            place = np.searchsorted(self.checkpoints, done)
            hit = self.checkpoints[place] == done
            rows, place = rows[hit], place[hit]
        cell = take(self.clock.run, rows) * points + place
        self.out.gain.reshape(-1)[cell] = take(self.clock.gain, rows)
        self.out.count.reshape(-1)[cell] = self.sweeps
        if self.onlooker is not None:
            advice = self.agent.recommend(self.state, rows, self.onlooker)
            self.out.advice.reshape(-1)[cell] = advice

    def _pull(self, arm: IntArray) -> None:
        clock, agent, everyone = self.clock, self.agent, self.everyone
        agent.pulled(self.state, everyone, arm)
        reward = self.world.reward(clock.run, clock.round, arm)
        agent.observe(self.state, everyone, arm, reward, self.rng)
        cell = clock.run * self.arms + arm
        self.out.pulls.reshape(-1)[cell] += 1
        clock.gain += self.worth[cell]
        clock.position = arm + 1
        self.sweeps += 1
        self._stop()

    def _stop(self) -> None:
        """End the runs whose pulls are spent or whose agent has made up its mind."""
        if self.sweeps == self.limits.pulls:
            self._finish(self.everyone, self.clock.round + 1)
        elif self.limits.heed_stop:
            ended = np.flatnonzero(self.agent.stopped(self.state, self.everyone))
            if ended.size:
                self._finish(ended, self.clock.round[ended] + 1)

    def _finish(self, rows: IntArray, rounds: IntArray) -> None:
        """Note the answers of these runs and drop them from the batch."""
        run = self.clock.run[rows]
        self.out.answer[run] = self.agent.recommend(self.state, rows, self.rng)
        self.out.rounds[run] = rounds
        rest = np.setdiff1d(self.everyone, rows, assume_unique=True)
        self.state.keep(rest)
        self.clock.keep(rest)
        self.everyone = np.arange(len(rest))
