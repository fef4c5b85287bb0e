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
from spnb.base.errors import ConflictError, SpecError
from spnb.engine.arrays import BoolArray, IntArray
from spnb.engine.dice import stream_keys
from spnb.engine.fleet import LiveRuns, news_of
from spnb.engine.maths import nan
from spnb.engine.state import Batch
from spnb.live.fleet_checks import checked_ids, checked_offered, paid, refuse_closed, rows_of
from spnb.live.learner import Learner, checked_arm


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
        self.ids, self.round, self.position = checked_ids(size), 1, 0
        self.runs = LiveRuns(self.agent, self.arms, len(self.ids))
        # Pulls of each arm whose reward is still to come; arm by arm, since offers are.
        # Written, not only promised by the system: that would be paid for in the first offers.
        self.open = np.full((self.arms, len(self.ids)), 0, np.uint32)
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
        place = checked_arm(arm, self.arms)
        if place < self.position:
            raise ConflictError(
                f"arm {place} comes too late: arm {self.position - 1} was the last one offered in "
                f"round {self.round}, and arms come in their order; next_round() begins a new one"
            )
        mask = None if offered is None else checked_offered(offered, len(self))
        pulls = self.runs.offer(place, mask)
        self.open[place] += pulls
        self.position = place + 1
        found = np.flatnonzero(pulls)
        found += self.ids.start
        return found

    def observe(
        self, ids: ArrayLike, rewards: ArrayLike, *, arm: int | None = None, trials: ArrayLike = 1
    ) -> None:
        """The rewards of pulls have come: of the arm offered last, or late ones of another.

        With ``trials`` a reward is a sum over so many (7 clicks of 120). All is learnt or nothing.
        """
        place, rows = self._arm_or_last(arm), rows_of(ids, self.ids)
        refuse_closed(rows + self.ids.start, self.open[place, rows] > 0, place)
        news = self._news(rows, rewards, trials)
        self.open[place, rows] -= 1
        self.runs.observe(news, place, self.position)

    def lost(self, ids: ArrayLike, *, arm: int | None = None) -> None:
        """The rewards of these pulls will never come."""
        place, rows = self._arm_or_last(arm), rows_of(ids, self.ids)
        refuse_closed(rows + self.ids.start, self.open[place, rows] > 0, place)
        self.open[place, rows] -= 1
        self.runs.lose(self._news(rows, 0.0, 1), place)

    def found(self, ids: ArrayLike, rewards: ArrayLike, *, arm: int, trials: ArrayLike = 1) -> None:
        """Rewards that had been given up for lost have come after all."""
        place, rows = checked_arm(arm, self.arms), rows_of(ids, self.ids)
        self.runs.find(self._news(rows, rewards, trials), place)

    def waiting(self, ids: ArrayLike, *, arm: int | None = None) -> BoolArray:
        """Whether each of these campaigns waits for the reward of a pull."""
        waits: BoolArray = self.open[self._arm_or_last(arm), rows_of(ids, self.ids)] > 0
        return waits

    def next_round(self) -> None:
        """A new round begins."""
        self.runs.turn()
        self.round, self.position = self.round + 1, 0

    def learner(self, id_: int) -> Learner:
        """A copy of one campaign as a learner of its own."""
        (number,) = rows_of([id_], self.ids)
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

    def _arm_or_last(self, arm: int | None) -> int:
        if arm is not None:
            return checked_arm(arm, self.arms)
        if self.position == 0:
            raise SpecError(
                f"no arm was offered in round {self.round} yet: say whose rewards these are (arm=)"
            )
        return self.position - 1

    def _news(self, rows: IntArray, rewards: ArrayLike, trials: ArrayLike) -> Batch:
        return news_of(rows, *paid(rows + self.ids.start, rewards, trials))
