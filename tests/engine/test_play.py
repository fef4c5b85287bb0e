"""Plain and compiled play: the same numbers, errors, progress; and which of them is taken."""

import json
import logging
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import spnb
from spnb import testing
from spnb.bandits.agents import Seq
from spnb.bandits.policies import UCB1
from spnb.engine import play as engine
from spnb.engine.play import Limits, Played
from spnb.simulation.metrics import Goal
from spnb.simulation.simulate import new_game

PROBLEMS = [
    spnb.Bernoulli((0.4,)),
    spnb.Bernoulli((0.0, 1.0, 0.0, 1.0)),
    spnb.Bernoulli((0.5,) * 6),
    spnb.Synthetic(12),
]
AGENTS = ["UCB1", "Seq(TS)", "Seq(bUCB)", "Challenge", "Challenge(TS)", "Pack(TS)", "SR+"]


def game(spec: Any, problem: spnb.Problem, limits: Limits, seed: int, runs: int = 4) -> Any:
    numbers = np.arange(runs)
    worlds = problem.worlds(seed, numbers)
    at = np.arange(1, limits.rounds + 1, 7)
    worth = Goal.of(worlds.means).worth
    agent = spnb.agent(spec)
    return new_game(agent, worlds, seed, numbers, limits, worth, at, advise=True)


def everything(played: Played) -> list[bytes]:
    return [getattr(played, name).tobytes() for name in Played.__slots__]


@pytest.mark.parametrize("spec", AGENTS)
def test_compiled_and_plain_play_the_same_runs_whatever_ends_them(spec: str, seed: int) -> None:
    for problem in PROBLEMS:
        for limits in (Limits(60), Limits(60, 50, heed_stop=True), Limits(60, heed_stop=True)):
            one = game(spec, problem, limits, seed)
            assert everything(engine.play_compiled(one)) == everything(engine.play_plain(one))


@pytest.mark.parametrize("way", [engine.play_plain, engine.play_compiled])
@pytest.mark.parametrize("limits", [Limits(500), Limits(500, 300)], ids=["rounds", "pulls"])
def test_progress_is_told_in_between_and_adds_up(
    limits: Limits, way: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "STRIDE", 2000)
    told: list[int] = []
    one = game("Seq(UCB1)", spnb.Bernoulli((0.2, 0.5, 0.4)), limits, seed=1)
    way(one, told.append)
    assert len(told) > 3
    assert min(told) >= 0
    assert sum(told) == 4 * 500  # a run that ends before its time counts whole


