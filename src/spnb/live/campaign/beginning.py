"""How a campaign begins: with what its maker says, and with what a problem made from data knows."""

import secrets
from collections.abc import Sequence
from pathlib import Path

from spnb.bandits.spec import name_of
from spnb.base.errors import SpecError
from spnb.base.words import shown
from spnb.engine.dice import checked_seed
from spnb.live import clock
from spnb.live.campaign.config import SEED_BITS, Arm, Config, Goal, checked_agent
from spnb.live.campaign.course import Course
from spnb.live.campaign.rewards import MOST_TRIALS, RewardRule
from spnb.live.campaign.status import rounds_over
from spnb.live.schedule import Schedule, minutes_of, time_text
from spnb.problems.readers.data import ProblemData

WEIGHT = 10
"""A record counts as so many live rewards an arm at the most, unless somebody says otherwise."""

ProblemLike = ProblemData | str | Path
Warm = tuple[tuple[str, float, int], ...]


def new_config(
    *,
    arms: Sequence[str] | None,
    agent: object,
    rounds: int | None,
    pulls: int | None,
    goal: Goal,
    seed: int | None,
    schedule: Schedule | str | None,
    reward: RewardRule | str | None,
    lost_after: str | None,
    hardness: float | None,
    problem: ProblemLike | None,
    warm_start: bool | int,
) -> Config:
    """The configuration that these arguments of ``Campaign.create`` ask for."""
    data = None if problem is None else loaded(problem)
    if isinstance(schedule, str):
        schedule = Schedule.parse(schedule)
    if not isinstance(schedule, Schedule | None):
        raise SpecError(f"a schedule is a Schedule or its slots, got {shown(schedule)}")
    if data is not None:
        if arms is None and schedule is None:
            arms, schedule = data.arms, schedule_of(data)
        reward = data.reward if reward is None else reward
        rounds = len(data.table) if rounds is None and data.table is not None else rounds
    if schedule is not None and schedule.start is None:
        schedule = schedule.starting(clock.now())
    labelled = _arms(arms, schedule)
    return Config(
        arms=labelled,
        agent=name_of(checked_agent(agent)),
        rounds=rounds,
        goal=goal,
        seed=secrets.randbits(SEED_BITS) if seed is None else checked_seed(seed),
        schedule=schedule,
        reward=RewardRule.parse(reward),
        lost_after=None if lost_after is None else minutes_of(lost_after),
        hardness=hardness,
        pulls=pulls,
        warm=_warm(data, warm_start, {arm.label for arm in labelled}),
        joins=True,
    )


def check_not_over(config: Config) -> None:
    """Refuse a campaign whose last round has gone by: somebody has mistyped the year.

    A program may begin one all the same, to enter what happened then.
    """
    schedule, rounds = config.schedule, config.rounds
    if schedule is None or rounds is None or not rounds_over(Course.new(config, ""), clock.now()):
        return
    last = "the only round" if rounds == 1 else f"the last of the {rounds} rounds"
    raise SpecError(
        f"{last} was on {schedule.day_of(rounds).isoformat()}: is the first day right, "
        f"{schedule.day_of(1).isoformat()}?"
    )


def loaded(problem: ProblemLike) -> ProblemData:
    """A problem, or the problem of a file."""
    return problem if isinstance(problem, ProblemData) else ProblemData.load(problem)


def schedule_of(
    data: ProblemData,
    zone: str | None = None,
    days: str | None = None,
    window: str | None = None,
    start: str | None = None,
) -> Schedule | None:
    """The schedule whose slots are the arms of a problem; None if those are no times."""
    if data.slots is None:
        return None
    times = ",".join(map(time_text, data.slots))
    return Schedule.parse(times, zone or data.zone, days, window, start)


def _warm(data: ProblemData | None, weight: bool | int, labels: set[str]) -> Warm:
    """What the record says of each arm, as a sum of at most ``weight`` rewards."""
    if weight is False:
        return ()
    most = WEIGHT if weight is True else weight
    if not isinstance(most, int) or not 1 <= most <= MOST_TRIALS:
        raise SpecError(f"the weight of a warm start must be a whole number >= 1, got {most!r}")
    if data is None:
        raise SpecError("a warm start needs a problem: a record to begin with")
    seen = data.seen()
    if seen is None:
        raise SpecError(
            f"{data.name!r} has means only: nobody knows how many rewards they stand for, so "
            "there is no warm start"
        )
    known = zip(data.arms, data.means, seen, strict=True)
    counts = [(label, mean, min(count, most)) for label, mean, count in known if label in labels]
    return tuple((label, mean * count, count) for label, mean, count in counts if count)


def _arms(labels: Sequence[str] | None, schedule: Schedule | None) -> tuple[Arm, ...]:
    if schedule is None:
        if labels is None or isinstance(labels, str):
            raise SpecError(
                "a campaign needs arms (a list of names), a schedule or a problem, got "
                f"{shown(labels)}"
            )
        return tuple(Arm(label) for label in labels)
    names = [schedule.label(slot) for slot in schedule.slots] if labels is None else list(labels)
    if len(names) != len(schedule.slots):
        raise SpecError(f"{len(schedule.slots)} slots need as many arms, got {len(names)}")
    return tuple(map(Arm, names, schedule.slots))
