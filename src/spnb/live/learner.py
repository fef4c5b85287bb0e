"""One learner in the real world: asked at each offer, told each reward, saved in between."""

from typing import Any

import numpy as np

from spnb.bandits.agents import Agent, AgentState
from spnb.bandits.policies import Policy
from spnb.bandits.spec import agent as parse_agent
from spnb.base.errors import DataError, SpecError
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.randomness import checked_seed, generator, generator_from_state, generator_state
from spnb.engine.setting import Setting

_ONLY = np.zeros(1, dtype=np.intp)  # the one row of a batch of one
_NOTHING = (0, -1)  # (start, wanted): of the arms from start to wanted only the last is wanted


class Learner:
    """An agent with its state and its generator, for one real run.

    It takes exactly the decisions of a simulated run with the same seed and rewards.
    """

    def __init__(
        self,
        agent: str | Agent[Any] | Policy[Any],
        arms: int,
        *,
        horizon: int | None = None,
        seed: int | None = None,
        hardness: float | None = None,
    ) -> None:
        self.agent = parse_agent(agent)
        self.seed = checked_seed(seed)
        known = None if hardness is None else np.array([hardness])
        self.setting = Setting(arms, horizon, known)
        self._spec = str(self.agent)
        self._rng = generator(self.seed, self._spec)
        self._state = self.agent.init(1, self.setting, self._rng)
        self._known = _NOTHING

    @property
    def state(self) -> AgentState:
        """What the agent knows, a batch of one; to be read, not to be written."""
        return self._state

    def ask(self, arm: int) -> bool:
        """Would the agent pull this arm, offered now? Asking changes nothing."""
        start = self._arm(arm)
        first, wanted = self._known
        if not first <= arm <= wanted:
            wanted = int(self.agent.next_wanted(self._state, _ONLY, start)[0])
            # Kept until something happens: the arms passed over on the way need no second look.
            self._known = (arm, wanted)
        return wanted == arm

    def next_wanted(self, start: int = 0) -> int | None:
        """The next arm from ``start`` on that would be pulled in this round, if any."""
        arm = int(self.agent.next_wanted(self._state, _ONLY, self._arm(start))[0])
        return arm if arm < self.setting.arms else None

    def pulled(self, arm: int) -> None:
        """The arm has been pulled; its reward may come later."""
        self._known = _NOTHING
        self.agent.pulled(self._state, _ONLY, self._arm(arm))

    def observe(self, arm: int, reward: float) -> None:
        """The reward of a pull has come."""
        value = self._reward(arm, reward)
        self._known = _NOTHING
        self.agent.observe(self._state, _ONLY, self._arm(arm), value, self._rng)

    def lost(self, arm: int) -> None:
        """The reward of a pull will never come."""
        self._known = _NOTHING
        self.agent.lost(self._state, _ONLY, self._arm(arm), self._rng)

    def found(self, arm: int, reward: float) -> None:
        """A reward that had been given up for lost has come after all."""
        value = self._reward(arm, reward)
        self._known = _NOTHING
        self.agent.found(self._state, _ONLY, self._arm(arm), value, self._rng)

    def next_round(self) -> None:
        """A new round begins."""
        self._known = _NOTHING
        self.agent.next_round(self._state, _ONLY, self._rng)

    def recommend(self) -> int:
        """The arm held for the best; equal arms are settled the same way until more is known."""
        dice = generator_from_state(generator_state(self._rng))
        return int(self.agent.recommend(self._state, _ONLY, dice)[0])

    @property
    def stopped(self) -> bool:
        """Whether the agent has finished identifying."""
        return bool(self.agent.stopped(self._state, _ONLY)[0])

    def to_dict(self) -> dict[str, Any]:
        """All that is needed to go on elsewhere, as plain JSON values."""
        hardness = self.setting.hardness
        return {
            "agent": self._spec,
            "arms": self.setting.arms,
            "horizon": self.setting.horizon,
            "hardness": None if hardness is None else float(hardness[0]),
            "seed": self.seed,
            "state": self._state.to_dict(),
            "generator": generator_state(self._rng),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Learner":
        """The learner that ``to_dict`` described."""
        try:
            learner = cls(
                data["agent"],
                data["arms"],
                horizon=data["horizon"],
                seed=data["seed"],
                hardness=data["hardness"],
            )
            learner._state.load(data["state"])
            learner._rng = generator_from_state(data["generator"])
        except KeyError as error:
            raise DataError(f"a saved learner needs {error.args[0]!r}") from None
        return learner

    def _reward(self, arm: int, reward: float) -> FloatArray:
        if not 0.0 <= reward <= 1.0:  # also refuses nan
            raise DataError(f"reward of arm {arm} must lie in [0, 1], got {reward!r}")
        return np.array([float(reward)])

    def _arm(self, arm: int) -> IntArray:
        if isinstance(arm, bool) or not 0 <= arm < self.setting.arms:
            raise SpecError(f"arm must be from 0 to {self.setting.arms - 1}, got {arm!r}")
        return np.array([arm], dtype=np.intp)
