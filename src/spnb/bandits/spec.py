"""Specs: ``"Seq(UCBE(c=2))"`` to an agent; ``str(agent)`` is the way back.

A bare policy means ``Once(policy)``; ``X+`` pulls all active arms of the policy X every round. The
grammar is that of ``spnb.base.grammar``.
"""

from dataclasses import MISSING, fields
from typing import Any

from spnb.bandits.agents import Agent, Once, Plus
from spnb.bandits.policies import Policy
from spnb.bandits.registry import find, plus_names, unknown
from spnb.base.errors import SpecError
from spnb.base.grammar import matched, read


def agent(spec: "str | Agent | Policy") -> Agent:
    """The agent that a spec describes; agents pass through, a bare policy means Once."""
    built = _read(spec)
    if isinstance(built, Policy):
        return Once(built)
    if isinstance(built, Agent):
        return built
    raise SpecError(f"an agent is a spec, an agent or a policy, got {built!r}")


def name_of(built: Agent) -> str:
    """The spec of an agent that is to be found again by it: it must not mean another one."""
    spec = str(built)
    try:
        again = agent(spec)
    except SpecError:
        return spec  # of a class that nobody has registered yet
    if again != built:
        raise SpecError(
            f"{spec!r} means another agent in a spec: give your class a name of its own"
        )
    return spec


def policy(spec: "str | Policy") -> Policy:
    """The policy that a spec describes."""
    built = _read(spec)
    if not isinstance(built, Policy):
        raise SpecError(f"{spec!r} is not a policy")
    return built


def _read(spec: Any) -> Any:
    return read(spec, _build, "TS") if isinstance(spec, str) else spec


def _build(name: str, positional: list[Any], named: dict[str, Any]) -> Any:
    cls = find(name)
    if cls is None and name in plus_names():
        return Plus(_build(name[:-1], positional, named))
    if cls is None:
        raise unknown(name)
    accepted = [field for field in fields(cls) if field.init]
    arguments = matched(name, accepted, positional, named)
    for field in accepted:
        if field.default is MISSING and field.name not in arguments:
            example = "TS" if field.name == "policy" else f"{field.name}=0.5"
            raise SpecError(f"{name} needs a {field.name}, for example {name}({example})")
    return cls(**arguments)
