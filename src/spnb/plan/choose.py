"""Which agent for which purpose: one table of rules, the first that fits is taken.

A new capability is a row here, before the more general ones; the docs page and its test follow.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from spnb.bandits.agents import Agent
from spnb.bandits.spec import agent as parse_agent
from spnb.base import params
from spnb.base.errors import SpecError

Purpose = Literal["regret", "best", "level"]
PURPOSES: dict[Purpose, str] = {
    "regret": "lose little while learning",
    "best": "find the best arm",
    "level": "find the arms above a level",
}

# What the rules rest on: pages that say what was run, and how often.
FAMILIES = "docs/regret.md, Stakes: five families of random problems, tails beside means"
PROFIT = "docs/profit.md, What to expect: random problems at two costs, and one easy one"
CHANGES = "docs/changing.md, What to expect: means that change at once, drift, swing, and stay"
HOURS = "docs/hours.md, What to expect: smooth profiles and unrelated arms, 24 and 96 of them"
REGRETS = "docs/agents.md, What to expect: regret of 400 runs at 10, 25 and 50 arms"
BUDGETS = "docs/identification.md, Within a budget: 4000 runs of each of the paper's problems"
SURE = "docs/identification.md, Until sure: rounds, pulls and errors beside the lower bound"
SETS = "docs/identification.md, Above a level: 2000 runs on three problems"
LAW = "docs/agents.md: nothing was measured, it follows from what the agent does"


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants, and what they can spend: the question to the table.

    ``rounds`` and ``pulls`` are budgets, ``save`` says which of both is dear, ``once`` that a round
    has room for one pull, ``places`` how many arms of a round are worth pulling, ``cost`` what a
    pull costs. ``changes`` are those of the means, ``hours`` says that arms resemble their
    neighbours, ``safe`` that losing the best arm would be a disaster.
    """

    goal: Purpose = "best"
    rounds: int | None = None
    pulls: int | None = None
    confidence: float | None = None
    level: float | None = None
    save: Literal["rounds", "pulls"] | None = None
    once: bool = False
    places: int = 1
    cost: float | None = None
    changes: Literal["rare", "steady"] | None = None
    hours: bool = False
    safe: bool = False

    def __post_init__(self) -> None:
        params.one_of(self, "goal", get_args(Purpose))
        for name in ("rounds", "pulls"):
            if getattr(self, name) is not None:
                params.whole(self, name, least=1)
        for name in ("confidence", "level"):
            if getattr(self, name) is not None:
                params.inside_unit(self, name)
        if self.cost is not None:
            params.share(self, "cost")
        if self.save is not None:
            params.one_of(self, "save", ("rounds", "pulls"))
        if self.changes is not None:
            params.one_of(self, "changes", ("rare", "steady"))
        for name in ("once", "hours", "safe"):
            params.flag(self, name)
        params.at_least_one(self, "places")

    def said(self) -> frozenset[str]:
        """What was said beyond the goal, as the rules name it."""
        given = {f.name for f in fields(self) if getattr(self, f.name) not in (None, False)}
        marks = given - {"goal", "save", "places", "changes"}
        if self.save is not None:
            marks.add(f"few {self.save}")
        if self.changes is not None:
            marks.add(f"{self.changes} changes")
        if self.places > 1:
            marks.add("places")
        return frozenset(marks)

    def numbers(self) -> dict[str, Any]:
        """What a rule may fill into its spec."""
        risk = 0.05 if self.confidence is None else round(1 - self.confidence, 12)
        names = ("rounds", "pulls", "level", "places", "cost")
        return {name: getattr(self, name) for name in names} | {"delta": f"{risk:g}"}


@dataclass(frozen=True, slots=True)
class Rule:
    """An agent for whoever has this goal and has said ``needs``, and at most ``fits`` beside."""

    goal: Purpose
    needs: frozenset[str]
    agent: str
    why: str
    evidence: str
    fits: frozenset[str]


def rule(goal: Purpose, needs: str, agent: str, why: str, evidence: str, *, fits: str = "") -> Rule:
    """A row of the table; ``needs`` and ``fits`` are words with commas between."""
    horizon = {"rounds"} if goal == "regret" else set()  # regret has no budget, it goes on so long
    return Rule(goal, _words(needs), agent, why, evidence, _words(fits) | horizon)


def _words(listed: str) -> frozenset[str]:
    return frozenset(filter(None, listed.split(", ")))


EITHER = "few rounds, few pulls"  # what is dear is settled where it is the same, or both are given


