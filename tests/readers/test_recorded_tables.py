"""Recorded tables with offers that are absent, and days drawn in blocks."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import spnb
from spnb.bandits.registry import agent_samples
from spnb.base.errors import DataError, SpecError
from spnb.engine.play import Limits, play_plain
from spnb.problems import Recorded, World, Worlds
from spnb.simulation.metrics import Goal
from spnb.simulation.simulate import new_game

GAPS = np.array([[0.0, 1.0, np.nan], [1.0, np.nan, 0.5], [np.nan, 0.0, 1.0], [0.0, 1.0, 0.0]])


class Watched(World):
    """A world that keeps its promises, or fails."""

    inner: Any

    def offers(self, w: Any, round_: int, arm: int) -> bool:
        return self.inner.offers(w, round_, arm)

    def reward(self, w: Any, round_: int, arm: int) -> float:
        reward = self.inner.reward(w, round_, arm)
        assert not np.isnan(reward), "an arm was pulled that was not offered"
        return float(reward)


@pytest.mark.parametrize("replay", ["repeat", "resample", "worlds"])
@pytest.mark.parametrize("spec", agent_samples())
def test_no_agent_pulls_an_offer_that_is_absent(spec: str, replay: Any) -> None:
    runs = np.arange(5)
    worlds = Recorded(GAPS, replay, block=2).worlds(1, runs)
    watched = Worlds(Watched(worlds.law), worlds.faced)
    worth, at = Goal.of(worlds.means).worth, np.array([40])
    played = play_plain(new_game(spnb.agent(spec), watched, 1, runs, Limits(40), worth, at))
    assert played.pulls.sum() > 0


def rewards(problem: Recorded, seed: int, runs: int, rounds: int, arm: int) -> Any:
    """[runs, rounds]: what an arm would pay."""
    worlds = problem.worlds(seed, np.arange(runs))
    return np.array(
        [
            [worlds.law.reward(w, t, arm) for t in range(rounds)]
            for w in map(worlds.of_run, range(runs))
        ]
    )


def test_every_slot_every_day_pulls_what_is_offered_and_nothing_else() -> None:
    result = spnb.simulate(Recorded(GAPS), "Uniform+", rounds=8, runs=2, seed=1)
    assert result.agents["Uniform+"].pulls.tolist() == [18.0, 18.0]  # 9 offers in 4 days, twice


def test_the_mean_of_an_arm_is_that_of_its_days() -> None:
    assert Recorded(GAPS).means == pytest.approx((1 / 3, 2 / 3, 0.5))


def test_a_target_that_is_absent_today_is_pulled_tomorrow() -> None:
    # The one good arm is offered every other day: Seq waits for it and takes it each time.
    table = np.array([[0.0, np.nan], [0.0, 1.0]])
    result = spnb.simulate(Recorded(table), "Seq(Greedy)", rounds=100, runs=5, seed=1)
    assert (result.agents["Seq(Greedy)"].opti == 0.5).all()


@pytest.mark.parametrize("block", [1, 3])
def test_resampling_draws_every_day_equally_often(block: int, seed: int) -> None:
    table = np.array([[day / 10, 0.0] for day in range(5)])
    drawn = rewards(Recorded(table, "resample", block), seed, runs=60, rounds=300, arm=0)
    days = np.rint(10 * drawn).astype(int)
    first = days[:, ::block]  # the days of a block follow from its first one
    assert chisquare(np.bincount(first.ravel(), minlength=5)).pvalue > 1e-8
    assert chisquare(np.bincount(5 * first[:, 0] + first[:, 1], minlength=25)).pvalue > 1e-8
    assert (np.bincount(days.ravel(), minlength=5) > 0).all()


def test_blocks_are_days_that_follow_each_other() -> None:
    table = np.arange(7)[:, None] / 10
    problem = Recorded(np.hstack([table, table]), "resample", block=4)
    days = np.rint(10 * rewards(problem, 3, runs=50, rounds=40, arm=0)).astype(int)
    for start in range(0, 40, 4):
        for place in range(start, start + 3):
            np.testing.assert_array_equal(days[:, place + 1], (days[:, place] + 1) % 7)
    assert (days[:, 4::4] != (days[:, 3:-1:4] + 1) % 7).any(), "a new block begins anywhere"


def test_every_run_of_many_worlds_has_the_means_of_its_own_record() -> None:
    rng = np.random.default_rng(5)
    table = rng.random((12, 3))
    table[rng.random(table.shape) < 0.2] = np.nan
    problem = Recorded(table, "worlds", block=2)
    worlds = problem.worlds(9, np.arange(6))
    for arm in range(3):
        values = np.nanmean(rewards(problem, 9, runs=6, rounds=4000, arm=arm), axis=1)
        # long enough that only another record could be so far off
        assert abs(values - worlds.means[:, arm]).max() < 0.1
    for run in range(6):
        days = worlds.of_run(run).days
        expected = np.nanmean(table[days], axis=0)
        np.testing.assert_allclose(worlds.means[run], np.nan_to_num(expected))
    assert len(np.unique(worlds.means[:, 0])) == 6


@pytest.mark.parametrize("table", [[[0.5, 2.0]], [[-0.1, 0.5]], [[np.nan, 0.5]], [[]], [0.5]])
def test_tables_that_make_no_sense_are_refused(table: Any) -> None:
    with pytest.raises(DataError):
        Recorded(np.array(table))


def test_replays_and_blocks_that_do_not_exist_are_refused() -> None:
    with pytest.raises(SpecError):
        Recorded(GAPS, "rewind")  # type: ignore[arg-type]
    with pytest.raises(SpecError):
        Recorded(GAPS, "resample", 0)
