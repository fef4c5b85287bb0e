import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spnb
from spnb.engine import blocks
from spnb.engine.blocks import checked_workers, run_all, split
from spnb.simulation import metrics
from spnb.simulation.simulate import curve_rounds

AGENTS = ["TS", "Seq(UCB1)", "Challenge(TS)", "Seq(EpsGreedy(eps=0.1))", "SR+"]
FAMILY = spnb.Synthetic(5)


def compare(**changes: Any) -> dict[str, Any]:
    settings: dict[str, Any] = {"agents": AGENTS, "rounds": 30, "runs": 2100, "seed": 5} | changes
    return spnb.simulate(FAMILY, **settings).to_dict()


@pytest.fixture(scope="module")
def alone() -> dict[str, Any]:
    return compare()


def test_workers_do_not_change_a_digit(alone: dict[str, Any]) -> None:
    assert compare(workers=2) == alone
    with ThreadPoolExecutor(3) as pool:
        assert compare(workers=pool) == alone


def test_neither_order_nor_subset_of_the_agents_matters(alone: dict[str, Any]) -> None:
    backwards = compare(agents=AGENTS[::-1])
    assert backwards["agents"] == alone["agents"]
    single = compare(agents="Seq(UCB1)")
    assert single["agents"]["Seq(UCB1)"] == alone["agents"]["Seq(UCB1)"]


