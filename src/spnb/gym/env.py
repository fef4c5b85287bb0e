"""One run as a Gymnasium environment: an offer is a step, the action is pass or pull."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from spnb.base.params import whole_number
from spnb.engine.dice import checked_seed
from spnb.gym.episodes import Episodes, Observation, observation_space, observed
from spnb.problems import ProblemLike, Synthetic, as_problem


class Offers(gymnasium.Env[Observation, Any]):
    """A run of a problem, offer by offer. Action 0 passes, action 1 pulls.

    The reward of a step is what the answer adds to the gain that regret is counted by: the best
    mean for the first pull of a best arm in a round, minus its gap for any other arm, 0 for a pass.
    So the return of a run is what the best could have gained, minus its regret. What the arm paid
    is in ``info``, and in the sums of the next observation.

    ``reset(seed=s)`` begins run 0 of ``spnb.simulate(..., seed=s)``; every ``reset`` without a seed
    goes on to the next run.
    """

    metadata = {"render_modes": []}  # noqa: RUF012 - the form that Gymnasium wants

    def __init__(self, problem: ProblemLike | None = None, rounds: int = 100) -> None:
        self.problem = Synthetic(10) if problem is None else as_problem(problem)
        self.rounds = whole_number("rounds", rounds)
        self.observation_space = observation_space(self.problem.arms)
        self.action_space = spaces.Discrete(2)
        self._world_seed: int | None = None
        self._run = 0
        self._played: Episodes | None = None
        self._ended = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a run: the first one of a seed, or the next."""
        super().reset(seed=seed)
        if seed is None and self._world_seed is not None:
            self._run += 1
        else:
            fresh = int(self.np_random.integers(2**32)) if seed is None else seed
            self._world_seed, self._run = checked_seed(fresh), 0
        runs = np.array([self._run])
        self._played = Episodes(self.problem, self._world_seed, runs, self.rounds)
        self._ended = False
        return _seen(self._played), {"seed": self._world_seed, "run": self._run}

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Answer the offer at hand."""
        played = self._played
        if played is None or self._ended:
            raise gymnasium.error.ResetNeeded("no run is under way: reset() begins the next one")
        if action not in (0, 1):
            raise gymnasium.error.InvalidAction(f"action must be 0 or 1, got {action!r}")
        e = played.batch
        e.action[0] = action
        played.step()
        info = {name: getattr(e, name)[0].item() for name in ("round", "payoff", "trials")}
        if e.over[0]:
            info["regret"] = float(played.regret()[0])
        self._ended = bool(e.over[0])
        return _seen(played), float(e.reward[0]), False, self._ended, info


def _seen(played: Episodes) -> Observation:
    e = played.batch
    return observed(e.position[0], e.counts[0], e.sums[0])
