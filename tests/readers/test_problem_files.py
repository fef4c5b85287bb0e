import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import spnb
from spnb.base.errors import DataError, SpnbError
from spnb.plan.certainty import facts
from spnb.problems import Bernoulli, Estimated, Recorded
from spnb.problems.readers.data import ProblemData
from spnb.report.figures import save
from spnb.report.profile import facts_lines, profile_figure

rewards = st.floats(0, 1) | st.just(float("nan")) | st.sampled_from([0.0, 1.0])
TABLE = np.array([[0.0, 1.0, 0.5], [1.0, np.nan, 0.25], [0.0, 1.0, 0.0]])
DATA = ProblemData("three slots", ("a", "b", "c"), TABLE, ("mon", "tue", "wed"), block=2)


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(table=arrays(float, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=rewards))
def test_a_problem_file_gives_back_every_bit(tmp_path: Path, table: Any) -> None:
    arms = tuple(f"arm {k}" for k in range(table.shape[1]))
    if np.isnan(table).all(axis=0).any():
        with pytest.raises(DataError, match="never offered"):
            ProblemData("p", arms, table)
        return
    ProblemData("p", arms, table, block=3, notes=("é",)).save(tmp_path / "p.json")
    back = ProblemData.load(tmp_path / "p.json")
    assert (back.name, back.arms, back.block, back.notes) == ("p", arms, 3, ("é",))
    np.testing.assert_array_equal(back.table, table)
    json.loads((tmp_path / "p.json").read_text(), parse_constant=pytest.fail)


def test_means_with_their_trials_are_a_problem_too(tmp_path: Path) -> None:
    data = ProblemData("clicks", ("x", "y"), means=(0.25, 0.5), trials=(4, 8))
    data.save(tmp_path / "p.json")
    back = ProblemData.load(tmp_path / "p.json")
    assert back.means == (0.25, 0.5)
    assert back.trials == (4, 8)
    assert isinstance(back.problem(), Bernoulli)
    assert isinstance(back.problem("worlds"), Estimated)
    with pytest.raises(DataError, match="needs a recorded table"):
        back.problem("repeat")


def test_a_record_can_be_replayed_in_every_way() -> None:
    assert isinstance(DATA.problem(), Recorded)
    assert isinstance(DATA.problem("bernoulli"), Bernoulli)
    for replay in ("repeat", "resample", "worlds"):
        problem = DATA.problem(replay)
        assert isinstance(problem, Recorded)
        assert (problem.replay, problem.block) == (replay, 2)
    with pytest.raises(SpnbError, match="replay must be one of"):
        DATA.problem("rewind")


def test_replaying_beyond_the_record_is_said() -> None:
    assert DATA.replay_note(None, 3) is None
    assert "repeated 10 times over" in str(DATA.replay_note("repeat", 30))
    assert "blocks of 2" in str(DATA.replay_note("resample", 3))
    assert "its own record" in str(DATA.replay_note("worlds", 3))
    assert DATA.replay_note("bernoulli", 1000) is None
    assert ProblemData("m", ("a",), means=(0.5,)).replay_note(None, 99) is None


GOOD = {"spnb": "problem", "version": 1, "arms": ["a", "b"], "means": [0.1, 0.2]}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"spnb": "state"}, "no problem file"),
        ({"version": 2}, "version must be 1, got 2"),
        ({"colour": "red"}, "unknown field 'colour'"),
        ({"arms": ["a"]}, "2 arms need as many different labels"),
        ({"arms": ["a", "a"]}, "different labels"),
        ({"arms": "ab"}, "arms must be a list of texts"),
        ({"arms": None}, "arms must be a list of texts"),
        ({"means": [0.1, 1.2]}, "must lie in"),
        ({"means": [0.1, "x"]}, "means must be numbers"),
        ({"means": []}, "at least 1 number"),
        ({"table": [[0, 1]]}, "either a table of rewards or means"),
        ({"trials": [1]}, "needs trials"),
        ({"trials": [1, 0]}, "needs trials"),
        ({"trials": [1, 2.5]}, "whole numbers"),
        ({"block": 0}, "whole number"),
        ({"rounds": ["mon"]}, "labels of rounds"),
    ],
)
def test_a_file_that_makes_no_sense_is_one_clear_line(
    tmp_path: Path, change: Any, says: str
) -> None:
    path = tmp_path / "p.json"
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(DataError) as caught:
        ProblemData.load(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "table", [[], [[]], [[0, 1], [0]], [[0, 2]], [[0, "1"]], [[0, True]], [1, 2], "x", [[None, 1]]]
)
def test_a_table_that_makes_no_sense_is_refused(tmp_path: Path, table: Any) -> None:
    data = {"spnb": "problem", "version": 1, "arms": ["a", "b"], "table": table}
    with pytest.raises(DataError):
        ProblemData.from_dict(data)


@pytest.mark.parametrize("text", ["", "{", "[]", "3", "\x00", '{"spnb": "problem"}', "[" * 100_000])
def test_what_is_no_problem_file_is_refused(tmp_path: Path, text: Any) -> None:
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(DataError):
        ProblemData.load(tmp_path / "p.json")
    with pytest.raises(DataError, match="cannot read"):
        ProblemData.load(tmp_path / "none.json")