RULES: tuple[Rule, ...] = (
    rule(
        "regret", "once", "bUCB",
        "with one pull a round it loses less than Thompson sampling", REGRETS,
    ),
    rule(
        "regret", "places", "Challenge(best={places})",
        "it fills so many places of a round and tries whatever may belong there", LAW,
    ),
    rule(
        "regret", "cost", "Worth(cost={cost})",
        "it pulls every arm that may be worth more than a pull costs", PROFIT,
    ),
    rule(
        "regret", "rare changes", "Challenge(GLRKLUCB)",
        "it begins anew when the rewards show a change, and costs little if there is none", CHANGES,
    ),
    rule(
        "regret", "steady changes", "Challenge(DTS(discount=0.98))",
        "where means swing all the time, what was long ago should count less", CHANGES,
    ),
    rule(
        "regret", "hours", "Challenge(GPUCB)",
        "it learns how much neighbours have in common, and loses little if that is nothing", HOURS,
    ),
    rule(
        "regret", "safe", "Stakes(c=0.05)",
        "it hardly ever loses the best arm, at some more regret on average", FAMILIES,
    ),
    rule(
        "regret", "rounds", "Stakes(c=0.8, horizon)",
        "told how many rounds there are, it has the least regret of all that we tried", FAMILIES,
    ),
    rule(
        "regret", "", "Stakes",
        "it weighs what may be missed against the price of a look: less regret than Challenge, "
        "which has a proof", FAMILIES,
    ),
    rule(
        "best", "confidence, once", "T3C(delta={delta})",
        "it stops when it is sure, and splits its pulls between the leader and the arm hardest to "
        "tell from it", SURE, fits=EITHER,
    ),
    rule(
        "best", "confidence, few pulls", "Seq(T3C(delta={delta}))",
        "it stops when it is sure, with fewer pulls than Race", SURE,
    ),
    rule(
        "best", "confidence", "Race(delta={delta})",
        "it stops when it is sure, in fewer rounds than any other, for somewhat more pulls",
        SURE, fits="few rounds",
    ),
    rule(
        "best", "once", "UCBE(c=2, plugin)",
        "with one pull a round it errs less than UCBE that is told how hard the problem is",
        BUDGETS, fits=f"rounds, pulls, {EITHER}",
    ),
    rule(
        "best", "rounds, pulls", "Pack(rounds={rounds}, pulls={pulls}, early)",
        "it spends both budgets, more in the first rounds, without knowing how hard the problem is",
        BUDGETS, fits=EITHER,
    ),
    rule(
        "best", "pulls, few rounds", "CR-A+",
        "it drops arms as soon as they are clearly worse: about a fifth of the rounds of one pull "
        "a round", BUDGETS,
    ),
    rule(
        "best", "pulls, few pulls", 'Seq(UCBE(c=2, plugin, ties="ahead"))',
        "every pull goes where it tells most; it takes most of the rounds", BUDGETS,
    ),
    rule(
        "best", "pulls", "Pack(early)",
        "a third of the rounds of one pull a round, at no more error than UCBE that is told how "
        "hard the problem is", BUDGETS,
    ),
    rule(
        "best", "rounds", "Uniform+",
        "if only rounds are scarce, pulls are free: pull every arm in every round", LAW,
        fits="few rounds",
    ),
    rule(
        "best", "few pulls", "Seq(T3C(delta={delta}))",
        "without a budget it looks until it is 95 % sure, with fewer pulls than Race", SURE,
    ),
    rule(
        "best", "", "Race(delta={delta})",
        "without a budget it looks until it is 95 % sure", SURE, fits="few rounds",
    ),
    rule(
        "level", "level, pulls, rounds", "Pack(APT(level={level}), rounds={rounds}, pulls={pulls})",
        "it spends both budgets on the arms that are hardest to place", SETS, fits=EITHER,
    ),
    rule(
        "level", "level, pulls", 'Seq(APT(level={level}, ties="ahead"))',
        "it pulls the arm that is hardest to place", SETS, fits="few pulls",
    ),
    rule(
        "level", "level", "Above(level={level}, delta={delta})",
        "it pulls an arm until it is sure on which side it lies", SETS, fits="confidence",
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """The agent to use, why, and what that rests on."""

    agent: Agent
    why: str
    evidence: str

    def to_dict(self) -> dict[str, str]:
        return {"agent": str(self.agent), "why": self.why, "evidence": self.evidence}


def choose(wish: Wish) -> Choice:
    """The agent of the first rule that fits."""
    if wish.goal == "level" and wish.level is None:
        raise SpecError("the goal 'level' needs a level: which one is to be exceeded?")
    said = wish.said()
    for each in RULES:
        if each.goal == wish.goal and each.needs <= said:
            _check_heard(each, said)
            numbers: Mapping[str, Any] = wish.numbers()
            return Choice(parse_agent(each.agent.format(**numbers)), each.why, each.evidence)
    raise SpecError(f"there is no agent for the goal {wish.goal!r} yet")


def _check_heard(chosen: Rule, said: frozenset[str]) -> None:
    """Refuse a wish of which some part would go unheard."""
    rules = [each for each in RULES if each.goal == chosen.goal]
    known = frozenset().union(*(each.needs | each.fits for each in rules))
    if said - known:
        raise SpecError(
            f"with the goal {chosen.goal!r} these options have no meaning: "
            f"{', '.join(sorted(said - known))}"
        )
    if said - chosen.needs - chosen.fits:
        raise SpecError(f"no agent can do all of this at once: {', '.join(sorted(said))}")
