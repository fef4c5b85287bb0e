import re
import tomllib
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spnb
from spnb.bandits import agents, policies, registry
from spnb.bandits.agents import Agent, Challenge, Once, Pack, Plus, Seq
from spnb.bandits.policies import (
    SR,
    TS,
    UCBE,
    Adapted,
    Elimination,
    IndexPolicy,
    KLUCBPlus,
    Policy,
    UCBrev,
    bUCB,
)
from spnb.bandits.policies.bayes import Sampler
from spnb.bandits.policies.confidence import Confident
from spnb.bandits.policies.elimination import ContinuousRejects
from spnb.bandits.policies.forget import Drawing, Forgetful, Hopeful
from spnb.bandits.policies.hours import Circle, Ordered
from spnb.bandits.policies.kl import KLBound
from spnb.bandits.policies.root import RootIndex
from spnb.bandits.policies.thresholds import Placing
from spnb.bandits.policies.ucb import SteadyIndex
from spnb.gym.agent import Acting, Noticing


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
        ("TS(sweep)", Once(TS(sweep=True))),
        ('Seq(bUCB(1, true, ties="ahead"))', Seq(bUCB(c=1, sweep=True, ties="ahead"))),
    ],
)
def test_a_spec_builds_the_agent_it_describes(spec: str, built: Agent) -> None:
    assert spnb.agent(spec) == built


@pytest.mark.parametrize(
    ("built", "spec"),
    [
        (Seq(UCBE(c=2)), "Seq(UCBE(c=2))"),
        (Once(TS()), "TS"),
        (Plus(SR(ties="first")), 'SR+(ties="first")'),
        (Challenge(), "Challenge"),
        (Challenge(best=2), "Challenge(best=2)"),
        (Once(TS(sweep=True, ties="ahead")), 'TS(sweep, ties="ahead")'),
        (Pack(rounds=4), "Pack(rounds=4)"),
        (Seq(UCBE(c=2.0)), "Seq(UCBE(c=2))"),
        (Once(UCBE(c=0.5, adaptive=True, ties="first")), 'UCBE(c=0.5, adaptive, ties="first")'),
    ],
)
def test_an_agent_prints_as_the_shortest_spec(built: Agent, spec: str) -> None:
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
        ("Seq(TS", r"expected ',' or '\)', got the end"),
        ("Seq(TS))", r"unexpected '\)'"),
        ("Seq(TS) TS", "unexpected 'TS'"),
        ("Seq(Seq(TS))", "Seq.policy must be a policy"),
        ("Seq(2)", "Seq.policy must be a policy"),
        ("TS!", "unexpected character '!'"),
        ("UCBE(c=0)", "UCBE.c must be a number > 0, got 0"),
        ("UCBE(c=nan)", "unknown policy or agent 'nan'"),
        ('UCBE(c="2")', "UCBE.c must be a number, got '2'"),
        ("UCBE(d=2)", "no parameter 'd'"),
        ("UCBE(2, c=2)", "c is given twice"),
        ("UCBE(c=1, c=2)", "c is given twice"),
        ("UCBE(1, true, false, 3)", "at most 3 unnamed"),
        ("UCBE(c=2, adaptive=1)", "UCBE.adaptive must be true or false, got 1"),
        ("EpsGreedy(eps=1.5)", r"EpsGreedy.eps must be a number in \[0, 1\], got 1.5"),
        ("bUCB(c=-1)", "bUCB.c must be a number >= 0, got -1"),
        ("KLUCB(c=-1)", "KLUCB.c must be a number >= 0, got -1"),
        ('TS(ties="last")', "TS.ties must be one of 'random', 'first', 'ahead', got 'last'"),
        ('UCBrev(radius="big")', "UCBrev.radius must be one of"),
        ("Challenge(best=0)", "Challenge.best must be a whole number >= 1, got 0"),
        ("Challenge(best=1.5)", "Challenge.best must be a whole number, got 1.5"),
        ("Challenge(SR)", "Challenge.policy must be a policy with an index"),
        ("Pack(Uniform)", "Pack.policy must be a policy with an index"),
        ("Pack(rounds=-1)", "Pack.rounds must be a whole number >= 0, got -1"),
        ("Pack(pulls=1.5)", "Pack.pulls must be a whole number, got 1.5"),
        ("TS(sweep=1)", "TS.sweep must be true or false, got 1"),
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
    def heirs(base: type) -> set[type]:
        return {base}.union(*map(heirs, base.__subclasses__()))

    # What others are built on, and what wraps other libraries.
    parts = {
        Policy, IndexPolicy, Elimination, RootIndex, KLBound, SteadyIndex, Agent, Adapted,
        ContinuousRejects, Sampler, Confident, Placing, Forgetful, Hopeful, Drawing, Circle,
        Ordered, Acting, Noticing,
    }  # fmt: skip
    own = {cls for cls in heirs(Policy) | heirs(Agent) if cls.__module__.startswith("spnb.")}
    assert parts < own
    assert own - parts == {row.cls for row in (*registry.POLICIES, *registry.AGENTS)}


