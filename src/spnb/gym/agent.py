"""An agent of Gymnasium, ``act(observation) -> action``, among spnb's own."""

from collections.abc import Callable
from dataclasses import field
from typing import Any, ClassVar

from spnb.bandits.agents import Agent
from spnb.bandits.policies import Policy
from spnb.bandits.registry import find
from spnb.base.errors import SpecError
from spnb.base.words import shown
from spnb.gym.episodes import Observation, observed


class Noticing(Policy):
    """Policy that only keeps count; somebody else decides."""

    compilable: ClassVar[bool] = False  # what decides stands outside


class Acting(Agent):
    """Pulls where a function of the observation says so."""

    policy: Noticing = field(init=False, default=Noticing())
    title: str
    act: Callable[[Observation], Any]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.title, str) or find(self.title) is not None:
            raise SpecError(f"Acting.title must be a name not taken yet, got {self.title!r}")

    def __str__(self) -> str:
        return self.title

    def wanted(self, s: Any, start: int) -> int:
        arms, arm = len(s.policy.pulls), start
        while arm < arms and not self.pulls(observed(arm, s.policy.pulls, s.policy.sums)):
            arm += 1
        return arm

    def pulls(self, observation: Observation) -> bool:
        action = self.act(observation)
        if action not in (0, 1):
            raise SpecError(f"{self} must answer 0 or 1, got {shown(action)}")
        return bool(action)


def acting(title: str, act: Callable[[Observation], Any]) -> Acting:
    """An agent out of a function from observation to action, trained or written by hand.

    It sees what the environment shows, and each offer of a simulated run once, in order.
    """
    return Acting(title, act)
