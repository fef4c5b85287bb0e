"""Identification with a confidence: who may be asked, what is told, how it is shown."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import spnb
from spnb import theory
from spnb.cli.app import app
from spnb.simulation.answers import level_of, risk_of, with_risk

EASY = spnb.Bernoulli((0.9, 0.2, 0.1))


def test_with_a_confidence_every_agent_runs_until_it_is_sure() -> None:
    found = spnb.identify(EASY, ["Race", "Seq(T3C)"], confidence=0.9, runs=30, seed=1)
    assert found.confidence == 0.9
    assert found.reference == pytest.approx(
        float(theory.characteristic_time(EASY.means)) * np.log(10)
    )
    for runs in found.agents.values():
        assert runs.undecided.sum() == 0
        assert len(set(runs.pulls)) > 1
    assert (found.agents["Race"].pulls >= found.agents["Race"].rounds).all()
    told = json.loads(found.to_json())
    assert told["confidence"] == 0.9
    assert told["agents"]["Race"]["undecided"]["mean"] == 0.0


def test_the_confidence_is_the_agents_delta() -> None:
    sure = spnb.identify(EASY, "Race(delta=0.5)", confidence=0.999, runs=20, seed=1)
    by_itself = spnb.identify(EASY, "Race(delta=0.001)", budget=10_000, runs=20, seed=1)
    first, second = sure.agents["Race(delta=0.5)"], by_itself.agents["Race(delta=0.001)"]
    assert (first.pulls == second.pulls).all()
    assert str(with_risk(spnb.agent("Seq(T3C)"), 0.01)) == "Seq(T3C(delta=0.01))"
    assert str(with_risk(spnb.agent("Above(level=0.3)"), 0.01)) == "Above(level=0.3, delta=0.01)"


def test_risk_and_level_are_found_wherever_they_are() -> None:
    specs = ("Race(delta=0.2)", "Seq(T3C(delta=0.2))", "Above(level=0.3, delta=0.2)")
    assert [risk_of(spnb.agent(spec)) for spec in specs] == [0.2] * 3
    assert risk_of(spnb.agent("Challenge")) is None
    assert risk_of(spnb.agent("Challenge(GLRKLUCB)")) is None  # its delta is of a change
    assert level_of(spnb.agent("Above(level=0.3)")) == 0.3
    assert level_of(spnb.agent("Seq(APT(level=0.3))")) == 0.3
    assert level_of(spnb.agent("SR+")) is None


def test_tied_arms_end_undecided_and_without_an_error() -> None:
    tied = spnb.Bernoulli((0.5, 0.5))
    found = spnb.identify(tied, "Race", confidence=0.95, budget=60, runs=20, seed=1)
    assert found.reference is None
    assert found.agents["Race"].undecided.mean() > 0.5
    assert found.agents["Race"].error.sum() == 0


def test_a_level_has_no_reference_of_the_best_arm() -> None:
    found = spnb.identify(EASY, "Above(level=0.5)", confidence=0.9, runs=5, seed=1)
    assert found.reference is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs a budget or a confidence"),
        ({"confidence": 1.0}, r"confidence must be a number inside \(0, 1\), got 1\.0"),
        ({"confidence": True}, "confidence must be"),
        ({"confidence": 0.95, "budget": 0}, "budget must be a whole number >= 1"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(spnb.SpecError, match=message):
        spnb.identify(EASY, "Race", **options)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize("spec", ["Seq(TS)", "Seq(GLRKLUCB)"])
def test_an_agent_that_never_stops_is_refused(spec: str) -> None:
    with pytest.raises(spnb.SpecError, match=rf"{re.escape(spec)} does not stop by itself.*Race"):
        spnb.identify(EASY, ["Race", spec], confidence=0.95)


def test_the_command_shows_rounds_pulls_and_the_reference(tmp_path: Path) -> None:
    plot = tmp_path / "sure.png"
    line = [
        "identify",
        "--means",
        "0.9,0.2,0.1",
        "--confidence",
        "0.9",
        "--runs",
        "20",
        "--seed",
        "1",
    ]
    done = CliRunner().invoke(app, [*line, "-a", "Race", "-a", "Seq(LUCB)", "--plot", str(plot)])
    assert done.exit_code == 0, done.output
    assert "20 runs until 90 % sure" in done.output
    assert "T* ln(1/delta)" in " ".join(done.output.split())
    assert "undecided" not in done.output
    assert plot.stat().st_size > 5000
    tied = ["identify", "--means", "0.5,0.5", "--confidence", "0.9", "--budget", "40"]
    shown = CliRunner().invoke(app, [*tied, "-a", "Race", "--runs", "9", "--seed", "1"]).output
    assert "undecided: not sure after 40 pulls" in " ".join(shown.split())
    assert "T*" not in shown


def test_the_command_wants_a_budget_or_a_confidence() -> None:
    done = CliRunner().invoke(app, ["identify", "--means", "0.5,0.4"])
    assert done.exit_code != 0
    assert "--confidence" in str(done.exception)