def test_other_packages_add_names_through_entry_points(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    page = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
    groups = tomllib.loads(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0])
    told = groups["project"]["entry-points"]
    listed = "".join(
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in points.items())
        for group, points in told.items()
    )
    installed, package = tmp_path / "mypackage-1.0.dist-info", tmp_path / "mypackage"
    installed.mkdir()
    package.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: mypackage\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text(listed)
    (package / "__init__.py").write_text("from spnb.bandits.policies import Greedy as Optimist\n")
    (package / "agents.py").write_text("from spnb.bandits.agents import Challenge as MyAgent\n")
    monkeypatch.syspath_prepend(tmp_path)
    registry.foreign.cache_clear()
    try:
        assert spnb.agent("Seq(Optimist)") == Seq(policies.Greedy())
        assert spnb.agent("MyAgent") == spnb.Challenge()
    finally:
        registry.foreign.cache_clear()


def test_an_entry_point_that_is_no_policy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = EntryPoints([EntryPoint("Bad", "json:dumps", "spnb.policies")])
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: bad)
    registry.foreign.cache_clear()
    try:
        with pytest.raises(spnb.SpecError, match="'Bad' of spnb.policies is no Policy"):
            spnb.agent("Unheard")
    finally:
        registry.foreign.cache_clear()


def test_every_name_has_a_line_of_help() -> None:
    for _, cls in registry.known():
        assert len(cls.summary()) > 10
    assert registry.plus_names() == [
        "UCBrev+", "Uniform+", "SR+", "SH+", "CR-A+", "CR-C+",
    ]  # fmt: skip
    assert agents.Plus(policies.Uniform()) == spnb.agent("Uniform+")


class Mine(IndexPolicy):
    """A policy of a script."""

    width: float = 1.0

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return self.width * sums


def test_a_registered_class_is_named_in_specs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_REGISTERED", {})
    with pytest.raises(spnb.SpecError, match="unknown policy or agent 'Mine'"):
        spnb.agent("Seq(Mine)")
    assert spnb.register(Mine) is Mine
    assert spnb.agent("Seq(Mine(width=2))") == Seq(Mine(width=2.0))
    assert str(Seq(Mine(width=2))) == "Seq(Mine(width=2))"
    newer = type("Mine", (Mine,), {"__doc__": "The same cell, run again."})
    spnb.register(newer)
    assert type(spnb.policy("Mine")) is newer


@pytest.mark.parametrize("what", [Mine(), int, "Mine", None])
def test_only_classes_of_policies_and_agents_are_registered(what: Any) -> None:
    with pytest.raises(spnb.SpecError, match="only a policy or an agent can be registered"):
        spnb.register(what)


def test_a_name_of_spnbs_own_is_not_given_away() -> None:
    imposter = type("TS", (Mine,), {"__doc__": "Not Thompson's."})
    with pytest.raises(spnb.SpecError, match="'TS' is a name of spnb's own"):
        spnb.register(imposter)


def test_a_name_that_specs_could_not_read_is_not_registered() -> None:
    lower = type("greedy", (spnb.IndexPolicy,), {"__doc__": "Without a capital letter."})
    with pytest.raises(spnb.SpecError, match="'greedy' needs a capital letter"):
        spnb.register(lower)


def test_a_policy_of_another_kind_is_refused_by_the_name_of_the_right_one() -> None:
    with pytest.raises(spnb.SpecError, match="Stakes.policy must be a Belief, got TS"):
        spnb.Stakes(policy=spnb.policy("TS"))  # type: ignore[arg-type]
