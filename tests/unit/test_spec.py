from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spnb
from spnb.bandits import agents, policies, registry
from spnb.bandits.agents import Agent, Challenge, Once, Pack, Plus, Seq
from spnb.bandits.policies import SR, TS, UCBE, KLUCBPlus, Policy, UCBrev
from spnb.bandits.policies.adapt import Adapted


@pytest.mark.parametrize(
    ("spec", "built"),
    [
        ("TS", Once(TS())),
        ("Once(TS)", Once(TS())),
        ("Seq(TS)", Seq(TS())),
        (" Seq( UCBE( c = 2 ) ) ", Seq(UCBE(c=2))),
        ("Seq(UCBE(2))", Seq(UCBE(c=2))),
        ("UCBE(c=2, adaptive)", Once(UCBE(c=2, adaptive=True))),
        ("UCBE(c=2, adaptive=true)", Once(UCBE(c=2, adaptive=True))),
        ("UCBE(c=2, adaptive=False)", Once(UCBE(c=2))),
        ("UCBE(c=1e-3)", Once(UCBE(c=0.001))),
        ("UCBrev+", Plus(UCBrev())),
        ('UCBrev+(radius="printed")', Plus(UCBrev(radius="printed"))),
        ("KLUCB+", Once(KLUCBPlus())),
        ("Challenge", Challenge(KLUCBPlus())),
        ("Challenge(TS, best=3)", Challenge(TS(), best=3)),
        ("Pack(UCBE(c=2), rounds=5, pulls=9)", Pack(UCBE(c=2), rounds=5, pulls=9)),
        ("Seq(TS(ties='first'))", Seq(TS(ties="first"))),
    ],
)
def test_a_spec_builds_the_agent_it_describes(spec: str, built: Agent[Any]) -> None:
    assert spnb.agent(spec) == built


@pytest.mark.parametrize(
    ("built", "spec"),
    [
        (Seq(UCBE(c=2)), "Seq(UCBE(c=2))"),
        (Once(TS()), "TS"),
        (Plus(SR(ties="first")), 'SR+(ties="first")'),
        (Challenge(), "Challenge"),
        (Challenge(best=2), "Challenge(best=2)"),
        (Once(UCBE(c=0.5, adaptive=True, ties="first")), 'UCBE(c=0.5, adaptive, ties="first")'),
    ],
)
def test_an_agent_prints_as_the_shortest_spec(built: Agent[Any], spec: str) -> None:
    assert str(built) == spec


@given(c=st.floats(min_value=1e-6, max_value=1e6), adaptive=st.booleans())
def test_any_parameter_survives_the_round_trip(c: float, adaptive: bool) -> None:
    built = Seq(UCBE(c=c, adaptive=adaptive))
    assert spnb.agent(str(built)) == built


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "expected a name"),
        ("Seq(TSS)", "did you mean 'TS'"),
        ("seq(TS)", "did you mean 'Seq'"),
        ("Sek(TS)", "did you mean 'Seq'"),
        ("Seq", "needs a policy"),
        ("Seq(TS", "expected ','"),
        ("Seq(TS))", r"unexpected '\)'"),
        ("Seq(TS) TS", "unexpected 'TS'"),
        ("Seq(Seq(TS))", "Seq.policy must be a policy"),
        ("Seq(2)", "Seq.policy must be a policy"),
        ("TS!", "unexpected character '!'"),
        ("UCBE(c=0)", "UCBE.c must be a number > 0, got 0"),
        ("UCBE(c=nan)", "unknown policy or agent 'nan'"),
        ('UCBE(c="2")', "UCBE.c must be a number > 0, got '2'"),
        ("UCBE(d=2)", "no parameter 'd'"),
        ("UCBE(2, c=2)", "c is given twice"),
        ("UCBE(c=1, c=2)", "c is given twice"),
        ("UCBE(1, true, 3)", "at most 2 unnamed"),
        ("UCBE(c=2, adaptive=1)", "UCBE.adaptive must be true or false, got 1"),
        ("EpsGreedy(eps=1.5)", r"EpsGreedy.eps must be a number in \[0, 1\], got 1.5"),
        ("bUCB(c=-1)", "bUCB.c must be a number >= 0, got -1"),
        ("KLUCB(c=-1)", "KLUCB.c must be a number >= 0, got -1"),
        ('TS(ties="last")', "TS.ties must be one of 'random', 'first', got 'last'"),
        ('UCBrev(radius="big")', "UCBrev.radius must be one of"),
        ("Challenge(best=0)", "Challenge.best must be a whole number >= 1, got 0"),
        ("Challenge(best=1.5)", "Challenge.best must be a whole number >= 1, got 1.5"),
        ("Challenge(SR)", "Challenge.policy must be a policy with an index"),
        ("Pack(Uniform)", "Pack.policy must be a policy with an index"),
        ("Pack(rounds=0)", "Pack.rounds must be a whole number >= 1, got 0"),
        ("Nothing+", "unknown policy or agent"),
        ("Seq+", "unknown policy or agent 'Seq\\+'; did you mean 'Seq'"),
    ],
)
def test_a_bad_spec_is_refused_with_field_rule_and_value(spec: str, message: str) -> None:
    with pytest.raises(spnb.SpecError, match=message):
        spnb.agent(spec)


def test_agents_pass_through_and_policies_are_wrapped() -> None:
    assert spnb.agent(Seq(TS())) == Seq(TS())
    assert spnb.agent(TS()) == Once(TS())
    assert spnb.policy(TS()) == TS()
    with pytest.raises(spnb.SpecError, match="not a policy"):
        spnb.policy("Seq(TS)")
    with pytest.raises(spnb.SpecError, match="an agent is"):
        spnb.agent(3)  # type: ignore[arg-type]


def test_no_class_escapes_the_registry() -> None:
    def concrete(base: type) -> set[type]:
        found = {base} if not getattr(base, "__abstractmethods__", None) else set()
        return found.union(*map(concrete, base.__subclasses__()))

    own = {
        cls
        for cls in concrete(Policy) | concrete(Agent)
        if cls.__module__.startswith("spnb.")
        and not cls.__name__.startswith("_")
        and cls is not Adapted
    }
    assert own == {row.cls for row in (*registry.POLICIES, *registry.AGENTS)}


def test_other_packages_add_names_through_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    points = {
        "spnb.bandits.policies": EntryPoints(
            [EntryPoint("Mine", "spnb.bandits.policies.baselines:Greedy", "spnb.bandits.policies")]
        ),
        "spnb.bandits.agents": EntryPoints([]),
    }
    monkeypatch.setattr(registry, "entry_points", lambda group: points[group])
    registry.foreign.cache_clear()
    try:
        assert spnb.agent("Seq(Mine)") == Seq(policies.Greedy())
    finally:
        registry.foreign.cache_clear()


def test_an_entry_point_that_is_no_policy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = EntryPoints([EntryPoint("Bad", "json:dumps", "spnb.bandits.policies")])
    monkeypatch.setattr(registry, "entry_points", lambda group: bad)
    registry.foreign.cache_clear()
    try:
        with pytest.raises(spnb.SpecError, match="'Bad' of spnb.bandits.policies is no Policy"):
            spnb.agent("Unheard")
    finally:
        registry.foreign.cache_clear()


def test_every_name_has_a_line_of_help() -> None:
    for _, cls in registry.known():
        assert len(cls.summary()) > 10
    assert registry.plus_names() == ["UCBrev+", "Uniform+", "SR+", "SH+"]
    assert agents.Plus(policies.Uniform()) == spnb.agent("Uniform+")
