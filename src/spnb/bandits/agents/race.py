"""Agents that pull all arms in question, round after round, until they are sure."""

from dataclasses import field

from spnb.bandits.agents.plus import Plus
from spnb.bandits.described import param
from spnb.bandits.policies.confidence import Confident, StopRule
from spnb.bandits.policies.thresholds import Placing
from spnb.base import params


class Race(Plus):
    """Pull all arms that may be best until one is: few rounds.

    An arm is in the race while the likelihood ratio does not rule it out against the leader (see
    ``Confident``); the answer is wrong with probability at most ``delta``.
    """

    policy: Confident = field(init=False)
    delta: float = param(default=0.05, rule=params.inside_unit)
    stop: StopRule = "proven"

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "policy", Confident(self.delta, self.stop))

    def __str__(self) -> str:
        return self.name() + self.arguments()


class Above(Plus):
    """Pull all arms that may lie on either side of a level: a set.

    The answer is the set of arms above the level; it is wrong with probability at most ``delta``.
    """

    policy: Placing = field(init=False)
    level: float = param(rule=params.inside_unit)
    delta: float = param(default=0.05, rule=params.inside_unit)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "policy", Placing(self.level, self.delta))

    def __str__(self) -> str:
        return self.name() + self.arguments()
