"""Where a campaign stands: what is known of each arm, and what to make of it."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from math import isclose
from typing import Any

import numpy as np

from spnb.base.words import chance_text, listed
from spnb.live.campaign.certainty import Certainty, Left, certainty, sides
from spnb.live.campaign.course import Course
from spnb.live.campaign.posterior import chance_of_best, wins_and_losses
from spnb.live.campaign.waiting import (
    blocked_text,
    blocking,
    overdue,
    overdue_text,
    past_limit,
)
from spnb.live.campaign.watch import Shift, in_words
from spnb.live.store import Pending
from spnb.live.store.events import instant
from spnb.simulation.answers import level_of

_CLEAR = 0.95


@dataclass(frozen=True, slots=True)
class ArmStatus:
    """What is known of an arm: the mean and 95 % interval of its Beta posterior.

    ``rewards`` are the pulls whose reward is known, ``trials`` what those came to with counts,
    ``earned`` their sum; ``record`` is how many rewards a warm start counted as. There is no mean
    before anything is known.
    """

    arm: str
    offers: int
    pulls: int
    rewards: int
    trials: int
    earned: float
    lost: int
    mean: float | None
    low: float
    high: float
    chance: float  # of being the best, given what was told
    record: int = 0
    retired: bool = False

    @property
    def waiting(self) -> int:
        """Pulls whose reward is still to come."""
        return self.pulls - self.rewards - self.lost


@dataclass(frozen=True, slots=True)
class Status:
    """A campaign at a glance.

    ``pulled`` are the pulls so far, ``pulls`` how many there may be. ``blocked`` says what is
    waited for, ``overdue`` are rewards of earlier rounds still to come. ``answer`` is what came of
    it all, once the campaign is finished. ``recommended`` is always an arm; ``best`` is that arm if
    anything is known, and None where the answer is a set of arms.
    """

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
    zone: str | None = None
    blocked: str | None = None
    overdue: tuple[str, ...] = ()
    answer: str | None = None
    pulled: int = 0
    pulls: int | None = None
    best: str | None = None

    def __repr__(self) -> str:
        where = f"{self.agent}, {self.progress}, {self.state}"
        return f"<Status of {self.name!r}: {where}. {self.answer or self.advice}>"

    @property
    def progress(self) -> str:
        """How far it has come, in words: ``round 9 of 44, 38 of 44 pulls``."""
        pulls = f", {self.pulled} of {self.pulls} pulls" if self.pulls else ""
        return f"round {self.round}{f' of {self.rounds}' if self.rounds else ''}{pulls}"

    @property
    def known(self) -> bool:
        """Whether anything is known of an arm on offer."""
        return _known(self.arms)

    def _repr_html_(self) -> str:
        """A table of its arms, for a notebook."""
        from spnb.report.campaigns import status_lines, status_table

        lines = status_lines(self)
        return status_table(self).html(*lines, *([] if self.answer else [self.advice]))

    @property
    def doubt(self) -> str:
        """What to add where another arm than the one taken to be the best is likelier to be it."""
        return _doubt(self.arms, self.recommended)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        waiting = [asdict(pull) | {"at": instant(pull.at).isoformat()} for pull in self.pending]
        return asdict(self) | {"pending": waiting}


def status_of(
    name: str,
    course: Course,
    waiting: list[Pending],
    now: datetime,
    last_pull: Callable[[], int],
    found: list[Shift] | None = None,
) -> Status:
    """Sum a campaign up, as of now.

    ``last_pull`` says the round of the last pull; ``found`` are changes that were seen in its log.
    """
    config = course.config
    active = [arm.label for arm in course.arms]
    here = set(active)
    gone = [label for label, tally in course.tally.items() if label not in here and tally.asked]
    arms = _arms(course, active) + _arms(course, gone, gone=True)
    recommended = active[course.learner.recommend()]
    sure = certainty(course)
    state = state_of(course, now)
    blocker = blocking(course, lambda: waiting) if state == "running" else None
    if blocker is not None and past_limit(course, blocker, now):
        blocker = None
    single = level_of(course.learner.agent) is None
    return Status(
        name=name,
        agent=config.agent,
        goal=config.goal,
        state=state,
        round=course.round,
        rounds=config.rounds,
        events=course.version,
        arms=arms,
        pending=tuple(waiting),
        recommended=recommended,
        advice=_advice(course, arms, recommended, len(waiting), sure, found or []),
        certainty=sure,
        zone=None if config.schedule is None else config.schedule.zone,
        blocked=None if blocker is None else blocked_text(course, blocker, now),
        overdue=tuple(overdue_text(course, pull, now) for pull in overdue(course, waiting, now)),
        answer=_answer(course, arms, last_pull(), waiting, sure) if state == "finished" else None,
        pulled=course.pulled,
        pulls=config.pulls,
        best=recommended if single and _known(arms) else None,
    )


def _known(arms: tuple[ArmStatus, ...]) -> bool:
    return any(arm.mean is not None for arm in arms if not arm.retired)


def state_of(course: Course, now: datetime) -> str:
    """``finished`` once nothing more will be pulled, though nobody has closed it."""
    if course.status != "running":
        return course.status
    return "finished" if course.decided or course.spent or rounds_over(course, now) else "running"


def rounds_over(course: Course, now: datetime) -> bool:
    """Whether the last offer of the last round has been asked about, or has gone by."""
    rounds, schedule = course.config.rounds, course.config.schedule
    if rounds is None:
        return False
    if course.round >= rounds and course.last == len(course.arms) - 1:
        return True
    if schedule is None:
        return course.round > rounds
    offer = schedule.offer(now, course.slots)
    if offer is None:
        later = schedule.coming(now, course.slots)
        offer = None if later is None else schedule.offer(later, course.slots)
    return offer is not None and offer.round > rounds


def _answer(
    course: Course,
    arms: tuple[ArmStatus, ...],
    rounds: int,
    waiting: list[Pending],
    sure: Certainty,
) -> str:
    """What came of it all: the best arm, how sure that is, and what it cost."""
    if not _known(arms):
        return "Finished, but no reward of the arms on offer is known: nothing can be said of them."
    recommended = course.arms[course.learner.recommend()].label
    best = next(arm for arm in arms if arm.arm == recommended)
    lost = sum(arm.lost for arm in arms)
    earned = sum(arm.earned for arm in arms)
    known = f"mean {best.mean:.3g}, " if best.mean is not None else ""
    chance = chance_text(best.chance)
    cost = f"{_many(rounds, 'round')} and {_many(course.pulled, 'pull')}"
    missing = [_many(lost, "reward") + " lost"] if lost else []
    missing += [_many(len(waiting), "reward") + " still to come"] if waiting else []
    rest = f" ({', '.join(missing)})" if missing else ""
    found = (
        sides(course)
        or _doubt(arms, recommended)
        or (
            f"{recommended} is taken to be the best, {known}best with probability {chance}"
            + (f" and with {sure.percent} confidence." if sure.best == recommended else ".")
        )
    )
    return f"Finished: {found} It took {cost}{rest}; they earned {earned:.6g} in all."


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _arms(course: Course, labels: list[str], *, gone: bool = False) -> tuple[ArmStatus, ...]:
    from scipy.special import betaincinv

    tallies = [course.tally[label] for label in labels]
    warm = {label: (total, count) for label, total, count in course.config.warm}
    before = np.array([warm.get(label, (0.0, 0)) for label in labels]).reshape(-1, 2)
    told = np.array([tally.trials for tally in tallies], dtype=float) + before[:, 1]
    sums = np.array([tally.sum for tally in tallies], dtype=float) + before[:, 0]
    wins, losses = wins_and_losses(told, sums)
    low, high = (betaincinv(1 + wins, 1 + losses, level) for level in (0.025, 0.975))
    chance = np.zeros(len(labels)) if gone else chance_of_best(told, sums)
    return tuple(
        ArmStatus(
            arm=label,
            offers=tally.asked,
            pulls=tally.pulled,
            rewards=tally.told,
            trials=tally.trials,
            earned=max(tally.sum, 0.0),
            lost=tally.lost,
            mean=float((1 + wins[place]) / (2 + told[place])) if told[place] else None,
            low=float(low[place]),
            high=float(high[place]),
            chance=float(chance[place]),
            record=int(before[place, 1]),
            retired=gone,
        )
        for place, (label, tally) in enumerate(zip(labels, tallies, strict=True))
    )


def _share(arm: ArmStatus) -> float:
    """Of the trials so far, the share that was won: by which the best arm is found."""
    count = arm.trials + arm.record
    return ((2 + count) * (arm.mean or 0.5) - 1) / count


def _doubt(arms: tuple[ArmStatus, ...], recommended: str) -> str:
    """In words that another arm is likelier to be the best; nothing if it is not so.

    Most agents name the arm that won the largest share of its trials. One of which hardly anything
    is known may be likelier to be the best all the same.
    """
    standing = [arm for arm in arms if not arm.retired]
    best = next(arm for arm in standing if arm.arm == recommended)
    other = max(standing, key=lambda arm: arm.chance)
    mine, others = chance_text(best.chance), chance_text(other.chance)
    if mine == others or not best.trials + best.record:
        return ""
    few = other.trials + other.record
    return (
        f"{recommended} is taken to be the best {_by_which_rule(best, standing)}, but {other.arm}, "
        f"with {_many(few, 'reward') if few else 'no reward yet'}, is likelier to be: "
        f"probability {others}, against {mine}."
    )


def _by_which_rule(best: ArmStatus, standing: list[ArmStatus]) -> str:
    tried, count = [arm for arm in standing if arm.trials + arm.record], best.trials + best.record
    average = f"{_share(best):.3g} over {_many(count, 'reward')}"
    if any(_share(arm) > _share(best) + 1e-9 for arm in tried):
        return f"by the agent (its average is {average})"
    alike = len(_level(tried, best)) - 1
    level = f", level with {_many(alike, 'other')}" if alike else ""
    return f"by its average ({average}){level}"


def _level(arms: list[ArmStatus], best: ArmStatus) -> list[str]:
    """The arms that won just as large a share, itself included."""
    return [arm.arm for arm in arms if isclose(_share(arm), _share(best), abs_tol=1e-9)]


def _coming(course: Course) -> str:
    """Which arms come and go with the next round, as a sentence."""
    if course.coming is None or course.status == "closed":
        return ""
    now, then = ([arm.label for arm in arms] for arms in (course.arms, course.coming))
    come = [label for label in then if label not in now]
    go = [label for label in now if label not in then]
    said = [f"{listed(come)} {'is' if len(come) == 1 else 'are'} on offer too"] if come else []
    said += [f"{listed(go)} no longer {'is' if len(go) == 1 else 'are'}"] if go else []
    return f" From round {course.round + 1} on {' and '.join(said)}." if said else ""


def _leading(course: Course, standing: list[ArmStatus], recommended: str) -> str:
    """Which arm leads, once every arm is known by a reward or by the record of a warm start."""
    untried = [arm.arm for arm in standing if arm.mean is None]
    if untried:
        more = f" and {len(untried) - 5} more" if len(untried) > 5 else ""
        return f"No reward yet of {', '.join(untried[:5])}{more}."
    if level_of(course.learner.agent) is not None:
        return ""  # it looks for all arms above a level, not for the best
    if course.learner.agent.policy.forgets:
        return f"{recommended} is best by what is remembered; the chances weigh old rewards alike."
    best = next(arm for arm in standing if arm.arm == recommended)
    if len(level := _level(standing, best)) > 1:
        return f"{listed(level)} are level so far."
    if best.chance >= _CLEAR:
        return f"{recommended} is best with probability {chance_text(best.chance)}."
    if doubt := _doubt(tuple(standing), recommended):
        return doubt
    rivals = sum(arm.chance > 1 - _CLEAR for arm in standing if arm.arm != recommended)
    others = (
        f"{rivals} other{'' if rivals == 1 else 's'} may still be better"
        if rivals
        else f"none of the others has more than {1 - _CLEAR:.2f}"
    )
    return f"{recommended} leads (best with probability {best.chance:.2f}); {others}."


def _advice(
    course: Course,
    arms: tuple[ArmStatus, ...],
    recommended: str,
    waiting: int,
    sure: Certainty,
    found: list[Shift],
) -> str:
    if course.version == 1:
        return "Nothing was asked yet."
    standing = [arm for arm in arms if not arm.retired]
    surely = sides(course) or sure.in_words(Left.of(course))
    said = " ".join(filter(None, (_leading(course, standing, recommended), surely)))
    if changes := getattr(course.learner.state.policy, "restarts", 0):  # GLR-klUCB's
        times = "once" if changes == 1 else f"{changes} times"
        said += f" The rewards showed a change {times}; the learner began anew."
    said = " ".join(filter(None, (said, in_words(found))))
    said += _coming(course)
    if waiting:
        said += f" {waiting} pull{'' if waiting == 1 else 's'} without a reward yet."
    if missing := course.lesson_in():
        said += (
            " The estimates know of every correction; the learner takes in those of old rewards,"
            f" which are many here, after {missing} more event{'' if missing == 1 else 's'}."
        )
    return said
