"""What a campaign was created with; it is the first event of its log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from spnb.bandits.agents import Agent
from spnb.bandits.spec import agent as parse_agent
from spnb.base import params
from spnb.base.errors import SpecError
from spnb.base.words import said, shown
from spnb.engine.dice import checked_seed
from spnb.live.campaign.rewards import MOST_TRIALS, RewardRule
from spnb.live.learner import FORM, Learner
from spnb.live.schedule import Schedule

Goal = Literal["regret", "best"]
LONGEST = 200  # characters of a name or a label
LONGEST_SPEC = 2000  # characters of an agent
MOST_ARMS = 2500  # every minute of a day, every five of a week: each ask writes all of them down
MOST_ROUNDS = 10**9
MOST_MINUTES = 36_500 * 24 * 60  # a hundred years
SEED_BITS = 128
PATIENCE = 32  # steps back into the log that each step forward pays for


@dataclass(frozen=True, slots=True)
class Arm:
    """An arm as people call it, and its slot (minutes into the round) if there is a schedule."""

    label: str
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """Everything that stays the same; ``lost_after`` is in minutes.

    After ``rounds`` rounds, or ``pulls`` pulls, every answer is to pass. ``warm`` is what a record
    says of arms before the first offer: label, sum of rewards, number of rewards.
    """

    arms: tuple[Arm, ...]
    agent: str
    rounds: int | None
    goal: Goal
    seed: int
    schedule: Schedule | None
    reward: RewardRule
    lost_after: int | None
    hardness: float | None
    form: int = FORM  # of the learner that took the first decisions
    patience: int | None = PATIENCE  # None in older logs: every correction was learnt at once
    pulls: int | None = None
    warm: tuple[tuple[str, float, int], ...] = ()
    joins: bool = False  # whether a first round that begins late is begun with what is ahead

    def __post_init__(self) -> None:
        params.one_of(self, "goal", ("regret", "best"))
        limits = (("rounds", MOST_ROUNDS), ("pulls", MOST_ROUNDS), ("lost_after", MOST_MINUTES))
        for name, most in limits:
            if getattr(self, name) is not None:
                params.whole(self, name, least=1)
                if getattr(self, name) > most:
                    params.refuse(self, name, f"at most {most}")
        if self.hardness is not None:
            params.positive(self, "hardness")
        params.flag(self, "joins")
        params.whole(self, "form", least=1)
        if self.patience is not None:
            params.whole(self, "patience", least=2)
        if self.form > FORM:
            params.refuse(self, "form", f"at most {FORM}: a newer spnb decided here")
        if not 0 <= self.seed < 2**SEED_BITS:
            raise SpecError(f"seed must have {SEED_BITS} bits at most, got {shown(self.seed)}")
        check_labels(self.arms)
        self._check_warm()
        try:
            self.learner(self.arms)  # refuses an agent that lacks something it needs
        except RecursionError:
            raise SpecError(f"the agent is nested too deeply: {shown(self.agent)}") from None

    def _check_warm(self) -> None:
        labels = {arm.label for arm in self.arms}
        for label, total, count in self.warm:
            if label not in labels:  # each of them once
                raise SpecError(f"a warm start knows each arm once, got {shown(label)}")
            labels.remove(label)
            fits = type(count) is int and 1 <= count <= MOST_TRIALS and type(total) is float
            if not fits or not 0.0 <= total <= count:
                raise SpecError(
                    f"a warm start is a sum of so many rewards, got {shown([total, count])}"
                )

    @property
    def horizon(self) -> int | None:
        """How long it goes on: a search is as long as its pulls, if they have an end."""
        return self.pulls if self.goal == "best" and self.pulls else self.rounds

    def learner(self, arms: Sequence[Arm]) -> Learner:
        """A learner for these arms who knows nothing, or what a warm start says."""
        learner = Learner(
            self.agent, len(arms), horizon=self.horizon, seed=self.seed, hardness=self.hardness
        )
        known = {label: (total, count) for label, total, count in self.warm}
        for place, arm in enumerate(arms):
            if arm.label in known:
                # As rewards that come late: nobody waits for them, and no pull is theirs.
                learner.found(place, *known[arm.label])
        if known:
            learner.toss()
        return learner

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        rare: dict[str, Any] = {} if self.pulls is None else {"pulls": self.pulls}
        if self.joins:
            rare["joins"] = True
        if self.warm:
            rare["warm"] = {label: [total, count] for label, total, count in self.warm}
        return (
            rare
            | {
                "arms": [[arm.label, arm.slot] for arm in self.arms],
                "agent": self.agent,
                "rounds": self.rounds,
                "goal": self.goal,
                "seed": self.seed,
                "schedule": self.schedule.to_dict() if self.schedule else None,
                "reward": str(self.reward),
                "lost_after": self.lost_after,
                "hardness": self.hardness,
                "form": self.form,
            }
            | ({} if self.patience is None else {"patience": self.patience})
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Config":
        """The configuration that ``to_dict`` described."""
        try:
            parsed: dict[str, Any] = {
                "arms": tuple(Arm(label, slot) for label, slot in data["arms"]),
                "schedule": Schedule.from_dict(data["schedule"]) if data["schedule"] else None,
                "reward": RewardRule.parse(data["reward"]),
                "seed": checked_seed(data["seed"]),
            }
            checked_agent(data["agent"])
            if "warm" in data:
                parsed["warm"] = tuple((label, *known) for label, known in data["warm"].items())
            if data["seed"] is None:  # a log names the seed that was really used
                raise SpecError("seed must be a whole number >= 0, got None")
            config = cls(**{"form": 1, "patience": None, **data, **parsed})
            check_slots(config.arms, config.schedule)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise SpecError(f"this does not describe a campaign: {said(error)}") from None
        return config


def checked_agent(spec: object) -> Agent:
    """The agent of a spec, which may come from anywhere."""
    if isinstance(spec, str) and len(spec) > LONGEST_SPEC:
        raise SpecError(f"an agent is written with {LONGEST_SPEC} characters at most")
    try:
        return parse_agent(spec)  # type: ignore[arg-type]
    except RecursionError:
        raise SpecError(f"the agent is nested too deeply: {shown(spec)}") from None


def check_labels(arms: Sequence[Arm]) -> None:
    """At least one arm and not too many, and names that a person can tell apart."""
    if not 1 <= len(arms) <= MOST_ARMS:
        raise SpecError(f"a campaign needs at least 1 arm and at most {MOST_ARMS}, got {len(arms)}")
    seen: set[str] = set()
    for arm in arms:
        check_name("the name of an arm", arm.label)
        if arm.label in seen:
            raise SpecError(f"every arm needs a name of its own, got {arm.label!r} twice")
        seen.add(arm.label)


def check_slots(arms: Sequence[Arm], schedule: Schedule | None) -> None:
    """With a schedule every arm has its own minute, in order; without one none has."""
    slots = tuple(arm.slot for arm in arms)
    if slots != (tuple([None] * len(arms)) if schedule is None else schedule.slots):
        raise SpecError(f"the slots of the arms are not those of the schedule: {shown(slots)}")


def check_name(what: str, name: object) -> None:
    """Refuse a name that could not be typed, shown or stored."""
    fits = isinstance(name, str) and name.isprintable() and name == name.strip()
    if not fits or not 1 <= len(str(name)) <= LONGEST or str(name).startswith("-"):
        rule = f"1 to {LONGEST} printable characters, without blanks around or a leading '-'"
        raise SpecError(f"{what} must be {rule}, got {shown(name)}")