def test_another_process_gets_the_same_numbers(alone: dict[str, Any]) -> None:
    code = (
        "import spnb; print(spnb.simulate(spnb.Synthetic(5), "
        f"{AGENTS!r}, rounds=30, runs=2100, seed=5).to_json())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == alone


@pytest.mark.parametrize("spec", [*AGENTS, "Uniform", "Pack(TS)", "Seq(bUCB)", "Greedy"])
def test_a_run_does_not_depend_on_which_others_are_simulated(spec: str, seed: int) -> None:
    few, more = (
        spnb.simulate(FAMILY, spec, rounds=40, runs=runs, seed=seed).agents[spec] for runs in (3, 9)
    )
    for name in ("regret", "opt", "opti", "pulls"):
        assert (getattr(more, name)[:3] == getattr(few, name)).all()
    errors = [
        spnb.identify(FAMILY, spec, budget=20, runs=runs, seed=seed).agents[spec] for runs in (3, 9)
    ]
    assert (errors[1].rounds[:3] == errors[0].rounds).all()
    assert (errors[1].error[:3] == errors[0].error).all()


def test_blocks_do_not_change_a_digit(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    whole = compare(runs=60, seed=seed)
    monkeypatch.setattr(blocks, "MOST_RUNS", 7)
    monkeypatch.setattr(blocks, "LEAST_RUNS", 1)
    cut = compare(runs=60, seed=seed)
    assert cut["agents"] == whole["agents"]


def test_another_seed_gives_other_numbers_and_the_seed_used_is_told() -> None:
    fresh = compare(seed=None, runs=5)
    assert compare(seed=fresh["seed"], runs=5) == fresh
    assert compare(seed=6, runs=5)["agents"] != compare(seed=5, runs=5)["agents"]


def test_identification_is_the_same_for_any_workers() -> None:
    def run(workers: int) -> dict[str, Any]:
        agents = ["UCBE(c=2)", "Seq(UCBE(c=2))", "SR+"]
        return spnb.identify(
            spnb.experiment(4), agents, budget=60, runs=1500, seed=3, workers=workers
        ).to_dict()

    assert run(1) == run(2)


def test_the_result_has_the_promised_shape(alone: dict[str, Any]) -> None:
    assert set(alone) == {
        "spnb", "kind", "problem", "settings", "seed", "rounds", "runs", "agents", "paired",
        "curves", "lower_bound", "one_pull_bound", "limit",
    }  # fmt: skip
    assert list(alone["agents"]) == AGENTS
    for metrics_of in alone["agents"].values():
        assert set(metrics_of) == {"regret", "pulls_per_round", "opt", "opti"}
        for estimate in metrics_of.values():
            assert estimate["low"] <= estimate["mean"] <= estimate["high"]
    assert set(alone["paired"]["TS - Challenge(TS)"]["regret"]) == {"mean", "low", "high"}
    assert len(alone["paired"]) == 10


def test_curves_end_in_the_summary_and_bounds_grow_with_the_logarithm() -> None:
    result = spnb.simulate(spnb.Bernoulli((0.3, 0.6)), "Seq(TS)", rounds=50, runs=20, seed=1)
    runs = result.agents["Seq(TS)"]
    summary = result.summary()["Seq(TS)"]
    assert runs.regret_curve.mean[-1] == pytest.approx(summary["regret"].mean)
    assert runs.regret_curve.low[-1] == pytest.approx(summary["regret"].low)
    assert runs.pulls_curve.mean.mean() == pytest.approx(summary["pulls_per_round"].mean)
    assert 1 <= runs.pulls_curve.mean[0] <= 2
    sweeping = spnb.simulate(
        spnb.Bernoulli((0.3, 0.6)), "Seq(TS(sweep))", rounds=50, runs=20, seed=1
    )
    # Both arms are new in the first round.
    assert sweeping.agents["Seq(TS(sweep))"].pulls_curve.mean[0] == 2
    constant = spnb.Bernoulli((0.3, 0.6)).lower_bound_constant
    assert result.lower_bound.mean == pytest.approx(constant * np.log(np.arange(1, 51)))


def test_a_long_run_keeps_a_thousand_points() -> None:
    at = curve_rounds(1_000_000)
    assert len(at) == 1000
    assert at[-1] == 1_000_000
    assert curve_rounds(1500)[-1] == 1500
    assert (np.diff(curve_rounds(1500)) >= 1).all()
    assert curve_rounds(3).tolist() == [1, 2, 3]
    result = spnb.simulate(spnb.Bernoulli((0.3, 0.9)), "UCB1", rounds=2500, runs=2, seed=1)
    curve = result.agents["UCB1"].regret_curve
    assert curve.mean[-1] == pytest.approx(result.summary()["UCB1"]["regret"].mean)
    assert result.agents["UCB1"].pulls_curve.mean == pytest.approx(np.ones(1000))


def test_paired_differences_pair_the_runs(alone: dict[str, Any]) -> None:
    result = spnb.simulate(FAMILY, ["TS", "Seq(TS)"], rounds=40, runs=30, seed=2)
    difference = result.agents["TS"].regret - result.agents["Seq(TS)"].regret
    assert result.paired("regret", "TS", "Seq(TS)") == metrics.mean_interval(difference)
    with pytest.raises(spnb.DataError, match="no agent 'bUCB'"):
        result.paired("regret", "TS", "bUCB")


def test_limits_on_pulls_and_on_rounds() -> None:
    problem, agents = spnb.experiment(4), ["UCBE(c=2)", "Seq(UCBE(c=2))", "SR+", "Pack"]
    by_pulls = spnb.identify(problem, agents, budget=200, limit="pulls", runs=50, seed=1)
    assert (by_pulls.agents["UCBE(c=2)"].rounds == 200).all()
    assert (by_pulls.agents["UCBE(c=2)"].pulls == 200).all()
    assert (by_pulls.agents["Seq(UCBE(c=2))"].pulls == 200).all()
    assert (by_pulls.agents["Seq(UCBE(c=2))"].rounds < 200).all()
    assert (by_pulls.agents["SR+"].pulls <= 200).all()
    assert (by_pulls.agents["Pack"].rounds == 100).all()
    assert (by_pulls.agents["Pack"].pulls == 200).all()
    by_rounds = spnb.identify(problem, agents, budget=200, limit="rounds", runs=50, seed=1)
    assert (by_rounds.agents["Seq(UCBE(c=2))"].rounds == 200).all()
    assert (by_rounds.agents["Seq(UCBE(c=2))"].pulls > 200).all()
    assert set(by_rounds.to_dict()["agents"]["SR+"]) == {"error", "rounds", "pulls"}


def test_pack_spends_both_budgets() -> None:
    agent = "Pack(UCBE(c=2), rounds=30, pulls=100)"
    result = spnb.identify(spnb.experiment(4), agent, budget=100, runs=20, seed=1)
    assert (result.agents[agent].rounds == 30).all()
    assert (result.agents[agent].pulls == 100).all()
    agent = "Pack(UCBE(c=2), rounds=30, pulls=1000)"  # more than 30 rounds can hold
    result = spnb.identify(spnb.experiment(4), agent, budget=1000, limit="rounds", runs=20, seed=1)
    assert (result.agents[agent].pulls == 180).all()


def test_filling_the_best_slots_of_the_day(seed: int) -> None:
    problem = spnb.Bernoulli((0.9, 0.1, 0.8, 0.2, 0.7))
    agents = ["Challenge(best=3)", "Challenge"]
    result = spnb.simulate(problem, agents, rounds=300, runs=20, seed=seed, best=3)
    assert result.agents["Challenge(best=3)"].opti.mean() > 0.9
    assert result.paired("regret", "Challenge(best=3)", "Challenge").high < 0


@pytest.mark.parametrize("workers", [1, 2])
def test_progress_reaches_the_whole(workers: int) -> None:
    heard: list[tuple[float, float]] = []

    def hear(done: float, total: float) -> None:
        heard.append((done, total))

    spnb.simulate(FAMILY, AGENTS, rounds=10, runs=5, seed=1, workers=workers, progress=hear)
    assert heard[0] == (0.0, 250.0)
    assert heard[-1] == (250.0, 250.0)
    assert heard == sorted(heard)


def test_blocks_cover_the_runs_evenly() -> None:
    for runs, arms in ((1, 5), (999, 10), (2500, 10), (1000, 50), (7, 10_000)):
        blocks = split(runs, arms)
        assert np.concatenate(blocks).tolist() == list(range(runs))
        assert max(map(len, blocks)) - min(map(len, blocks)) <= 1
        assert max(map(len, blocks)) <= 1000


def test_a_failing_job_stops_the_others() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ZeroDivisionError):
        run_all([partial(divmod, 1, 0)] * 2, [1.0, 1.0], pool, None)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rounds": 0}, "rounds must be a whole number >= 1, got 0"),
        ({"rounds": -5}, "rounds must be a whole number >= 1, got -5"),
        ({"rounds": 2.5}, "rounds must be a whole number >= 1, got 2.5"),
        ({"runs": 0}, "runs must be a whole number >= 1, got 0"),
        ({"seed": -1}, "seed must be a whole number >= 0, got -1"),
        ({"seed": "x"}, "seed must be"),
        ({"workers": 0}, "workers must be"),
        ({"agents": []}, "at least 1 agent"),
        ({"agents": ["TS", "TS"]}, "agent 'TS' is given twice"),
        ({"best": 6}, "best must be from 1 to the number of arms 5, got 6"),
        ({"best": "1"}, "best must be a whole number >= 1, got '1'"),
        ({"best": 1.5}, "best must be a whole number"),
        ({"best": None}, "best must be a whole number"),
        ({"best": True}, "best must be a whole number >= 1, got True"),
        ({"tolerance": "a"}, r"tolerance must be a number in \[0, 1\], got 'a'"),
        ({"tolerance": True}, "tolerance must be a number"),
        ({"tolerance": None}, "tolerance must be a number"),
        ({"cost": "a"}, r"cost must be a number in \[0, 1\], got 'a'"),
        ({"cost": True}, "cost must be a number"),
        ({"agents": None}, "agents must be specs, agents or policies, got None"),
        ({"agents": [None]}, "an agent is a spec, an agent or a policy, got None"),
        ({"rounds": 10**30}, "rounds must be at most 9007199254740992, got 1000"),
        ({"runs": True}, "runs must be a whole number"),
    ],
)
def test_nonsense_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(spnb.SpecError, match=message):
        compare(**changes)


