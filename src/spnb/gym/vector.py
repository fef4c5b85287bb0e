"""Many runs in step, on the compiled engine: the vector form of the environment."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from spnb.base.params import whole_number
from spnb.base.words import shown
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.dice import checked_seed
from spnb.gym.episodes import Episodes, Observation, observation_space
from spnb.problems import ProblemLike, Synthetic, as_problem

Stepped = tuple[Observation, FloatArray, BoolArray, BoolArray, dict[str, Any]]


class ManyOffers(VectorEnv[Observation, IntArray, Any]):
    """Many runs of a problem at once; each of them does what ``Offers`` does.

    ``reset(seed=s)`` begins with the first ``num_envs`` runs of that seed. A run that is over makes
    room for the next one at the step after its last: that step's action counts for nothing.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - as above

    def __init__(
        self, num_envs: int = 1, problem: ProblemLike | None = None, rounds: int = 100
    ) -> None:
        num_envs = whole_number("num_envs", num_envs)
        self.problem = Synthetic(10) if problem is None else as_problem(problem)
        self.num_envs, self.rounds = num_envs, whole_number("rounds", rounds)
        self.single_observation_space = observation_space(self.problem.arms)
        self.single_action_space = spaces.Discrete(2)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._world_seed: int | None = None
        self._runs_begun = 0
        self._played: Episodes | None = None
        self._ended = np.zeros(num_envs, dtype=bool)  # at the last step

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin ``num_envs`` runs: the first ones of a seed, or the next."""
        super().reset(seed=seed)
        if seed is not None or self._world_seed is None:
            fresh = int(self.np_random.integers(2**32)) if seed is None else seed
            self._world_seed, self._runs_begun = checked_seed(fresh), 0
        runs = np.arange(self.num_envs) + self._runs_begun
        self._played = self._next_runs(self.num_envs)
        self._ended[:] = False
        return _seen(self._played), {"run": runs}

    def step(self, actions: IntArray) -> Stepped:
        """Answer the offer at hand in every run."""
        if self._played is None:
            raise gymnasium.error.ResetNeeded("reset() begins the first runs")
        before = self._ended
        self._played.batch.action[:] = self._checked(actions)
        self._played.step()
        if before.all():
            self._played = self._next_runs(self.num_envs)
        elif before.any():
            self._played.replace(np.flatnonzero(before), self._next_runs(int(before.sum())))
        e = self._played.batch
        self._ended = e.over & ~before
        infos = {name: getattr(e, name).copy() for name in ("round", "payoff", "trials")}
        if self._ended.any():
            regret = np.where(self._ended, self._played.regret(), 0.0)
            infos |= {"regret": regret, "_regret": self._ended.copy()}
        never = np.zeros(self.num_envs, dtype=bool)
        return _seen(self._played), e.reward.copy(), never, self._ended.copy(), infos

    def _next_runs(self, count: int) -> Episodes:
        seed, first = checked_seed(self._world_seed), self._runs_begun
        self._runs_begun += count
        return Episodes(self.problem, seed, np.arange(first, first + count), self.rounds)

    def _checked(self, actions: Any) -> BoolArray:
        given = np.asarray(actions)
        if given.shape != (self.num_envs,) or not np.isin(given, (0, 1)).all():
            raise gymnasium.error.InvalidAction(
                f"actions must be 0 or 1 for each of {self.num_envs} runs, got {shown(actions)}"
            )
        return given.astype(bool)


def _seen(played: Episodes) -> Observation:
    e = played.batch
    return {"position": e.position.copy(), "counts": e.counts.copy(), "sums": e.sums.copy()}