def test_facts_of_a_record_count_the_days_an_arm_was_offered() -> None:
    found = facts(DATA, seed=1)
    assert [mean.mean for mean in found.means] == pytest.approx([1 / 3, 1.0, 0.25])
    assert found.best == 1
    assert found.chances is not None
    assert found.chances.sum() == pytest.approx(1)
    assert found.chances[1] > 0.6
    assert found.to_dict()["best"] == "b"


def test_the_chances_are_those_of_days_drawn_anew(seed: int) -> None:
    # Two days, two arms: arm 0 wins if day 0 is drawn twice, arm 1 if day 1 is; else they share.
    table = np.array([[1.0, 0.0], [0.0, 1.0]])
    chances = facts(ProblemData("p", ("a", "b"), table), seed).chances
    assert chances is not None
    # 4000 samples of {0, 1/2, 1}: six standard errors of at most 0.006
    assert abs(chances[0] - 0.5) < 0.04, seed


def test_blocks_keep_neighbouring_days_together() -> None:
    # The best arm alternates day by day: blocks of two always hold one day of each.
    table = np.tile([[1.0, 0.0], [0.0, 1.0]], (10, 1))
    single = facts(ProblemData("p", ("a", "b"), table, block=1), 1).chances
    paired = facts(ProblemData("p", ("a", "b"), table, block=2), 1).chances
    wins = ProblemData("p", ("a", "b"), table, block=2).problem("worlds").worlds(1, np.arange(500))
    assert single is not None
    assert paired is not None
    np.testing.assert_allclose(wins.means, 0.5)
    np.testing.assert_allclose(paired, 0.5)


def test_counted_clicks_are_as_sure_as_their_number() -> None:
    few = facts(ProblemData("p", ("a", "b"), means=(0.1, 0.2), trials=(20, 20)), 1)
    many = facts(ProblemData("p", ("a", "b"), means=(0.1, 0.2), trials=(5000, 5000)), 1)
    assert few.chances is not None
    assert many.chances is not None
    assert 0.6 < few.chances[1] < 0.95
    assert many.chances[1] > 0.999
    assert few.means[0].high > many.means[0].high
    bare = facts(ProblemData("p", ("a", "b"), means=(0.1, 0.2)), 1)
    assert bare.chances is None
    assert np.isnan(bare.means[0].low)


def test_one_recorded_day_has_no_chances() -> None:
    assert facts(ProblemData("p", ("a", "b"), np.array([[0.0, 1.0]])), 1).chances is None


def test_estimated_means_have_the_law_their_trials_leave(seed: int) -> None:
    problem = Estimated((0.2, 0.5), (50, 10))
    drawn = problem.draw_means(seed, np.arange(20_000))
    for arm, (hits, misses) in enumerate(((10, 40), (5, 5))):
        a, b = 1 + hits, 1 + misses
        sd = np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))
        assert abs(drawn[:, arm].mean() - a / (a + b)) < 6 * sd / np.sqrt(20_000), seed
        assert abs(drawn[:, arm].std() / sd - 1) < 0.05, seed


def test_a_problem_file_is_a_problem_like_any_other(tmp_path: Path) -> None:
    DATA.save(tmp_path / "p.json")
    problem = ProblemData.load(tmp_path / "p.json").problem("resample")
    result = spnb.simulate(problem, "Seq(TS)", rounds=50, runs=20, seed=1)
    assert result.summary()["Seq(TS)"]["regret"].mean >= 0


def test_a_profile_is_drawn_with_chances_and_without(tmp_path: Path) -> None:
    many = ProblemData("m", tuple(map(str, range(60))), means=tuple(np.linspace(0, 1, 60)))
    for name, data in (("both", DATA), ("means", many)):
        save(profile_figure(facts(data, 1)), tmp_path / f"{name}.png")
        assert (tmp_path / f"{name}.png").stat().st_size > 5000


def test_the_words_name_the_rival_and_a_tie() -> None:
    near = ProblemData("p", ("a", "b", "c"), means=(0.2, 0.1, 0.3), trials=(30, 30, 30))
    text = " ".join(facts_lines(facts(near, seed=1)))
    assert "Best: c, mean 0.300" in text
    assert ", a has" in text
    sure = " ".join(facts_lines(facts(DATA, seed=1)))
    assert "Best: b, mean 1.000; the data are 100% sure of it." in sure
    level = facts(ProblemData("p", ("a", "b"), means=(0.5, 0.5)), 1)
    assert "Best: a (level with 1 more)" in " ".join(facts_lines(level))
    assert "All arms have the same mean here" in " ".join(facts_lines(level))
    two = facts(ProblemData("p", ("a", "b", "c"), means=(0.5, 0.5, 0.1)), 1)
    assert "H1 = 6.25 over the arms below" in " ".join(facts_lines(two))
    assert level.to_dict()["h1"] == 0
