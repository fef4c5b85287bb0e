"""The one list of policies and agents. A new one is a row here; tests, docs and specs follow.

A class of your own is named in specs once it is registered; an object needs no name.
"""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeVar

from spnb.bandits import agents, policies
from spnb.bandits.agents import Agent
from spnb.bandits.policies import Policy
from spnb.base.errors import SpecError

Described = type[Policy] | type[Agent]


@dataclass(frozen=True, slots=True)
class Row:
    """A class that specs may name, and specs that show it at work."""

    cls: Described
    samples: tuple[str, ...]


POLICIES = (
    Row(policies.UCB1, ("UCB1", 'UCB1(ties="first")', 'UCB1(ties="ahead")')),
    Row(policies.bUCB, ("bUCB", 'bUCB(c=1, ties="first")', "bUCB(sweep)")),
    Row(policies.TS, ("TS", "TS(sweep)")),
    Row(policies.KLUCB, ("KLUCB", 'KLUCB(c=3, ties="ahead")')),
    Row(policies.KLUCBPlus, ("KLUCB+", 'KLUCB+(ties="first")')),
    Row(policies.IMED, ("IMED", 'IMED(ties="first")')),
    Row(policies.MOSS, ("MOSS", 'MOSS(ties="first")')),
    Row(policies.UCBrev, ("UCBrev", 'UCBrev(radius="printed")')),
    Row(policies.EpsGreedy, ("EpsGreedy(eps=0.1)",)),
    Row(policies.Uniform, ("Uniform",)),
    Row(policies.SWUCB, ("SWUCB(window=12)", 'SWUCB(window=1, ties="first")')),
    Row(policies.SWTS, ("SWTS(window=12)",)),
    Row(policies.DUCB, ("DUCB(discount=0.9)", "DUCB(discount=0)")),
    Row(policies.DTS, ("DTS(discount=0.9)",)),
    Row(policies.GLRKLUCB, ("GLRKLUCB", "GLRKLUCB(delta=1, alpha=0.5)")),
    Row(policies.GPUCB, ("GPUCB", 'GPUCB(ties="first")')),
    Row(policies.GPTS, ("GPTS", 'GPTS(ties="random")')),
    Row(policies.UTS, ("UTS", 'UTS(ties="random")')),
    Row(policies.Belief, ("Belief",)),
    Row(policies.Greedy, ("Greedy", 'Greedy(ties="first")')),
    Row(
        policies.UCBE,
        ("UCBE(c=2)", 'UCBE(c=1, adaptive, ties="first")', 'UCBE(c=2, plugin, ties="ahead")'),
    ),
    Row(policies.SR, ("SR", 'SR(ties="first")')),
    Row(policies.SH, ("SH", 'SH(ties="first")')),
    Row(policies.CRA, ("CR-A", 'CR-A(ties="first")')),
    Row(policies.CRC, ("CR-C",)),
    Row(policies.T3C, ("T3C", 'T3C(delta=0.2, stop="practical", ties="first")')),
    Row(policies.TTTS, ("TTTS", 'TTTS(delta=0.2, stop="practical")')),
    Row(policies.TrackAndStop, ("TrackAndStop", 'TrackAndStop(delta=0.2, ties="first")')),
    Row(policies.LUCB, ("LUCB", 'LUCB(delta=0.2, ties="ahead")')),
    Row(policies.KLLUCB, ("KLLUCB", 'KLLUCB(stop="practical", ties="ahead")')),
    Row(policies.APT, ("APT(level=0.4)", 'APT(level=0.4, eps=0.1, ties="ahead")')),
)

