import dataclasses
import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import spnb
from spnb.base.words import chance_text
from spnb.cli.app import app
from spnb.live.campaign import Campaign
from spnb.live.store import Store
from spnb.plan import TODAY, Costs, Plan, Point, facts, plan
from spnb.problems.readers import Clock, ProblemData, Reward, read_series
from spnb.report.advice import campaign_command, plan_figure, plan_lines, plan_table
from spnb.report.figures import save
from spnb.report.profile import facts_lines, facts_table
from spnb.report.tables import identification_table, regret_table
from spnb.simulation.metrics import Estimate

pytestmark = pytest.mark.xdist_group("plan")  # what is made once serves one worker

TABLE = (np.random.default_rng(1).random((30, 4)) < [0.1, 0.8, 0.2, 0.3]).astype(float)
DATA = ProblemData("four slots", ("a", "b", "c", "d"), TABLE, block=2)


@pytest.fixture(scope="module")
def best() -> Plan:
    return plan(DATA, "best", runs=200, seed=7, most=500)


@pytest.fixture(scope="module")
def regret() -> Plan:
    return plan(DATA, "regret", runs=100, seed=7, rounds=60)


def test_every_point_of_a_curve_is_what_identify_says(best: Plan) -> None:
    problem = DATA.problem("resample")
    for spec, points in best.curves.items():
        for point in points[::3]:
            found = spnb.identify(problem, spec, budget=point.budget, runs=200, seed=7)
            summary = found.summary()[spec]
            assert point.right.mean == 1 - summary["error"].mean
            assert point.right.low == 1 - summary["error"].high
            assert (point.rounds, point.pulls) == (summary["rounds"].mean, summary["pulls"].mean)


def test_a_regret_plan_is_what_simulate_and_identify_say(regret: Plan) -> None:
    problem = DATA.problem("resample")
    assert regret.regret is not None
    result = spnb.simulate(problem, list(regret.curves), rounds=60, runs=100, seed=7)
    for spec in regret.curves:
        assert regret.cost(spec) == pytest.approx(result.summary()[spec]["regret"].mean)
    spec, point = "Challenge", regret.curves["Challenge"][2]
    found = spnb.identify(
        problem, spec, budget=point.budget, limit="rounds", runs=100, seed=7
    ).summary()[spec]
    assert point.right.mean == 1 - found["error"].mean


def test_pulls_and_rounds_are_paid_on_top_of_regret(regret: Plan) -> None:
    priced = dataclasses.replace(regret, costs=Costs(pull=2.0, round=3.0))
    assert regret.regret is not None
    for spec, runs in regret.regret.agents.items():
        expected = runs.regret.mean() + 2 * runs.pulls.mean() + 3 * 60
        assert priced.cost(spec) == pytest.approx(expected)


def test_the_choice_is_the_cheapest_and_todays_ways_take_part(best: Plan, regret: Plan) -> None:
    for found in (best, regret):
        assert set(TODAY) <= set(found.curves)
        costs = {spec: found.cost(spec) for spec in found.curves}
        known = [cost for cost in costs.values() if cost is not None]
        assert costs[found.choice] == min(known)
    assert regret.choice not in TODAY


def test_agents_learn_with_larger_budgets(best: Plan) -> None:
    for points in best.curves.values():
        assert points[-1].right.mean > points[0].right.mean
        assert points[-1].right.mean >= 0.95


