"""Where a campaign stands: what is known of each arm, and what to make of it."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from spnb.engine.arrays import FloatArray
from spnb.live.campaign.certainty import Certainty, certainty, sides
from spnb.live.campaign.course import Course
from spnb.live.store import Pending

_POINTS = 80  # of the grid on which the chance of being best is added up, and of each refinement
_REFINEMENTS = 4
_TINY = 1e-300
_CLEAR = 0.95


@dataclass(frozen=True, slots=True)
class ArmStatus:
    """What is known of an arm; the interval holds its mean with 95 % (Beta posterior)."""

    arm: str
    offers: int
    pulls: int
    rewards: int
    lost: int
    mean: float | None
    low: float
    high: float
    chance: float  # of being the best, given what was told
    retired: bool = False


@dataclass(frozen=True, slots=True)
class Status:
    """A campaign at a glance."""

    name: str
    agent: str
    goal: str
    state: str
    round: int
    rounds: int | None
    events: int
    arms: tuple[ArmStatus, ...]
    pending: tuple[Pending, ...]
    recommended: str
    advice: str
    certainty: Certainty

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        times = [_EPOCH + timedelta(microseconds=pull.at) for pull in self.pending]
        waiting = [
            asdict(pull) | {"at": time.isoformat()}
            for pull, time in zip(self.pending, times, strict=True)
        ]
        return asdict(self) | {"pending": waiting}


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def status_of(name: str, course: Course, waiting: list[Pending]) -> Status:
    """Sum a campaign up."""
    config = course.config
    active = [arm.label for arm in course.arms]
    here = set(active)
    gone = [label for label in course.tally if label not in here]
    arms = _arms(course, active) + _arms(course, gone, gone=True)
    recommended = active[course.learner.recommend()]
    sure = certainty(course)
    return Status(
        name=name,
        agent=config.agent,
        goal=config.goal,
        state=_state(course),
        round=course.round,
        rounds=config.rounds,
        events=course.version,
        arms=arms,
        pending=tuple(waiting),
        recommended=recommended,
        advice=_advice(course, arms, recommended, len(waiting), sure),
        certainty=sure,
    )


def _state(course: Course) -> str:
    if course.status == "running" and course.config.goal == "best" and course.learner.stopped:
        return "decided"
    return course.status


def _arms(course: Course, labels: list[str], *, gone: bool = False) -> tuple[ArmStatus, ...]:
    from scipy.special import betaincinv

    tallies = [course.tally[label] for label in labels]
    told = np.array([tally.told for tally in tallies], dtype=float)
    sums = np.array([tally.sum for tally in tallies], dtype=float)
    wins, losses = _counts(told, sums)
    low, high = (betaincinv(1 + wins, 1 + losses, level) for level in (0.025, 0.975))
    chance = np.zeros(len(labels)) if gone else chance_of_best(told, sums)
    return tuple(
        ArmStatus(
            arm=label,
            offers=tally.asked,
            pulls=tally.pulled,
            rewards=tally.told,
            lost=tally.lost,
            mean=float(wins[place] / tally.told) if tally.told else None,
            low=float(low[place]),
            high=float(high[place]),
            chance=float(chance[place]),
            retired=gone,
        )
        for place, (label, tally) in enumerate(zip(labels, tallies, strict=True))
    )


def chance_of_best(told: FloatArray, sums: FloatArray) -> FloatArray:
    """The probability that each arm's mean is the largest, under independent Beta posteriors.

    Between two points of a grid, an arm's probability to lie there times that of all others to
    lie below. The grid is fine where the largest mean lies: its points are quantiles of the
    largest mean, as far as an earlier, coarser grid tells them.
    """
    wins, losses = _counts(told, sums)
    grid = np.linspace(0.0, 1.0, _POINTS)
    below = _below(wins, losses, grid)
    for turn in range(_REFINEMENTS):
        largest = np.exp(np.log(np.maximum(below, _TINY)).sum(axis=0))  # its distribution
        levels = (np.arange(_POINTS) + (turn + 0.5) / _REFINEMENTS) / _POINTS  # others each time
        finer = np.setdiff1d(np.interp(levels, largest, grid), grid)
        grid = np.append(grid, finer)
        below = np.append(below, _below(wins, losses, finer), axis=1)
        order = np.argsort(grid)
        grid, below = grid[order], below[:, order]
    logs = np.log(np.maximum(below, _TINY))
    others = np.exp(logs.sum(axis=0) - logs)
    chance: FloatArray = (np.diff(below) * (others[:, 1:] + others[:, :-1])).sum(axis=1)
    return chance / chance.sum()


def _counts(told: FloatArray, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wins and losses; corrections may leave a rounding error in a sum."""
    wins = np.clip(sums, 0.0, told)
    return wins, told - wins


def _below(wins: FloatArray, losses: FloatArray, grid: FloatArray) -> FloatArray:
    """[K, points]: the chance that each mean lies below each point."""
    from scipy.special import betainc

    below: FloatArray = betainc(1 + wins[:, None], 1 + losses[:, None], grid)
    return below


def _advice(
    course: Course,
    arms: tuple[ArmStatus, ...],
    recommended: str,
    waiting: int,
    sure: Certainty,
) -> str:
    standing = [arm for arm in arms if not arm.retired]
    untried = [arm.arm for arm in standing if arm.rewards == 0]
    if course.version == 1:
        return "Nothing was asked yet."
    if untried:
        more = f" and {len(untried) - 5} more" if len(untried) > 5 else ""
        said = f"No reward yet of {', '.join(untried[:5])}{more}."
    else:
        chance = next(arm.chance for arm in standing if arm.arm == recommended)
        rivals = sum(arm.chance > 1 - _CLEAR for arm in standing if arm.arm != recommended)
        if chance >= _CLEAR:
            said = f"{recommended} is best with probability {chance:.2f}."
        else:
            others = f"{rivals} other{'' if rivals == 1 else 's'} may still be better"
            said = f"{recommended} leads (best with probability {chance:.2f}); {others}."
    said = " ".join(filter(None, (said, sides(course) or sure.in_words())))
    if waiting:
        said += f" {waiting} pull{'' if waiting == 1 else 's'} without a reward yet."
    if missing := course.lesson_in():
        said += (
            " The estimates know of every correction; the learner takes in those of old rewards,"
            f" which are many here, after {missing} more event{'' if missing == 1 else 's'}."
        )
    return said
