"""One learner in the real world: asked at each offer, told each reward, saved in between."""

from functools import cached_property
from typing import Any

import numpy as np

from spnb.bandits.agents import Agent, AgentState
from spnb.bandits.policies import Policy
from spnb.bandits.spec import agent as parse_agent
from spnb.bandits.spec import name_of
from spnb.base import params
from spnb.base.errors import DataError, SpecError
from spnb.engine.dice import checked_seed, stream_keys
from spnb.engine.loop import Setting
from spnb.engine.maths import nan
from spnb.engine.state import Layout, load, to_dict

FORM = 5
"""The form in which learners decide: raised when the same seed and rewards lead to other decisions.

What a learner of an older form decided stands; one of this form goes on, taught by the log.
"""

MOST_ARMS, MOST_ROUNDS = 10**7, 10**15  # whoever has more has made a mistake
_NOTHING = (0, -1, -1)  # (first, last, wanted): of the arms from first to last only one is wanted
_NUMBERS = (int, float, np.number, np.bool_)
_FIELDS = {"agent", "arms", "horizon", "hardness", "seed", "state"}


class Learner:
    """An agent with its state, for one real run.

    It takes exactly the decisions of a simulated run with the same seed and rewards.
    """

    def __init__(
        self,
        agent: str | Agent | Policy,
        arms: int,
        *,
        horizon: int | None = None,
        seed: int | None = None,
        hardness: float | None = None,
    ) -> None:
        self.agent = parse_agent(agent)
        self.seed = checked_seed(seed)
        self.arms = params.whole_number("arms", arms, most=MOST_ARMS)
        self.horizon, self.hardness = horizon, hardness
        if horizon is not None:
            self.horizon = params.whole_number("horizon", horizon, most=MOST_ROUNDS)
        if hardness is not None and not (params.is_number(hardness) and hardness >= 0):
            raise SpecError(f"hardness must be a number >= 0, got {hardness!r}")
        _check_told(self.agent, horizon, hardness)
        self._spec = str(self.agent)
        self._state = Layout.of(self.agent.State, self.agent, {"arms": self.arms}).fresh()
        self._state.policy.dice.key = int(stream_keys(self.seed, self._spec, [0])[0])
        self.agent.start(self._state, self._setting())
        self._known = _NOTHING

    def __repr__(self) -> str:
        told = self._state.policy.total
        return f"<Learner {self._spec}, {self.arms} arms: {told:.0f} rewards, seed {self.seed}>"

    def _setting(self) -> Setting:
        setting: Setting = Layout.of(Setting, None, {}).fresh()
        setting.arms = self.arms
        setting.horizon = nan if self.horizon is None else float(self.horizon)
        setting.hardness = nan if self.hardness is None else float(self.hardness)
        return setting

    @property
    def state(self) -> AgentState:
        """What the agent knows; to be read, not to be written."""
        return self._state

    def ask(self, arm: int) -> bool:
        """Would the agent pull this arm, offered now? Asking changes nothing."""
        first, last, wanted = self._known
        if type(arm) is not int or not first <= arm <= last:
            wanted = self.agent.wanted(self._state, self._arm(arm))
            # Kept until something happens: the arms passed over on the way need no second look.
            self._known = (arm, min(wanted, self.arms - 1), wanted)
        return wanted == arm

    def next_wanted(self, start: int = 0) -> int | None:
        """The next arm from ``start`` on that would be pulled in this round, if any."""
        arm = self.agent.wanted(self._state, self._arm(start))
        return arm if arm < self.arms else None

    def pulled(self, arm: int) -> None:
        """The arm has been pulled; its reward may come later."""
        place = self._arm(arm)
        self._known = _NOTHING
        self.agent.pulled(self._state, place)

    def observe(self, arm: int, reward: float, trials: int = 1) -> None:
        """The reward of a pull has come: one, or the sum of so many trials' (7 clicks of 120)."""
        value, number, place = *_reward(arm, reward, trials), self._arm(arm)
        self._known = _NOTHING
        self.agent.observe(self._state, place, value, number)

    def lost(self, arm: int) -> None:
        """The reward of a pull will never come."""
        place = self._arm(arm)
        self._known = _NOTHING
        self.agent.lost(self._state, place)

    def found(self, arm: int, reward: float, trials: int = 1) -> None:
        """A reward that had been given up for lost has come after all."""
        value, number, place = *_reward(arm, reward, trials), self._arm(arm)
        self._known = _NOTHING
        self.agent.found(self._state, place, value, number)

    def next_round(self) -> None:
        """A new round begins."""
        self._known = _NOTHING
        self.agent.next_round(self._state)

    def toss(self) -> None:
        """Draw anew what this round owes to chance, after what was known before it was told."""
        self._known = _NOTHING
        self.agent.toss(self._state)

    def join(self, start: int, arm: int) -> None:
        """The first round began with the offer ``start``, not with the first; ``arm`` is next."""
        first, ahead = self._arm(start), self._arm(arm)
        self._known = _NOTHING
        self.agent.join(self._state, first, ahead)

    def awaited(self) -> int | None:
        """The arm whose reward must come before anything more is pulled, if there is one."""
        arm = self.agent.awaited(self._state)
        return None if arm < 0 else arm

    def recommend(self) -> int:
        """The arm taken to be the best; equal arms are settled the same way until more is known."""
        dice = self._state.policy.dice
        drawn = dice.drawn
        arm = self.agent.recommend(self._state)
        dice.drawn = drawn  # looking changes nothing
        return arm

    @property
    def stopped(self) -> bool:
        """Whether the agent has finished identifying."""
        return self.agent.stopped(self._state)

    def to_dict(self) -> dict[str, Any]:
        """All that is needed to go on elsewhere, as plain JSON values."""
        return {
            "agent": self._name,
            "arms": self.arms,
            "horizon": self.horizon,
            "hardness": self.hardness,
            "seed": self.seed,
            "state": to_dict(self._state),
        }

    @cached_property
    def _name(self) -> str:
        """The spec, if the agent can be found again by it."""
        if not self.agent.policy.compilable:
            raise DataError(f"{self.agent} holds a foreign object: it cannot be written down")
        return name_of(self.agent)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Learner":
        """The learner that ``to_dict`` described; anything else is refused."""
        if not isinstance(data, dict) or set(data) != _FIELDS:
            got = sorted(map(str, data)) if isinstance(data, dict) else data
            raise DataError(f"a saved learner has the fields {sorted(_FIELDS)}, got {got!r:.200}")
        told = {name: data[name] for name in ("horizon", "seed", "hardness")}
        try:
            learner = cls(data["agent"], data["arms"], **told)
        except SpecError as error:
            raise DataError(f"this is not a saved learner: {error}") from None
        load(learner._state, data["state"])
        return learner

    def _arm(self, arm: int) -> int:
        plain = type(arm) is int and 0 <= arm < self.arms  # as nearly always: that is quick
        return arm if plain else checked_arm(arm, self.arms)


