"""What the recipes compute, checked against plainer ways of computing it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spnb
from spnb.base.errors import DataError, SpecError
from spnb.paper.experiments import plain
from spnb.paper.experiments.settings import PARTS, Settings, parsed_c, parsed_parts
from spnb.paper.experiments.water import Water, answers, rolling_mean, window, wrong_by_round
from spnb.paper.experiments.yahoo import (
    DAYS,
    Article,
    Yahoo,
    day_file,
    mean_regrets,
    pulls_by_tenth,
    synthetic_day,
)
from spnb.problems import Bernoulli
from spnb.problems.drawn import WATER_MEANS, DrawnRecords
from spnb.problems.readers.matrix import read_matrix
from spnb.problems.readers.synthetic_day import SyntheticDay
from spnb.simulation.intervals import Sample
from spnb.simulation.metrics import curve_interval

RUNS = np.arange(40)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_six_digits(value: float) -> None:
    kept = plain.number(value)
    assert kept is not None
    assert kept == pytest.approx(value, rel=1e-5, abs=1e-300)
    assert plain.number(kept) == kept


def test_no_number_is_none() -> None:
    assert plain.number(float("nan")) is None
    assert plain.number(float("inf")) is None


@given(st.integers(2, 5000))
def test_drawn_rounds_start_at_one_end_at_the_last_and_stay_few(rounds: int) -> None:
    at = plain.drawn_rounds(rounds)
    assert at[0] == 1
    assert at[-1] == rounds
    assert (np.diff(at) > 0).all()
    assert len(at) <= plain.EARLY_ROUNDS + plain.DRAWN_POINTS


def test_a_drawn_curve_is_the_mean_with_its_interval() -> None:
    values = np.random.default_rng(0).random((20, 3))
    found = plain.curve_of(values, np.array([1, 2, 3]))
    ends = curve_interval(20, values.sum(axis=0), (values**2).sum(axis=0))
    assert [found[key][1] for key in ("mean", "low", "high")] == pytest.approx(
        [end[1] for end in ends], rel=1e-5
    )
    points = plain.points_of(values, np.array([1, 2, 3]))
    assert plain.point(points, 1) == plain.mean(values[:, 1])


@given(st.integers(1, 30), st.integers(1, 12))
def test_rolling_mean_is_the_mean_of_the_window(length: int, width: int) -> None:
    values = np.random.default_rng(length).random((3, length))
    smooth = rolling_mean(values, width)
    assert smooth.shape[1] == max(0, length - width + 1)
    for start in range(smooth.shape[1]):
        expected = values[:, start : start + width].mean(axis=1)
        assert smooth[:, start] == pytest.approx(expected)


def test_drawn_records_have_one_best_arm_and_are_their_own_truth(seed: int) -> None:
    problem = DrawnRecords()
    worlds = problem.worlds(seed, RUNS)
    best = worlds.means.max(axis=1)[:, None]
    assert ((worlds.means == best).sum(axis=1) == 1).all()
    w = worlds.of_run(7)
    for arm in (0, 4, 11):
        paid = [worlds.law.reward(w, day, arm) for day in range(problem.days)]
        later = range(3 * problem.days, 4 * problem.days)
        assert [worlds.law.reward(w, day, arm) for day in later] == paid
        assert np.mean(paid) == pytest.approx(worlds.means[7, arm])


def test_a_drawn_record_does_not_depend_on_the_others(seed: int) -> None:
    problem = DrawnRecords()
    alone = problem.worlds(seed, np.array([17])).means[0]
    assert (problem.worlds(seed, RUNS).means[17] == alone).all()


def test_drawn_records_follow_their_rates(seed: int) -> None:
    means = DrawnRecords().worlds(seed, np.arange(2000)).means.mean(axis=0)
    # Tables with a tied best arm are drawn again, which shifts the rates a little.
    assert means == pytest.approx(np.array(WATER_MEANS), abs=0.03)


def test_drawn_records_refuse_arms_that_can_never_differ() -> None:
    with pytest.raises(SpecError, match=r"DrawnRecords\.rates"):
        DrawnRecords((0.0, 0.0))


def test_the_answer_after_the_last_round_is_that_of_a_run_that_ends_there(seed: int) -> None:
    spec = 'Seq(UCBE(c=2, ties="first"))'
    problem = DrawnRecords()
    wrong = wrong_by_round(problem, spnb.agent(spec), 60, 25, seed)
    ended = spnb.identify(problem, spec, budget=60, limit="rounds", runs=25, seed=seed)
    assert wrong.shape == (25, 60)
    assert (wrong[:, -1] == ended.agents[spec].error).all()


def test_answers_counts_wrong_numbers_of_rounds() -> None:
    wrong = np.zeros((2, 120))
    wrong[0, :30] = 1
    found = answers(wrong)
    assert found["wrong_rounds"]["mean"] == 15
    assert window(120) == 20
    assert found["correct"]["rounds"][0] == 20, "no number before the first full window"
    assert found["correct"]["mean"][0] == 0.5
    assert found["rounds_to_90"] == 46, "four wrong ones in twenty, in one run of two"
    assert answers(np.ones((2, 120)))["rounds_to_90"] is None
    assert window(494) == 75, "the paper's"


def test_every_budget_is_played_once() -> None:
    budgets = sorted(b for share in Water().budgets for b in share)
    assert budgets == list(range(1, 495))


def test_articles_played_side_by_side_are_played_as_if_alone(seed: int) -> None:
    rates = (0.3, 0.2, 0.6)
    alone = spnb.simulate(Bernoulli(rates), "Seq(TS)", rounds=60, runs=20, seed=seed)
    curve = alone.agents["Seq(TS)"].regret_curve
    at = plain.drawn_rounds(60)
    together = mean_regrets((rates,), "Seq(TS)", 60, 20, seed)
    assert together[0] == pytest.approx(curve.mean[at - 1])


def test_articles_keep_their_own_regret(seed: int) -> None:
    rates = ((0.0, 1.0), (0.0, 0.0))  # nothing can be lost where nothing pays
    lost = mean_regrets(rates, "TS", 30, 5, seed)
    assert (lost[0] > 0).any()
    assert (lost[1] == 0).all()


def test_the_made_up_day_is_as_specified(seed: int) -> None:
    study = synthetic_day(seed, runs=2)
    arms = [len(article.slots) for article in study.articles]
    assert len(arms) + study.dropped == 50 * DAYS
    assert len({article.id for article in study.articles}) == len(arms)
    assert min(arms) >= 2
    assert max(arms) <= 10
    assert study.synthetic
    assert len(study.shown.slots) == max(arms)
    assert synthetic_day(seed, runs=2) == study


def test_the_article_on_show_is_the_easiest_of_those_seen_in_the_most_slots() -> None:
    articles = (
        Article("few", (0, 1), (0.1, 0.9)),
        Article("hard", (0, 1, 2), (0.3, 0.29, 0.1)),
        Article("easy", (0, 1, 2), (0.1, 0.2, 0.5)),
    )
    assert Yahoo(articles, 0, "day", True).shown.id == "easy"


def test_pulls_by_tenth_add_up_to_all_pulls(seed: int) -> None:
    problem = Bernoulli((0.3, 0.2, 0.6))
    tenths = pulls_by_tenth(problem, "Seq(TS)", 60, 20, seed)
    runs = spnb.simulate(problem, "Seq(TS)", rounds=60, runs=20, seed=seed).agents["Seq(TS)"]
    assert tenths.shape == (20, 10)
    assert 6 * tenths.sum(axis=1) == pytest.approx(runs.pulls)


def test_estimates_keep_what_any_other_interval_needs(seed: int) -> None:
    values = np.random.default_rng(seed).exponential(size=50)
    found = plain.mean(values)
    again = plain.sample(found).interval(0.99)
    assert again == pytest.approx(Sample.of(values).interval(0.99), rel=1e-4)
    bounded = plain.mean(values / values.max(), 0.0, 1.0)
    assert plain.sample(bounded).interval(0.99)[1] <= 1.0
    window_ = {"mean": 2.0, "low": 1.0, "high": 3.0, "runs": 30}
    assert plain.sample(window_).interval() == pytest.approx((1.0, 3.0))


def test_a_window_of_a_curve_is_the_mean_of_its_points() -> None:
    curve = {"rounds": [1, 50, 95, 100], "mean": [9, 5, 2, 1], "low": [8, 4, 1, 0], "high": [9] * 4}
    assert plain.window(curve, 90, 100, 7) == {"mean": 1.5, "low": 0.5, "high": 9, "runs": 7}
    assert plain.window(curve, 60, 70, 7)["mean"] is None


def test_the_reproduction_plays_as_the_authors_did() -> None:
    specs = {part: dict(getattr(Settings().recipe(part), "agents")) for part in PARTS}  # noqa: B009 -- recipes have it by convention
    assert Settings().order == "authors"
    assert specs["rm"]["Seq(TS)"] == "Seq(TS)"
    assert specs["rm"]["Seq(bUCB)"] == 'Seq(bUCB(ties="first"))'
    for label in ("UCBE", "LP", "LR"):
        assert 'ties="first"' in specs["bai"][label]
    assert specs["bai"]["SR+"] == specs["water"]["SR+"] == 'SR+(ties="first")'


def test_a_day_file_gives_the_click_rates_of_each_slot(tmp_path: Path) -> None:
    path = tmp_path / "day"
    lines = []
    for event in range(100):  # slots of ten events; article 1 in all, article 2 in one slot
        shown = 2 if event == 5 else 1
        lines.append(f"{1241160900 + event} {shown} {int(event % 10 < event // 10)} |user 1:1\n")
    path.write_text("".join(lines))
    study = day_file(path, seed=1, runs=2)
    assert study.dropped == 1
    (article,) = study.articles
    assert article.id == "1"
    assert article.slots == tuple(range(10))
    assert article.rates[3] == pytest.approx(0.3)
    assert study.source == "day"
    assert not study.synthetic


def test_a_day_file_of_the_real_format_is_read(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "day.gz"
    day = SyntheticDay(seed, events=3000, articles=8, pool=4)
    day.write(path)
    study = day_file(path, seed, runs=2)
    assert {article.id for article in study.articles} <= set(day.ids)


def test_a_day_without_a_choice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "day"
    path.write_text("1241160900 1 0 |user 1:1\n" * 50)
    with pytest.raises(DataError, match="no article was shown in two slots"):
        day_file(path, 1, 2)


def test_a_table_of_the_user_is_read(tmp_path: Path) -> None:
    path = tmp_path / "water.csv"
    path.write_text("\ufeff08:00,10:00\r\n1,0\r\n\r\n0.5, 1\r\n", encoding="utf-8")
    assert read_matrix(path).tolist() == [[1.0, 0.0], [0.5, 1.0]]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no rows"),
        ("a,b\n", "no rows"),
        ("1\n0\n", "line 1: needs two slots"),
        ("1,0\n1\n", "line 2: needs 2 cells"),
        ("1,0\n1,2\n", r"line 2: every cell must be in \[0, 1\], got '2'"),
        ("1,0\n1,nan\n", "line 2"),
        ("1,0\n1,\n", "line 2"),
    ],
)
def test_a_table_that_makes_no_sense_is_refused_with_its_line(
    tmp_path: Path, text: str, why: str
) -> None:
    path = tmp_path / "water.csv"
    path.write_text(text)
    with pytest.raises(DataError, match=why):
        read_matrix(path)


def test_an_unreadable_table_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_matrix(tmp_path / "none.csv")
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not a text file"):
        read_matrix(binary)


def test_settings_become_recipes(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("1,0\n1,1\n")
    quick = Settings(quick=True, water=table, c=(4.0, 2.0))
    assert [quick.recipe(part).name for part in PARTS] == list(PARTS)
    water = quick.recipe("water")
    assert isinstance(water, Water)
    assert water.c == (2.0, 4.0)
    assert water.table == ((1.0, 0.0), (1.0, 1.0))
    assert isinstance(water.problem, spnb.Recorded)
    full = Settings(runs=7)
    assert {getattr(full.recipe(part), "runs") for part in PARTS} == {7}  # noqa: B009


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"c": ()}, "--c"),
        ({"c": (0.0,)}, "--c"),
        ({"c": (float("nan"),)}, "--c"),
        ({"c": (2.0, 2.0)}, "once"),
        ({"runs": 1}, "--runs"),
        ({"seed": -1}, "seed"),
    ],
)
def test_settings_refuse_nonsense(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(SpecError, match=why):
        Settings(**wrong)


def test_words_of_the_command_line() -> None:
    assert parsed_parts([]) == PARTS
    assert parsed_parts(["all"]) == PARTS
    assert parsed_parts(["water", "rm"]) == ("rm", "water")
    with pytest.raises(SpecError, match="'fig1'"):
        parsed_parts(["fig1"])
    assert parsed_c("1,2.5") == (1.0, 2.5)
    with pytest.raises(SpecError, match="'1,x'"):
        parsed_c("1,x")


def test_a_missing_day_file_is_one_clear_line() -> None:
    with pytest.raises(DataError, match="no such file"):
        Settings(yahoo=Path("missing.gz")).recipe("yahoo")