@pytest.mark.soak  # two processes compile every agent anew
def test_two_workers_give_the_numbers_of_one() -> None:
    one, two = (
        plan(DATA, "regret", agents=["Seq(TS)"], runs=1100, seed=3, rounds=20, workers=workers)
        for workers in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


def test_the_record_drawn_anew_is_looked_at(best: Plan) -> None:
    assert best.sure is not None
    need = best.need(best.choice, 0.95)
    assert need is not None
    worlds = spnb.identify(
        DATA.problem("worlds"), best.choice, budget=need.budget, runs=200, seed=7
    ).summary()[best.choice]
    assert best.sure.mean == 1 - worlds["error"].mean


def point(budget: int, right: float, half: float = 0.02) -> Point:
    return Point(budget, Estimate(right, right - half, right + half), budget / 2, float(budget))


def made(
    curves: dict[str, list[Point]], costs: Costs | None = None, data: ProblemData = DATA,
    replay: str = "resample", **more: Any,
) -> Plan:  # fmt: skip
    points = {spec: tuple(found) for spec, found in curves.items()}
    return Plan(data, "best", replay, 0.95, costs or Costs(1, 1), 10, 1, 400, points, None, **more)


def test_needs_lie_between_the_budgets_around_the_target() -> None:
    found = made({"TS": [point(100, 0.5), point(200, 0.9), point(400, 1.0)]})
    need = found.need("TS", 0.95)
    assert need is not None
    assert (need.budget, need.rounds, need.pulls) == pytest.approx((400, 150, 300))
    soon, late = found.need("TS", 0.95, "high"), found.need("TS", 0.95, "low")
    assert soon is not None
    assert late is not None
    assert soon.pulls < need.pulls < late.pulls
    first = found.need("TS", 0.5)
    assert first is not None
    assert first.pulls == 100
    assert found.need("TS", 1.5) is None


def test_a_lucky_early_point_does_not_count() -> None:
    found = made({"TS": [point(100, 0.96), point(200, 0.8), point(400, 1.0)]})
    need = found.need("TS", 0.95)
    assert need is not None
    assert need.pulls == pytest.approx(350)


def test_prices_decide() -> None:
    curves = {
        "Uniform+": [Point(90, Estimate(0.97, 0.9, 1.0), 10.0, 90.0)],
        "TS": [Point(50, Estimate(0.97, 0.9, 1.0), 50.0, 50.0)],
    }
    assert made(curves, Costs(pull=1, round=0)).cheapest() == "TS"
    assert made(curves, Costs(pull=0, round=1)).cheapest() == "Uniform+"


def test_agents_that_the_runs_cannot_tell_apart_are_named() -> None:
    close = [point(100, 0.5), point(200, 0.96)]
    far = [point(100, 0.1), point(200, 0.2), point(400, 1.0)]
    found = made(
        {"TS": close, "Seq(TS)": [point(100, 0.49), point(200, 0.97)]} | dict.fromkeys(TODAY, far)
    )
    found = dataclasses.replace(found, choice=found.cheapest())
    assert set(found.level()) == {"TS", "Seq(TS)"} - {found.choice}
    assert "cannot tell its cost from that of" in " ".join(plan_lines(found))


def test_nobody_is_level_with_who_did_not_get_there() -> None:
    far = [point(100, 0.1), point(200, 0.93), point(400, 0.94)]
    found = made({"TS": far, "Seq(TS)": far} | dict.fromkeys(TODAY, far))
    found = dataclasses.replace(found, choice="TS")
    assert found.cost("TS") is None
    assert found.level() == ()
    said = " ".join(plan_lines(found))
    assert "cannot tell" not in said
    assert "TS comes nearest, 94.0% (92.0% to 96.0%) after 200 rounds and 400 pulls" in said
    assert "which cost 600 at 1 a pull and 1 a round" in said


def test_a_choice_whose_cost_is_not_sure_is_not_level_with_everybody() -> None:
    """Its lower edge never gets there: nobody who is far dearer is level for that."""
    near = [point(100, 0.5), point(200, 0.96, half=0.05)]
    dear = [point(100, 0.1), point(400, 0.2), point(4000, 1.0)]
    found = made({"TS": near, "Seq(TS)": near} | dict.fromkeys(TODAY, dear))
    found = dataclasses.replace(found, choice="TS")
    assert found.level() == ("Seq(TS)",)


def test_a_plan_says_when_learning_gains_next_to_nothing() -> None:
    def saying(today: float) -> str:
        curves = {
            "TS": [Point(50, Estimate(0.97, 0.96, 0.98), 100.0, 0.0)],
            "Uniform+": [Point(50, Estimate(0.97, 0.96, 0.98), today, 0.0)],
            "Uniform": [Point(50, Estimate(0.97, 0.96, 0.98), 500.0, 0.0)],
        }
        found = made(curves)
        return " ".join(plan_lines(dataclasses.replace(found, choice=found.cheapest())))

    nothing = "Learning gains next to nothing over today's way, every arm in every round"
    assert f"{nothing}: 100 against 104." in saying(104.0)
    assert nothing not in saying(106.0)
    assert "No learner is cheaper here than today's way." in saying(99.0)


@pytest.mark.parametrize(
    ("means", "tolerance", "said"),
    [
        ((0.5, 0.5, 0.1), 0.0, "a, b share the largest mean, 0.5: to name any of them is right."),
        ((0.5, 0.46, 0.1), 0.0, "b nearly ties with a, at most 0.04 less a pull: right means the "
         "very best here; --tolerance 0.04 counts it as best, too."),
        ((0.5, 0.46, 0.1), 0.04, "a, b count as best by the tolerance of 0.04 (means "
         "0.46 to 0.5): to name any"),
    ],
)  # fmt: skip
def test_a_plan_says_what_best_means_where_arms_tie(
    means: Any, tolerance: float, said: str
) -> None:
    data = ProblemData("p", ("a", "b", "c"), means=means)
    found = plan(data, "regret", agents=["TS"], rounds=5, runs=5, seed=1, tolerance=tolerance)
    assert said in " ".join(plan_lines(found))
    alone = ProblemData("p", ("a", "b", "c"), means=(0.5, 0.3, 0.1))
    other = plan(alone, "regret", agents=["TS"], rounds=5, runs=5, seed=1)
    assert "best, too" not in " ".join(plan_lines(other))
    assert "to name any" not in " ".join(plan_lines(other))


def test_a_tolerance_makes_either_arm_right() -> None:
    data = ProblemData("p", ("a", "b"), means=(0.5, 0.499))
    found = plan(data, "best", agents=["SR+"], runs=20, seed=1, most=20, tolerance=0.01)
    assert all(p.right.mean == 1 for points in found.curves.values() for p in points)
    assert found.to_dict()["tolerance"] == 0.01


def test_a_plan_ends_with_a_command_that_runs(best: Plan, regret: Plan, tmp_path: Path) -> None:
    file = tmp_path / "four slots.json"
    DATA.save(file)
    for found in (best, regret):
        lines = campaign_command(found, file)
        assert max(map(len, [line for line in lines if "problem" not in line])) < 60
        words = shlex.split("\n".join(lines).replace("\\\n", " "))
        assert words[:4] == ["spnb", "campaign", "new", "four-slots"]
        store = ["--store", f"sqlite:///{tmp_path}/{found.goal}.db"]
        done = CliRunner().invoke(app, [*words[1:], *store])
        assert done.exit_code == 0, done.output
        with Store(store[1]) as opened:
            config = Campaign.open(opened, "four-slots").config
        assert config.agent == str(spnb.agent(found.choice))
        assert config.rounds == found.budget()
        assert config.pulls == (found.budget() if found.goal == "best" else None)
        assert [arm.label for arm in config.arms] == list(DATA.arms)
        assert (config.lost_after is not None) == isinstance(spnb.agent(found.choice), spnb.Seq)


def test_warnings_of_the_readers_are_repeated(tmp_path: Path) -> None:
    rows = [f"2024-01-{day:02d}T{hour:02d}:00,{0.01 * day + 0.001 * hour}"
            for day in range(1, 21) for hour in (0, 12) if day < 5 or hour == 0]  # fmt: skip
    file = tmp_path / "r.csv"
    file.write_text("t,v\n" + "\n".join(rows) + "\n")
    data = read_series(file, clock=Clock("t"), value="v", reward=Reward(), slot="12h")
    found = plan(data, "regret", agents=["TS"], rounds=5, runs=5, seed=1)
    said = " ".join(plan_lines(found))
    assert "16 of 20 days dropped: a slot without a reading; --missing absent keeps them." in said
    all_days = read_series(
        file, clock=Clock("t"), value="v", reward=Reward(), slot="12h", missing="absent"
    )
    assert any("give --above, --below or --scale" in note for note in all_days.notes)
    sharp = read_series(
        file, clock=Clock("t"), value="v", reward=Reward(above=0.1), slot="12h", missing="absent"
    )
    assert not any("--above" in note for note in sharp.notes)


def test_regrets_are_told_apart_run_by_run(regret: Plan) -> None:
    assert "Uniform+" not in regret.level()
    twin = dataclasses.replace(regret, choice="Uniform+")
    assert set(twin.level()) == set(regret.curves) - {"Uniform+"}  # everyone is cheaper


def test_nobody_being_right_often_enough_is_said_in_plain_words() -> None:
    curves = {"TS": [point(100, 0.4)], "Uniform+": [point(100, 0.3)], "Uniform": [point(100, 0.2)]}
    found = made(curves)
    found = dataclasses.replace(found, choice=found.cheapest())
    assert found.choice == "TS"
    text = " ".join(plan_lines(found))
    assert "no agent is right in 95 % of the cases within 400 pulls" in text
    assert "apart" in text


def all_at(budget: int, right: float) -> dict[str, list[Point]]:
    return {spec: [point(budget, right)] for spec in ("TS", *TODAY)}


@pytest.mark.parametrize(
    ("tolerance", "said"),
    [
        (0.0, "The best arm and the next are 0.02 apart"),
        (0.03, "The best arm and the next that does not count as best are 0.05 apart"),
    ],
)
def test_the_next_arm_is_one_that_is_not_right(tolerance: float, said: str) -> None:
    data = ProblemData("p", ("a", "b", "c"), means=(0.5, 0.48, 0.45))
    found = made(all_at(3, 0.5), data=data, choice="TS", tolerance=tolerance)
    assert said in " ".join(plan_lines(found))


def test_the_hardness_of_counts_is_in_trials() -> None:
    table = np.tile([0.05, 0.042, 0.04, 0.04], (60, 1))
    data = ProblemData("clicks", tuple("abcd"), table, shows=np.full((60, 4), 1000.0))
    said = {
        replay: " ".join(plan_lines(made(all_at(4, 0.4), data=data, replay=replay, choice="TS")))
        for replay in ("resample", "bernoulli")
    }
    takes = "takes in the order of H1 = 35,625"
    assert f"{takes} trials, which is 36 pulls of 1,000 (the median)." in said["resample"]
    assert f"{takes} pulls." in said["bernoulli"]  # a trial a pull
    assert "H1 = 35,625 trials over the other arms" in " ".join(facts_lines(facts(data, 1)))


def test_one_of_a_thing_is_not_many() -> None:
    alone = ProblemData("p", DATA.arms, TABLE[:1])
    found = made(all_at(1, 1.0), data=alone, choice="TS")
    text = " ".join([*plan_lines(found), repr(found), *facts_lines(facts(alone, 1))])
    assert "of the cases after 0 rounds and 1 pull." in text
    assert "right after 0 rounds and 1 pull>" in text
    assert "K = 4 arms over 1 round." in text
    assert repr(alone).startswith("<ProblemData 'p': 4 arms, 1 round, best")
    assert str(alone.replay_note("repeat", 3)).startswith("the record of 1 round is")
    result = spnb.identify([0.2, 0.5], "TS", budget=1, runs=1, seed=1)
    assert identification_table(result).title == "1 run, budget 1 pull, seed 1"
    compared = spnb.simulate([0.2, 0.5], "TS", rounds=1, runs=1, seed=1)
    assert regret_table(compared).title == "1 run of 1 round, seed 1"
    twice = " ".join(plan_lines(made(all_at(2, 1.0), choice="TS")))
    assert "of the cases after 1 round and 2 pulls." in twice


def test_what_is_not_certain_is_not_called_so() -> None:
    chances = [0.5, 0.9949, 0.9951, 0.99999, 1.0]
    assert [chance_text(each) for each in chances] == [
        "0.50", "0.99", "over 0.99", "over 0.99", "1.00",
    ]  # fmt: skip
    assert chance_text(0.996, ".0%") == "over 99%"
    assert chance_text(0.9996, ".1%") == "over 99.9%"
    sure = dataclasses.replace(facts(DATA, 1), chances=np.array([0.0, 0.9996, 0.0004, 0.0]))
    assert "the data are over 99% sure of it" in " ".join(facts_lines(sure))
    assert "over 99.9%" in facts_table(sure).rows[1]


def test_the_answer_in_words_names_agent_rounds_pulls_and_cost(best: Plan, regret: Plan) -> None:
    text = " ".join(plan_lines(best))
    assert f"use {best.choice}" in text
    assert "in 90 % of the cases after" in text
    assert "rounds and" in text
    assert "Today's way" in text
    assert "regret is" in " ".join(plan_lines(regret))
    for found in (best, regret):
        assert len(plan_table(found).rows) == len(found.curves)


def test_figures_are_drawn(best: Plan, regret: Plan, tmp_path: Path) -> None:
    for name, found in (("best", best), ("regret", regret)):
        save(plan_figure(found), tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 10_000


def test_a_plan_is_plain_json(best: Plan, regret: Plan) -> None:
    for found in (best, regret):
        data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
        assert data["choice"] == found.choice
        assert set(data["agents"]) == set(found.curves)


def test_means_without_trials_have_no_worlds() -> None:
    bare = ProblemData("m", ("a", "b"), means=(0.1, 0.9))
    found = plan(bare, runs=50, seed=1, most=100)
    assert found.replay == "bernoulli"
    assert found.sure is None
    counted = ProblemData("m", ("a", "b"), means=(0.1, 0.9), trials=(50, 50))
    assert plan(counted, runs=50, seed=1, most=100).sure is not None


def test_progress_goes_up_to_the_end() -> None:
    heard: list[float] = []
    totals: set[float] = set()

    def listen(done: float, total: float) -> None:
        heard.append(done)
        totals.add(total)

    plan(DATA, "regret", agents=["TS"], runs=20, seed=1, rounds=30, progress=listen)
    assert heard == sorted(heard)
    assert {heard[-1]} == totals