AGENTS = (
    Row(agents.Once, ("TS", "UCBE(c=2)", "SR")),
    Row(agents.Seq, ()),  # over every policy, see agent_samples
    Row(agents.Plus, ("UCBrev+", 'UCBrev+(radius="printed")', "SR+", "SH+", "Uniform+", "CR-A+")),
    Row(
        agents.Challenge,
        (
            "Challenge",
            "Challenge(best=2)",
            "Challenge(KLUCB)",
            "Challenge(TS)",
            "Challenge(bUCB)",
            "Challenge(IMED)",
            "Challenge(TS, best=3)",
            "Challenge(SWUCB(window=8))",
            "Challenge(DTS(discount=0.9))",
            "Challenge(GLRKLUCB(alpha=0.5))",
            "Challenge(GPUCB)",
            "Challenge(GPTS)",
            "Challenge(UTS)",
        ),
    ),
    Row(agents.Stakes, ("Stakes", "Stakes(c=1, horizon)", "Stakes(c=0.05, best=2)")),
    Row(
        agents.Worth,
        ("Worth(cost=0.4)", "Worth(TS, cost=0.4)", "Worth(bUCB, cost=0)", "Worth(IMED, cost=0.3)"),
    ),
    Row(
        agents.Pack,
        ("Pack", "Pack(UCBE(c=4), rounds=20, pulls=50)", "Pack(TS)", "Pack(early)", "Pack(T3C)"),
    ),
    Row(agents.Race, ("Race", 'Race(delta=0.2, stop="practical")')),
    Row(agents.Above, ("Above(level=0.4)", "Above(level=0.6, delta=0.2)")),
)


_REGISTERED: dict[str, Described] = {}

T = TypeVar("T", bound=Described)


def register(cls: T) -> T:
    """Let specs name this policy or agent; a decorator for classes of scripts and notebooks.

    Registered again (a notebook's cell was run twice), the newer class takes the older's place.
    """
    if not (isinstance(cls, type) and issubclass(cls, Policy | Agent)):
        raise SpecError(f"only a policy or an agent can be registered, got {cls!r}")
    if any(cls.name() == row.cls.name() for row in (*POLICIES, *AGENTS)):
        raise SpecError(f"{cls.name()!r} is a name of spnb's own: give the class another")
    if cls.name() == cls.name().lower():
        raise SpecError(f"{cls.name()!r} needs a capital letter: a spec takes it for a flag")
    _REGISTERED[cls.name()] = cls
    return cls


def policy_samples() -> list[str]:
    """Specs that together show every policy."""
    return [spec for row in POLICIES for spec in row.samples]


def agent_samples(*, under_seq: bool = True) -> list[str]:
    """Specs that together show every agent, and every policy under Seq."""
    own = [spec for row in AGENTS for spec in row.samples]
    return own + [f"Seq({spec})" for spec in policy_samples() if under_seq]


def known() -> Iterator[tuple[str, Described]]:
    """Every name a spec may use: spnb's own, those registered, those of other packages."""
    for row in (*POLICIES, *AGENTS):
        yield row.cls.name(), row.cls
    yield from _REGISTERED.items()
    yield from foreign()


def plus_names() -> list[str]:
    """``X+`` for every policy X that keeps a set of active arms, and for Uniform."""
    eliminating = (policies.Elimination, policies.Uniform)
    return [f"{name}+" for name, cls in known() if issubclass(cls, eliminating)]


def find(name: str) -> Described | None:
    return next((cls for known_name, cls in known() if known_name == name), None)


def unknown(name: str) -> SpecError:
    """What to say of a name that nobody registered: the nearest one that somebody did."""
    names = [*(known_name for known_name, _ in known()), *plus_names()]
    by_lower = {candidate.lower(): candidate for candidate in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.4)
    hint = f"; did you mean {by_lower[near[0]]!r}?" if near else ""
    return SpecError(f"unknown policy or agent {name!r}{hint} ('spnb agents' lists them all)")


@cache
def foreign() -> tuple[tuple[str, Described], ...]:
    """Classes that installed packages offer under the entry points of spnb."""
    from importlib.metadata import entry_points  # dear to load, and needed for names only

    found: list[tuple[str, Described]] = []
    for group, base in (("spnb.policies", Policy), ("spnb.agents", Agent)):
        for point in entry_points(group=group):
            cls = point.load()
            if not (isinstance(cls, type) and issubclass(cls, base)):
                raise SpecError(f"the entry point {point.name!r} of {group} is no {base.__name__}")
            found.append((point.name, cls))
    return tuple(found)