def test_identify_refuses_nonsense() -> None:
    with pytest.raises(spnb.SpecError, match="budget must be"):
        spnb.identify(FAMILY, "TS", budget=0)
    for odd in ("a", True, 1, 0.0, float("nan")):
        with pytest.raises(spnb.SpecError, match=r"confidence must be a number inside \(0, 1\)"):
            spnb.identify(FAMILY, "TS", confidence=odd)  # type: ignore[arg-type]
    with pytest.raises(spnb.SpecError, match="limit must be 'pulls' or 'rounds', got 'time'"):
        spnb.identify(FAMILY, "TS", budget=5, limit="time")  # type: ignore[arg-type]


def test_more_workers_than_the_machine_can_use_are_not_started() -> None:
    assert checked_workers(100_000) != 100_000


def test_results_are_written_whole(tmp_path: Path) -> None:
    result = spnb.simulate(FAMILY, "TS", rounds=5, runs=1, seed=1)
    text = result.to_json(tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text()) == json.loads(text)
    assert json.loads(text)["agents"]["TS"]["regret"]["low"] is None
    with pytest.raises(spnb.DataError, match="does not exist"):
        result.to_json(tmp_path / "missing" / "result.json")
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_elimination_does_better_with_all_active_arms_each_round(seed: int) -> None:
    """Why the paper leaves UCBrev and SR out of its figures."""
    regret = spnb.simulate(
        spnb.Synthetic(10), ["UCBrev", "UCBrev+"], rounds=1000, runs=200, seed=seed
    )
    assert regret.paired("regret", "UCBrev+", "UCBrev").high < 0
    answers = spnb.identify(spnb.experiment(4), ["SR", "SR+"], budget=600, runs=400, seed=seed)
    assert (answers.agents["SR+"].rounds < answers.agents["SR"].rounds).all()
