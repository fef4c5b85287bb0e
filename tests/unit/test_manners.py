"""What people try first works, or fails with a sentence; results describe themselves."""

import json
from typing import Any

import numpy as np
import pytest

import spnb
from spnb.base.errors import SpnbError
from spnb.live.schedule import Schedule
from spnb.plan import plan
from spnb.problems import CountRewards, Estimated, described
from spnb.problems.readers import ProblemData


@pytest.mark.parametrize("means", [[0.2, 0.5], (0.2, 0.5), np.array([0.2, 0.5])])
def test_means_are_a_problem(means: Any) -> None:
    found = spnb.simulate(means, "Seq(TS)", rounds=20, runs=3, seed=1)
    told = spnb.simulate(spnb.Bernoulli((0.2, 0.5)), "Seq(TS)", rounds=20, runs=3, seed=1)
    np.testing.assert_array_equal(found.agents["Seq(TS)"].regret, told.agents["Seq(TS)"].regret)
    right = spnb.identify(means, "SR+", budget=20, runs=3, seed=1)
    assert right.summary()["SR+"]["pulls"].mean <= 20


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("0.2,0.5", "a problem is a Problem or the means of its arms, got '0.2,0.5'"),
        (None, "a problem is a Problem or the means of its arms, got None"),
        ([], "means must be a list of at least 1 number"),
        ([0.2, 1.5], "mean of arm 1 must lie in .0, 1., got 1.5"),
        (["a"], "means must be numbers in .0, 1."),
        ({"a": 1}, "a problem is a Problem"),
        (ProblemData("p", ("a", "b"), means=(0.1, 0.2)), r"say data.problem\(\)"),
    ],
)
def test_what_is_no_problem_is_told(given: Any, said: str) -> None:
    for ask in (
        lambda: spnb.simulate(given, "TS", rounds=2),
        lambda: spnb.identify(given, "TS", budget=2),
    ):
        with pytest.raises(SpnbError, match=said):
            ask()


def test_an_unknown_metric_is_told() -> None:
    result = spnb.simulate([0.2, 0.5], ["TS", "Seq(TS)"], rounds=5, runs=3, seed=1)
    for odd in ("speed", "regret_curve", "summary", None):
        with pytest.raises(
            SpnbError, match="no metric .* it has regret, pulls_per_round, opt, opti"
        ):
            result.paired(odd, "TS", "Seq(TS)")  # type: ignore[arg-type]


def test_a_spec_is_a_policy_where_one_is_wanted() -> None:
    assert spnb.Seq("TS") == spnb.agent("Seq(TS)")  # type: ignore[arg-type]
    assert spnb.Pack("UCBE(c=4)", rounds=3) == spnb.agent("Pack(UCBE(c=4), rounds=3)")  # type: ignore[arg-type]
    assert spnb.Learner(spnb.Seq("TS"), arms=2, seed=1).next_wanted() is not None  # type: ignore[arg-type]
    for odd, said in (
        ("Nobody", "Nobody"), ("Seq(TS)", "is not a policy"), (3, "Seq.policy must be a policy"),
        ("TS(", "cannot read the spec"),
    ):  # fmt: skip
        with pytest.raises(SpnbError, match=said):
            spnb.Seq(odd)  # type: ignore[arg-type]
    with pytest.raises(SpnbError, match="Challenge.policy must be a"):
        spnb.Challenge("SR")  # type: ignore[arg-type]


def test_lists_are_taken_where_tuples_are() -> None:
    for trials in ([5, 6], np.array([5, 6])):
        assert CountRewards([0.1, 0.2], trials).trials == (5, 6)  # type: ignore[arg-type]
        assert Estimated([0.1, 0.2], trials).trials == (5, 6)  # type: ignore[arg-type]
    lists: dict[str, Any] = {"arms": ["a", "b"], "rounds": ["1", "2"], "slots": [60, 120]}
    data = ProblemData("p", table=np.eye(2), **lists)
    assert (data.arms, data.rounds, data.slots) == (("a", "b"), ("1", "2"), (60, 120))
    assert Schedule([60, 120], "UTC", days=[0, 1]).slots == (60, 120)  # type: ignore[arg-type]
    found = plan(data, "regret", agents="TS", rounds=5, runs=10, seed=1)
    assert "TS" in found.curves


def test_shares_have_intervals_inside_the_unit(seed: int) -> None:
    result = spnb.simulate([0.0, 1.0], "Uniform+", rounds=3, runs=4, seed=seed)
    mixed = spnb.simulate([0.3, 0.9], ["TS", "Seq(TS)"], rounds=3, runs=4, seed=seed)
    for found in (result, mixed):
        for metrics in found.summary().values():
            for name in ("opt", "opti"):
                assert 0 <= metrics[name].low <= metrics[name].mean <= metrics[name].high <= 1


def test_json_describes_itself() -> None:
    compared = spnb.simulate(
        [0.2, 0.5], ["TS", "Seq(TS)"], rounds=30, runs=4, seed=1, tolerance=0.01
    )
    told = json.loads(compared.to_json())
    assert told["spnb"] == spnb.__version__
    assert told["kind"] == "comparison"
    assert told["problem"] == {"kind": "Bernoulli", "arms": 2, "means": [0.2, 0.5]}
    assert told["settings"] == {"best": 1, "tolerance": 0.01}
    curve = told["curves"]["Seq(TS)"]["regret"]
    assert curve["rounds"] == list(range(1, 31))
    assert curve["mean"][-1] == pytest.approx(told["agents"]["Seq(TS)"]["regret"]["mean"])
    assert len(told["lower_bound"]["mean"]) == 30
    one = spnb.simulate([0.2, 0.5], "TS", rounds=3, runs=1, seed=1)
    assert json.loads(one.to_json())["curves"]["TS"]["pulls"]["low"] == [None] * 3
    found = json.loads(spnb.identify([0.2, 0.5], "SR+", budget=9, runs=4, seed=1).to_json())
    assert (found["kind"], found["settings"]) == ("identification", {"tolerance": 0.0})


def test_every_kind_of_problem_can_be_told() -> None:
    table = np.eye(3)
    for problem in (spnb.Synthetic(4), spnb.Recorded(table), spnb.experiment(1),
                    spnb.GaussianRewards((0.2, 0.4)), CountRewards((0.1, 0.2), 7)):  # fmt: skip
        told = json.loads(json.dumps(described(problem), allow_nan=False))
        assert told["arms"] == problem.arms
    assert described(spnb.Recorded(table))["table"] == {"shape": [3, 3]}