def test_a_call_that_is_cut_short_goes_on_where_it_stopped(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    one = game("Seq(TS)", spnb.Synthetic(6), Limits(80), seed)
    whole = everything(engine.play_compiled(one))
    for stride in (1, 17, 999):
        monkeypatch.setattr(engine, "STRIDE", stride * 16)
        assert everything(engine.play_compiled(one)) == whole


def test_looking_at_the_answers_does_not_change_the_run(seed: int) -> None:
    for spec in ("Seq(TS)", "Greedy", "Seq(UCB1)"):
        seen, unseen = (
            engine.play_plain(
                new_game(
                    spnb.agent(spec), worlds, seed, np.arange(20), Limits(50),
                    Goal.of(worlds.means).worth, np.arange(1, 51), advise=look,
                )
            )
            for look in (True, False)
            for worlds in [spnb.Bernoulli((0.5, 0.4, 0.5)).worlds(seed, np.arange(20))]
        )  # fmt: skip
        assert (seen.pulls == unseen.pulls).all()
        assert (seen.answer == unseen.answer).all()
        assert (seen.advice != 0).any()
        assert (unseen.advice == 0).all()


def test_the_last_advice_is_the_answer(seed: int) -> None:
    one = game('Seq(UCB1(ties="first"))', spnb.Synthetic(5), Limits(50), seed)
    played = engine.play_plain(one)
    assert one.checkpoints[-1] == 50
    assert (played.advice[:, -1] == played.answer).all()


class Odd(UCB1):
    """Numba has no dictionaries of mixed values."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        table: dict[Any, Any] = {"mean": sums / pulls, 3: "x"}
        return float(table["mean"])


def test_what_cannot_be_compiled_is_played_plainly_and_that_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(engine, "SMALL", 0)
    one = game(Seq(Odd()), spnb.Bernoulli((0.2, 0.8)), Limits(30), seed=3)
    with caplog.at_level(logging.WARNING, "spnb"):
        played = engine.play(one)
    assert everything(played) == everything(engine.play_plain(one))
    (told,) = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert told.startswith("Seq(Odd) cannot be compiled: ")
    assert "plain Python" in told
    assert "\n" not in told


class Broken(spnb.IndexPolicy):
    """Divides by nothing once it has seen enough."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return 1.0 / (clock - 9.0) + sums


@pytest.mark.parametrize("way", [engine.play_plain, engine.play_compiled, engine.play])
def test_an_error_in_a_formula_is_raised_whichever_way_it_is_played(way: Any) -> None:
    with pytest.raises(ZeroDivisionError):
        way(game(Seq(Broken()), spnb.Bernoulli((0.2, 0.8)), Limits(30), seed=3))


def test_small_jobs_are_played_plainly_and_large_ones_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ways: list[str] = []
    for name in ("play_plain", "play_compiled"):
        real = getattr(engine, name)

        def noted(*args: Any, real: Any = real, name: str = name) -> Any:
            ways.append(name)
            return real(*args)

        monkeypatch.setattr(engine, name, noted)
    monkeypatch.setattr(engine, "is_ready", lambda *args: False)
    problem = spnb.Bernoulli((0.2, 0.8))
    engine.play(game("Seq(UCB1)", problem, Limits(50), seed=1))
    monkeypatch.setattr(engine, "SMALL", 4 * 50 * 12)
    engine.play(game("Seq(UCB1)", problem, Limits(50), seed=1))
    monkeypatch.setattr(engine, "is_ready", lambda *args: True)
    monkeypatch.setattr(engine, "SMALL", 10**9)
    engine.play(game("Seq(UCB1)", problem, Limits(50), seed=1))
    assert ways == ["play_plain", "play_compiled", "play_compiled"]


def modules_after(script: str) -> set[str]:
    code = f"import sys, json\n{script}\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_small_jobs_load_no_compiler() -> None:
    loaded = modules_after(
        "import spnb\n"
        "spnb.simulate(spnb.Bernoulli((.2, .7)), ['Seq(TS)', 'Challenge'], rounds=50, runs=5)\n"
        "spnb.identify(spnb.experiment(4), 'SR+', budget=60, runs=5)\n"
    )
    assert {"numba", "llvmlite"}.isdisjoint(loaded)


LIVE = """
import spnb
for spec in {specs!r}:
    learner = spnb.Learner(spec, 3, horizon=10, seed=1)
    for round in range(9):
        for arm in range(3):
            if learner.ask(arm):
                learner.pulled(arm)
                learner.observe(arm, 1.0)
        learner.next_round()
    learner.recommend()
    spnb.Learner.from_dict(learner.to_dict())
"""


def test_live_use_loads_no_compiler_and_only_bucb_loads_scipy() -> None:
    specs = [
        "Seq(TS)", "UCB1", "Challenge", "Challenge(TS)", "Seq(IMED)", "KLUCB", "MOSS", "SR+", "SH+",
        "UCBrev+", "Seq(UCBE(c=2, adaptive))", "Pack(TS)", "Seq(Greedy)", "Uniform",
    ]  # fmt: skip
    loaded = modules_after(LIVE.format(specs=specs))
    assert {"numba", "llvmlite", "scipy"}.isdisjoint(loaded)
    loaded = modules_after(LIVE.format(specs=["Seq(bUCB)"]))
    assert {"numba", "llvmlite"}.isdisjoint(loaded)
    assert "scipy" in loaded


def test_a_run_does_not_depend_on_the_state_of_the_run_before(seed: int) -> None:
    for spec in AGENTS:
        together = testing._play(spnb.agent(spec), spnb.Synthetic(5), range(6), seed)
        backwards = testing._play(spnb.agent(spec), spnb.Synthetic(5), range(5, -1, -1), seed)
        assert (together.pulls == backwards.pulls[::-1]).all(), spec
