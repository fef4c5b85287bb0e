"""Problems that change: means by stage, dynamic regret by its definition."""

import numpy as np
import pytest

import spnb
from spnb.base.errors import DataError, SpecError
from spnb.problems import Problem
from spnb.testing import check_compiled_equals_plain, pull_table

PROBLEMS: dict[str, Problem] = {
    "given": spnb.Changing(((0.2, 0.7, 0.7), (0.9, 0.1, 0.3)), length=3),
    "abrupt": spnb.Abrupt(3, length=4, changes=2),
    "drifting": spnb.Drifting(3, length=2, step=0.4, stages=5),
    "seasonal": spnb.Seasonal(3, length=2, stages=4, swing=0.5),
}


@pytest.mark.parametrize("name", PROBLEMS)
def test_dynamic_regret_is_its_definition(name: str, seed: int) -> None:
    problem, rounds = PROBLEMS[name], 30
    result = spnb.simulate(
        problem, "Challenge(DTS(discount=0.8))", rounds=rounds, runs=1, seed=seed
    )
    table = pull_table(spnb.agent("Challenge(DTS(discount=0.8))"), problem, rounds, seed)
    worlds = problem.worlds(seed, np.arange(1))
    w, law = worlds.of_run(0), worlds.law
    means = np.array([[law.mean(w, r, arm) for arm in range(3)] for r in range(rounds)])
    best = means.max(axis=1)
    missed = ~((means == best[:, None]) & table).any(axis=1)
    regret = ((best[:, None] - means) * table).sum() + (best * missed).sum()
    runs = result.agents["Challenge(DTS(discount=0.8))"]
    assert runs.regret[0] == pytest.approx(regret)
    assert runs.regret_curve.mean[-1] == pytest.approx(regret)
    assert runs.opti[0] == pytest.approx(1 - missed.mean())
    best_pulls = (means == best[:, None]) & table
    assert runs.opt[0] == pytest.approx(best_pulls.sum() / max(table.sum(), 1))
    assert np.isnan(result.lower_bound.mean).all()


@pytest.mark.parametrize("name", PROBLEMS)
def test_compiled_equals_plain_where_means_change(name: str, seed: int) -> None:
    for spec in ("Seq(TS)", "Challenge(SWUCB(window=5))", "Seq(GLRKLUCB(alpha=0.5))"):
        check_compiled_equals_plain(spnb.agent(spec), seed, PROBLEMS[name])


def test_means_stay_in_their_range_and_move_as_they_should(seed: int) -> None:
    runs = np.arange(200)
    drifting = spnb.Drifting(4, step=0.3, stages=50).tables(seed, runs)
    assert drifting.min() >= 0
    assert drifting.max() <= 1
    inside = (drifting[:, :-1] > 0.3) & (drifting[:, :-1] < 0.7)
    assert np.allclose(np.abs(np.diff(drifting, axis=1))[inside], 0.3)
    seasonal = spnb.Seasonal(4, stages=40, swing=0.2).tables(seed, runs)
    assert seasonal.min() >= 0
    assert seasonal.max() <= 1
    assert np.allclose(np.ptp(seasonal, axis=1), 0.4, atol=0.01)
    abrupt = spnb.Abrupt(4, changes=2).tables(seed, runs)
    assert abrupt.shape == (200, 3, 4)
    assert len(np.unique(abrupt)) == abrupt.size


def test_the_rewards_are_those_of_the_stage(seed: int) -> None:
    problem = spnb.Changing(((0.0, 1.0), (1.0, 0.0)), length=5)
    worlds = problem.worlds(seed, np.arange(1))
    w = worlds.of_run(0)
    paid = [[worlds.law.reward(w, r, arm) for arm in (0, 1)] for r in range(15)]
    assert paid == [[0, 1]] * 5 + [[1, 0]] * 5 + [[0, 1]] * 5


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(SpecError, match="no arm is best for good"):
        spnb.identify(PROBLEMS["abrupt"], "SR", budget=20)
    with pytest.raises(SpecError, match="best must be 1"):
        spnb.simulate(PROBLEMS["abrupt"], "Challenge", rounds=5, best=2)
    with pytest.raises(DataError, match="all of the same length"):
        spnb.Changing(((0.1,), (0.1, 0.2)))
    with pytest.raises(SpecError, match="Seasonal.swing must be a number in"):
        spnb.Seasonal(swing=0.7)
