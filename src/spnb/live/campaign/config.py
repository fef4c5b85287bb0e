"""What a campaign was created with; it is the first event of its log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from spnb.bandits.spec import agent as parse_agent
from spnb.base import params
from spnb.base.errors import SpecError
from spnb.engine.dice import checked_seed
from spnb.live.campaign.rewards import RewardRule
from spnb.live.learner import Learner
from spnb.live.schedule import Schedule

Goal = Literal["regret", "best"]
LONGEST = 200  # characters of a name or a label


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm as people call it, and its slot (minutes into the round) if there is a schedule."""

    label: str
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that stays the same; ``lost_after`` is in minutes."""

    arms: tuple[Arm, ...]
    agent: str
    rounds: int | None
    goal: Goal
    seed: int
    schedule: Schedule | None
    reward: RewardRule
    lost_after: int | None
    hardness: float | None

    def __post_init__(self) -> None:
        params.one_of(self, "goal", ("regret", "best"))
        for name in ("rounds", "lost_after"):
            if getattr(self, name) is not None:
                params.whole(self, name, least=1)
        if self.hardness is not None:
            params.positive(self, "hardness")
        check_labels(self.arms)
        self.learner(len(self.arms))  # refuses an agent that lacks something it needs

    def learner(self, arms: int) -> Learner:
        """A learner who has seen nothing, for so many arms."""
        horizon = self.rounds
        return Learner(self.agent, arms, horizon=horizon, seed=self.seed, hardness=self.hardness)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "arms": [[arm.label, arm.slot] for arm in self.arms],
            "agent": self.agent,
            "rounds": self.rounds,
            "goal": self.goal,
            "seed": self.seed,
            "schedule": self.schedule.to_dict() if self.schedule else None,
            "reward": str(self.reward),
            "lost_after": self.lost_after,
            "hardness": self.hardness,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Config":
        """The configuration that ``to_dict`` described."""
        try:
            parsed = {
                "arms": tuple(Arm(label, slot) for label, slot in data["arms"]),
                "schedule": Schedule.from_dict(data["schedule"]) if data["schedule"] else None,
                "reward": RewardRule.parse(data["reward"]),
            }
            return cls(**{**data, **parsed})
        except (KeyError, TypeError, ValueError) as error:
            raise SpecError(f"this does not describe a campaign: {error}") from None


def new_config(
    arms: Sequence[str] | None,
    agent: object,
    rounds: int | None,
    goal: Goal,
    seed: int | None,
    schedule: Schedule | None,
    reward: str | RewardRule | None,
    lost_after: int | None,
    hardness: float | None,
) -> Config:
    """The configuration that these arguments of ``Campaign.create`` ask for."""
    return Config(
        arms=_arms(arms, schedule),
        agent=str(parse_agent(agent)),  # type: ignore[arg-type]
        rounds=rounds,
        goal=goal,
        seed=checked_seed(seed),
        schedule=schedule,
        reward=RewardRule.parse(reward),
        lost_after=lost_after,
        hardness=hardness,
    )


def _arms(labels: Sequence[str] | None, schedule: Schedule | None) -> tuple[Arm, ...]:
    if schedule is None:
        if labels is None or isinstance(labels, str):
            raise SpecError(
                f"a campaign needs arms (a list of names) or a schedule, got {labels!r}"
            )
        return tuple(Arm(label) for label in labels)
    names = [schedule.label(slot) for slot in schedule.slots] if labels is None else list(labels)
    if len(names) != len(schedule.slots):
        raise SpecError(f"{len(schedule.slots)} slots need as many arms, got {len(names)}")
    return tuple(map(Arm, names, schedule.slots))


def check_labels(arms: Sequence[Arm]) -> None:
    """At least one arm, and names that a person can tell apart."""
    labels = [arm.label for arm in arms]
    if not labels:
        raise SpecError("a campaign needs at least 1 arm")
    for label in labels:
        check_name("the name of an arm", label)
        if labels.count(label) > 1:
            raise SpecError(f"every arm needs a name of its own, got {label!r} twice")


def check_name(what: str, name: object) -> None:
    """Refuse a name that could not be typed, shown or stored."""
    fits = isinstance(name, str) and name.isprintable() and name == name.strip()
    if not fits or not 1 <= len(str(name)) <= LONGEST or str(name).startswith("-"):
        rule = f"1 to {LONGEST} printable characters, without blanks around or a leading '-'"
        raise SpecError(f"{what} must be {rule}, got {name!r}")
