"""Where a campaign stands: what is known of each arm, and what to make of it."""

from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np

from spnb.engine.arrays import FloatArray
from spnb.live.campaign.course import Course
from spnb.live.store import Pending

_QUANTILES = 400  # points at which the chance of being best is averaged
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
    gone = [label for label in course.tally if label not in active]
    arms = _arms(course, active) + tuple(_arm(course, label, 0.0, gone=True) for label in gone)
    recommended = active[course.learner.recommend()]
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
        advice=_advice(course, arms, recommended, len(waiting)),
    )


def _state(course: Course) -> str:
    if course.status == "running" and course.config.goal == "best" and course.learner.stopped:
        return "decided"
    return course.status


def _arms(course: Course, labels: list[str]) -> tuple[ArmStatus, ...]:
    told = np.array([course.tally[label].told for label in labels], dtype=float)
    sums = np.array([course.tally[label].sum for label in labels])
    chance = chance_of_best(told, sums)
    return tuple(_arm(course, label, float(p)) for label, p in zip(labels, chance, strict=True))


def _arm(course: Course, label: str, chance: float, *, gone: bool = False) -> ArmStatus:
    from scipy.special import betaincinv

    tally = course.tally[label]
    wins = min(max(tally.sum, 0.0), float(tally.told))  # corrections leave a rounding error
    a, b = 1 + wins, 1 + tally.told - wins
    return ArmStatus(
        arm=label,
        offers=tally.asked,
        pulls=tally.pulled,
        rewards=tally.told,
        lost=tally.lost,
        mean=wins / tally.told if tally.told else None,
        low=float(betaincinv(a, b, 0.025)),
        high=float(betaincinv(a, b, 0.975)),
        chance=chance,
        retired=gone,
    )


def chance_of_best(told: FloatArray, sums: FloatArray) -> FloatArray:
    """The probability that each arm's mean is the largest, under independent Beta posteriors.

    At evenly spread quantiles of an arm's posterior, the chance that all others lie below.
    """
    from scipy.special import betainc, betaincinv

    wins = np.clip(sums, 0.0, told)
    a, b = 1 + wins, 1 + (told - wins)
    levels = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    at = betaincinv(a[:, None], b[:, None], levels)  # [K, Q]
    below = betainc(a[:, None, None], b[:, None, None], at)  # [K others, K, Q]
    each = np.arange(len(told))
    below[each, each] = 1.0
    chance: FloatArray = below.prod(axis=0).mean(axis=1)
    return chance / chance.sum()


def _advice(course: Course, arms: tuple[ArmStatus, ...], recommended: str, waiting: int) -> str:
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
    if waiting:
        said += f" {waiting} pull{'' if waiting == 1 else 's'} without a reward yet."
    return said