def checked_arm(arm: int, arms: int) -> int:
    """An arm of so many."""
    if isinstance(arm, bool) or not isinstance(arm, int | np.integer):
        raise SpecError(f"arm must be a whole number, got {arm!r}")
    if not 0 <= arm < arms:
        raise SpecError(f"arm must be from 0 to {arms - 1}, got {arm!r}")
    return int(arm)


def _check_told(agent: Agent, horizon: object, hardness: object) -> None:
    """Whether the agent has been told what it needs."""
    if "horizon" in agent.needs and horizon is None:
        raise SpecError(
            f"{agent} needs to know the horizon: give the number of rounds, or of pulls where the "
            "best arm is looked for"
        )
    if "hardness" in agent.needs and hardness is None:
        raise SpecError(
            f"{agent} needs H1, which only a simulation knows; live, use UCBE(c=2, plugin), "
            "or say what you take it to be (hardness)"
        )


def _reward(arm: int, reward: float, trials: int) -> tuple[float, float]:
    single = type(trials) is int and trials == 1
    number = 1 if single else params.whole_number("trials", trials, most=MOST_ROUNDS)
    if not isinstance(reward, _NUMBERS) or not 0.0 <= reward <= number:  # also refuses nan
        raise DataError(f"reward of arm {arm} must lie in [0, {number}], got {reward!r}")
    return float(reward), float(number)
