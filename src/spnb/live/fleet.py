"""Many small campaigns in memory, one agent for all: a million articles or shops.

Each of them takes exactly the decisions of a ``Learner`` of its own.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spnb.bandits.agents import Agent
from spnb.bandits.policies import Policy
from spnb.bandits.spec import agent as parse_agent
from spnb.base.errors import ConflictError, DataError, MissingError, SpecError
from spnb.base.words import shown
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import stream_keys
from spnb.engine.fleet import LiveRuns, news_of
from spnb.engine.maths import nan
from spnb.engine.state import Batch
from spnb.live.learner import MOST_ROUNDS, Learner

MOST_CAMPAIGNS = 10**12


class Fleet:
    """Campaigns with the same arms and the same agent, offered one arm after the other.

    ``size`` is the number of campaigns, or the range of their ids: a part of a larger fleet does
    what the whole would have done with these ids. Nothing is written down but by ``save``.
    """

    def __init__(
        self,
        agent: str | Agent | Policy,
        arms: int,
        size: int | range,
        *,
        horizon: int | None = None,
        seed: int | None = None,
        hardness: float | None = None,
    ) -> None:
        self.agent = parse_agent(agent)
        if not self.agent.policy.compilable:
            raise SpecError(f"{self.agent} holds a foreign object: a fleet keeps numbers alone")
        # What a learner would refuse is refused here, in the same words.
        told = Learner(self.agent, arms, horizon=horizon, seed=seed, hardness=hardness)
        self.arms, self.seed = told.arms, told.seed
        self.horizon, self.hardness = told.horizon, told.hardness
        self.ids, self.round, self.position = _ids(size), 1, 0
        self.runs = LiveRuns(self.agent, self.arms, len(self.ids))
        # Pulls of each arm whose reward is still to come; arm by arm, since offers are.
        self.open = np.zeros((self.arms, len(self.ids)), np.uint32)
        keys = stream_keys(self.seed, str(self.agent), np.arange(self.ids.start, self.ids.stop))
        known = (nan if each is None else float(each) for each in (self.horizon, self.hardness))
        self.runs.begin(keys, *known)

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        ids = f"{self.ids.start} to {self.ids.stop - 1}"
        return f"Fleet({str(self.agent)!r}, arms={self.arms}, ids {ids}, round {self.round})"

    @property
    def nbytes(self) -> int:
        """Memory that the campaigns take."""
        return sum(array.nbytes for _, array in self.arrays())

    @property
    def bytes_per_arm(self) -> float:
        """Memory for each campaign and arm, what a campaign has once included."""
        return self.nbytes / (len(self) * self.arms)

    def wants(self, arm: int, offered: ArrayLike | None = None) -> IntArray:
        """Offer an arm to every campaign: the ids of those that pull it.

        A round offers arms in their order; an arm that is left out is offered to nobody.
        ``offered`` says for each campaign whether the arm is there for it in this round.
        """
        place = self._arm(arm)
        if place < self.position:
            raise ConflictError(
                f"arm {place} comes too late: arm {self.position - 1} was the last one offered in "
                f"round {self.round}, and arms come in their order; next_round() begins a new one"
            )
        pulls = self.runs.offer(place, self._offered(offered))
        self.open[place] += pulls
        self.position = place + 1
        found: IntArray = np.flatnonzero(pulls) + self.ids.start
        return found

    def observe(
        self, ids: ArrayLike, rewards: ArrayLike, *, arm: int | None = None, trials: ArrayLike = 1
    ) -> None:
        """The rewards of pulls have come: of the arm offered last, or late ones of another.

        With ``trials`` a reward is a sum over so many (7 clicks of 120). All is learnt or nothing.
        """
        place = self._arm_or_last(arm)
        numbers = self._open(ids, place)
        news = self._news(numbers, rewards, trials)
        self.open[place, numbers] -= 1
        self.runs.observe(news, place, self.position)

    def lost(self, ids: ArrayLike, *, arm: int | None = None) -> None:
        """The rewards of these pulls will never come."""
        place = self._arm_or_last(arm)
        numbers = self._open(ids, place)
        self.open[place, numbers] -= 1
        self.runs.lose(self._news(numbers, 0.0, 1), place)

    def found(self, ids: ArrayLike, rewards: ArrayLike, *, arm: int, trials: ArrayLike = 1) -> None:
        """Rewards that had been given up for lost have come after all, or are known of old."""
        place = self._arm(arm)
        self.runs.find(self._news(self._numbers(ids), rewards, trials), place)

    def next_round(self) -> None:
        """A new round begins."""
        self.runs.turn()
        self.round, self.position = self.round + 1, 0

    def learner(self, id_: int) -> Learner:
        """A copy of one campaign as a learner of its own."""
        (number,) = self._numbers([id_])
        told: dict[str, Any] = {
            "horizon": self.horizon, "seed": self.seed, "hardness": self.hardness,
        }  # fmt: skip
        learner = Learner(self.agent, self.arms, **told)
        self.runs.copy(self.agent, int(number), learner.state)
        return learner

    def save(self, path: str | Path) -> None:
        """Write all campaigns to a NumPy archive, whole or not at all."""
        from spnb.live.fleet_file import save

        save(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> "Fleet":
        """The fleet that ``save`` wrote; anything else is refused."""
        from spnb.live.fleet_file import load

        return load(Path(path))

    def arrays(self) -> list[tuple[str, Any]]:
        """Everything that is kept of the campaigns, by name."""
        own = [*self.runs.states.own("state."), *self.runs.seats.own("seat.")]
        return [*own, ("open", self.open)]

    def _arm(self, arm: int) -> int:
        if isinstance(arm, bool) or not isinstance(arm, int | np.integer):
            raise SpecError(f"arm must be a whole number, got {arm!r}")
        if not 0 <= arm < self.arms:
            raise SpecError(f"arm must be from 0 to {self.arms - 1}, got {arm!r}")
        return int(arm)

    def _arm_or_last(self, arm: int | None) -> int:
        if arm is not None:
            return self._arm(arm)
        if self.position == 0:
            raise SpecError(
                f"no arm was offered in round {self.round} yet: say whose rewards these are (arm=)"
            )
        return self.position - 1

    def _offered(self, offered: ArrayLike | None) -> Any:
        if offered is None:
            return None
        mask = np.asarray(offered)
        if mask.dtype != bool or mask.shape != (len(self),):
            raise SpecError(
                f"offered must be true or false for each of {len(self)} campaigns, "
                f"got {mask.dtype} of shape {mask.shape}"
            )
        return mask

    def _numbers(self, ids: ArrayLike) -> IntArray:
        """The rows of these campaigns, each named once."""
        given = np.asarray(ids)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise SpecError(f"ids must be a list of whole numbers, got {shown(ids)}")
        unknown = given[(given < self.ids.start) | (given >= self.ids.stop)]
        if unknown.size:
            raise MissingError(
                f"there is no campaign {unknown[0]}: ids are {self.ids.start} to "
                f"{self.ids.stop - 1}"
            )
        if not (given[1:] > given[:-1]).all():
            each, times = np.unique(given, return_counts=True)
            if times.max() > 1:
                raise DataError(f"campaign {each[times > 1][0]} is named twice, once is enough")
        numbers: IntArray = given.astype(np.intp) - self.ids.start
        return numbers

    def _open(self, ids: ArrayLike, arm: int) -> IntArray:
        """The rows of campaigns that wait for the reward of a pull of this arm."""
        numbers = self._numbers(ids)
        closed = numbers[self.open[arm, numbers] == 0]
        if closed.size:
            raise ConflictError(
                f"campaign {closed[0] + self.ids.start} waits for no reward of arm {arm}: it did "
                "not pull the arm, or the reward was observed or given up for lost before"
            )
        return numbers

    def _news(self, numbers: IntArray, rewards: ArrayLike, trials: ArrayLike) -> Batch:
        """A reward and its trials for each row."""
        paid, of = _one_each("rewards", rewards, numbers), _one_each("trials", trials, numbers)
        odd = np.flatnonzero(~((of >= 1) & (of % 1 == 0) & (of <= MOST_ROUNDS)))
        if odd.size:
            raise SpecError(f"trials must be whole numbers >= 1, got {of[odd[0]]:g}")
        odd = np.flatnonzero(~((paid >= 0) & (paid <= of)))  # also refuses nan
        if odd.size:
            first = odd[0]
            raise DataError(
                f"reward of campaign {numbers[first] + self.ids.start} must lie in "
                f"[0, {of[first]:g}], got {paid[first]:g}"
            )
        return news_of(numbers, paid, of)


def _ids(size: int | range) -> range:
    if isinstance(size, int | np.integer) and not isinstance(size, bool):
        size = range(int(size))
    if not isinstance(size, range) or size.step != 1 or size.start < 0 or len(size) == 0:
        raise SpecError(f"size must be a whole number >= 1, or a range of ids, got {size!r}")
    if size.stop > MOST_CAMPAIGNS:
        raise SpecError(f"ids must be below {MOST_CAMPAIGNS}, got {size!r}")
    return size


def _one_each(name: str, given: ArrayLike, numbers: IntArray) -> FloatArray:
    """A number for each of these campaigns: one for all, or as many as there are."""
    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise DataError(f"{name} must be numbers, got {shown(given)}") from None
    if values.ndim and values.shape != numbers.shape:
        raise DataError(f"{name} must be one for each of {len(numbers)} ids, got {values.shape}")
    return np.broadcast_to(values, numbers.shape)
