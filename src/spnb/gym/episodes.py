"""The runs that environments play: which ones, in which worlds, and their regret."""

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from spnb.base.params import MOST
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.episode import Episode, open_all, open_episode, step, step_all
from spnb.engine.rows import Rows
from spnb.engine.state import Batch, Layout
from spnb.problems import Problem
from spnb.simulation.metrics import goal_of

Observation = dict[str, Any]


def observation_space(arms: int) -> spaces.Dict:
    """The arm on offer, and how many rewards each arm has brought, with their sums."""
    amount = spaces.Box(0.0, float(MOST), (arms,), np.float64)  # spaces want a bound
    return spaces.Dict({"position": spaces.Discrete(arms), "counts": amount, "sums": amount})


def observed(position: int, counts: list[float], sums: list[float]) -> Observation:
    """What is seen at an offer."""
    return {
        "position": np.int64(position), "counts": np.array(counts), "sums": np.array(sums),
    }  # fmt: skip


class Episodes:
    """Runs of a problem at their first offer: those that ``simulate`` plays with this seed."""

    def __init__(self, problem: Problem, seed: int, runs: IntArray, rounds: int) -> None:
        worlds = problem.worlds(seed, runs)
        goal = goal_of(worlds, np.array([rounds]))
        e = self.batch = Batch(Layout.of(Episode, None, {"arms": problem.arms}), len(runs))
        e.worth[:], e.tied[:], e.places[:] = goal.worth.pull, goal.worth.tied, goal.worth.places
        e.most_rounds[:] = rounds
        # What a run gains that pulls exactly what it should: its regret if it gained nothing.
        self.whole = goal.regret(float(rounds), np.zeros(len(runs)))
        self.faced = worlds.faced
        self._rows = Rows(worlds.law, worlds.faced, e, fixed=True)
        self._all(open_episode, open_all)

    def step(self) -> None:
        """Answer the offers at hand with each run's ``action``; those that are over stay so."""
        self._all(step, step_all)

    def _all(self, what: Callable[..., None], loop: Callable[..., None]) -> None:
        if code := self._rows.code(loop):
            code(0, self.batch.batch)
        else:
            for number in range(self.batch.batch):
                self._rows.plainly(what, number)

    def replace(self, numbers: IntArray, others: "Episodes") -> None:
        """Put other runs in the places of these."""
        self.batch.put(numbers, others.batch)
        self.faced.put(numbers, others.faced)
        self.whole[numbers] = others.whole

    def regret(self) -> FloatArray:
        """What was missed, [B]; of a run that is over, its regret."""
        return np.maximum(self.whole - self.batch.gained, 0.0)
