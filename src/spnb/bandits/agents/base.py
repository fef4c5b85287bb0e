"""What an agent is: it answers offers, one after the other, with pull or pass."""

from typing import Any, ClassVar

from spnb.bandits.described import Described
from spnb.bandits.policies.base import Policy, Stats
from spnb.engine import Setting, State


class AgentState(State):
    """What an agent knows; every agent here learns through a policy."""

    policy: Stats


class Agent(Described):
    """Agent: it answers offers. Pull and reward are separate events: rewards may come late.

    The one decision primitive is ``wanted``. Live, ``ask(arm)`` is ``wanted(arm) == arm``; a
    simulation jumps straight to the wanted arm.
    """

    policy: Policy

    State: ClassVar[type[AgentState]] = AgentState
    # Whether a pull, before its reward, may change what the agent wants of the arms after it.
    heeds_pulls: ClassVar[bool] = True

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        # True is always safe: a class that decides in its own way does not inherit False.
        if not {"wanted", "pulled"}.isdisjoint(vars(cls)) and "heeds_pulls" not in vars(cls):
            cls.heeds_pulls = True

    @property
    def needs(self) -> tuple[str, ...]:
        """What it must be told before it starts, of "horizon" and "hardness"."""
        return self.policy.needs

    def start(self, s: Any, setting: Setting) -> None:
        """Fill in what is not zero before the first offer."""
        self.policy.start(s.policy, setting)

    def wanted(self, s: Any, start: int) -> int:
        """The first arm at or after ``start`` that would be pulled if offered; K if none.

        A pure function of the state: it draws no random numbers, and asking twice gives the same.
        """
        raise NotImplementedError

    def pulled(self, s: Any, arm: int) -> None:
        """The pull has happened; its reward will come."""

    def observe(self, s: Any, arm: int, reward: float, trials: float) -> None:
        """The reward of an earlier pull has come."""
        self.policy.learn(s.policy, arm, reward, trials)

    def lost(self, s: Any, arm: int) -> None:
        """The reward of an earlier pull will never come."""

    def found(self, s: Any, arm: int, reward: float, trials: float) -> None:
        """A reward that had been given up for lost has come after all."""
        self.policy.learn(s.policy, arm, reward, trials)

    def next_round(self, s: Any) -> None:
        """A new round begins."""
        self.policy.new_round(s.policy)

    def toss(self, s: Any) -> None:
        """Draw anew what the answers of this round owe to chance."""

    def join(self, s: Any, start: int, arm: int) -> None:
        """The first round began with the offer ``start``, not with the first; ``arm`` is next."""

    def awaited(self, s: Any) -> int:
        """The arm whose reward must come before anything more is pulled; -1 if there is none."""
        return -1

    def recommend(self, s: Any) -> int:
        """The arm taken to be the best."""
        return self.policy.recommend(s.policy)

    def accepts(self, s: Any, arm: int) -> bool:
        """Whether the arm belongs to the answer, where a set of arms is asked for."""
        return self.policy.accepts(s.policy, arm)

    def stopped(self, s: Any) -> bool:
        """Whether the agent has finished identifying."""
        return self.policy.stopped(s.policy)
