"""May one stop? What is said under the proven rule, at any time and whoever pulled for whatever."""

from dataclasses import dataclass
from math import ceil, inf, isfinite, log

from spnb.bandits.policies.confidence import Confident, needed, weighed
from spnb.live.campaign.course import Course
from spnb.simulation.answers import level_of, risk_of

USUAL = 0.05  # the risk where the agent has none of its own
LONG = 100_000  # rounds beyond which no number is worth telling


@dataclass(frozen=True, slots=True)
class Certainty:
    """The arm that may be named the best by now, or in about how many rounds there may be one."""

    confidence: float
    best: str | None = None
    rounds_to_go: int | None = None

    @property
    def percent(self) -> str:
        return f"{100 * self.confidence:.4g} %"

    def in_words(self, left: "Left | None" = None) -> str:
        """As a sentence or two; ``left`` is what is to come, if it is known how much."""
        percent = self.percent
        if self.best is not None:
            return f"You may stop: {self.best} is best with {percent} confidence."
        if self.rounds_to_go is None:
            return ""
        plural = "" if self.rounds_to_go == 1 else "s"
        more = f"about {self.rounds_to_go:,} more round{plural}"
        if self.rounds_to_go > LONG:
            more = f"more than {LONG:,} rounds"
        lacking = "" if left is None else left.lacking(self.rounds_to_go)
        but = f", but {lacking}" if lacking else ""
        return (
            f"To name the best with {percent} confidence, whenever one looks, takes {more} at the "
            f"pace so far{but}."
        )


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a campaign that has an end: of its rounds, of its pulls, or of both."""

    rounds: int | None = None
    pulls: int | None = None
    pace: float = 1.0  # pulls in a round, so far

    @classmethod
    def of(cls, course: Course) -> "Left":
        """What is left now."""
        pulled, config = course.pulled, course.config
        return cls(
            None if config.rounds is None else max(config.rounds - course.round, 0),
            None if config.pulls is None else max(config.pulls - pulled, 0),
            pulled / max(course.round, 1),
        )

    def lacking(self, rounds: int) -> str:
        """What there is, in words, if it ends before so many more rounds at the pace so far."""
        ends = [] if self.rounds is None else [(float(self.rounds), _left(self.rounds))]
        if self.pulls is not None and self.pulls < self.pace * rounds:
            ends.append((self.pulls / self.pace, _left(self.pulls, "pull")))
        soonest, words = min(ends, default=(inf, ""))
        return words if soonest < rounds else ""


def _left(count: int, what: str = "") -> str:
    named = f" {what}{'' if count == 1 else 's'}" if what else ""
    return f"{count or 'none'}{named} {'is' if count < 2 else 'are'} left"


def certainty(course: Course) -> Certainty:
    """How sure one may be of the best arm: the stop rule, on what was told so far.

    Nothing is said under a policy that forgets: the rule is for means that stay what they are.
    """
    labels = [arm.label for arm in course.arms]
    risk = risk_of(course.learner.agent) or USUAL
    confidence = round(1 - risk, 12)
    tallies = [course.tally[label] for label in labels]
    changing = course.learner.agent.policy.forgets
    if changing or len(labels) == 1 or not all(tally.trials for tally in tallies):
        return Certainty(confidence)
    told = [float(tally.trials) for tally in tallies]
    sums = [min(max(tally.sum, 0.0), n) for tally, n in zip(tallies, told, strict=True)]
    verdict = weighed(Confident(risk), told, sums)
    nats = needed(sum(told), _pairs(course), risk)
    if verdict.least > nats:
        return Certainty(confidence, best=labels[verdict.leader])
    times = _until(verdict.least, nats)
    return Certainty(confidence, rounds_to_go=_whole(course.round * (times - 1.0)))


def _pairs(course: Course) -> int:
    """How many pairs of arms may be told apart wrongly.

    The true best one and any other; of arms that came and went, any two.
    """
    known, first = set(course.tally), {arm.label for arm in course.config.arms}
    here = {arm.label for arm in course.arms}
    arms = len(known)
    return arms - 1 if known == first == here else arms * (arms - 1) // 2


def _until(least: float, nats: float) -> float:
    """How many times the rewards are needed: evidence grows with them, the bar with their log."""
    if least <= 0.0:
        return float("inf")
    times = nats / least
    for _ in range(200):  # a contraction, since the root lies where evidence grows the faster
        times = (nats + log(times)) / least
        if times > LONG:
            break
    return times


def _whole(rounds: float) -> int | None:
    return max(ceil(rounds), 1) if isfinite(rounds) else None


def conclusion(course: Course) -> str:
    """What a search that is over has found, in a few words."""
    best = course.arms[course.learner.recommend()].label
    return f"the search is over: {sides(course).rstrip('.') or f'{best} is taken to be the best'}"


def sides(course: Course) -> str:
    """Which arms lie above the level that the agent asks about; nothing if it asks about none."""
    agent, state = course.learner.agent, course.learner.state
    level, risk = level_of(agent), risk_of(agent)
    if level is None:
        return ""
    labels = [arm.label for arm in course.arms]
    above = [label for place, label in enumerate(labels) if agent.accepts(state, place)]
    if risk is None:
        return f"Above {level:g} so far: {_listed(above)}."
    open_ = [label for place, label in enumerate(labels) if _in_question(course, place)]
    placed = [label for label in above if label not in open_]
    below = [label for label in labels if label not in (*above, *open_)]
    said = f"Above {level:g} with {100 * (1 - risk):.4g} % confidence: {_listed(placed)}; "
    said += f"not above: {_listed(below)}."
    return said + (f" Still open: {_listed(open_)}." if open_ else " You may stop.")


def _in_question(course: Course, place: int) -> bool:
    return course.learner.agent.policy.active(course.learner.state.policy, place)


def _listed(labels: list[str]) -> str:
    more = f" and {len(labels) - 8} more" if len(labels) > 8 else ""
    return ", ".join(labels[:8]) + more if labels else "none"
