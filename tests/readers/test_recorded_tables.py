"""Recorded tables with offers that are absent, and days drawn in blocks."""

import itertools
from typing import Any

import numpy as np
import pytest

import spnb
from spnb.bandits.registry import agent_samples
from spnb.base.errors import DataError, SpecError
from spnb.problems import Recorded

GAPS = np.array([[0.0, 1.0, np.nan], [1.0, np.nan, 0.5], [np.nan, 0.0, 1.0], [0.0, 1.0, 0.0]])


@pytest.mark.parametrize("replay", ["repeat", "resample", "worlds"])
@pytest.mark.parametrize("spec", agent_samples())
def test_no_agent_pulls_an_offer_that_is_absent(spec: str, replay: Any) -> None:
    # Every reward seen is a number: an absent one would be nan and stay in the sums.
    problem = Recorded(GAPS, replay, block=2)
    world = problem.world(1, np.arange(30))
    seen: list[np.ndarray] = []
    reward = type(world).reward

    class Watched(type(world)):  # type: ignore[misc]
        def reward(self, rows: Any, round_: Any, arm: Any) -> Any:
            values = reward(self, rows, round_, arm)
            seen.append(values)
            return values

        def offered(self, rows: Any, round_: Any, arm: Any) -> Any:
            return ~np.isnan(reward(self, rows, round_, arm))

    from spnb.engine.game import Limits
    from spnb.engine.play import play
    from spnb.engine.randomness import generator
    from spnb.engine.setting import Setting
    from spnb.theory import h1

    watched = Watched(**{name: getattr(world, name) for name in world.__dataclass_fields__})
    setting = Setting(3, 40, h1(world.means))
    played = play(
        spnb.agent(spec), watched, world.means, setting, Limits(40),
        np.array([40]), generator(1, spec),
    )  # fmt: skip
    assert played.pulls.sum() > 0
    assert not np.isnan(np.concatenate(seen)).any()


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


def test_resampling_draws_every_day_equally_often(seed: int) -> None:
    table = np.eye(5)
    for block in (1, 3):
        world = Recorded(table, "resample", block).world(seed, np.arange(200))
        rows, rounds = (part.ravel() for part in np.meshgrid(np.arange(200), np.arange(300)))
        for day in range(5):
            share = world.reward(rows, rounds, np.full(len(rows), day)).mean()
            # 60000 draws in blocks of 3: six standard errors
            assert abs(share - 0.2) < 6 * np.sqrt(0.16 * block / 60_000), (seed, block)


def test_blocks_are_days_that_follow_each_other() -> None:
    table = np.arange(7)[:, None] / 10
    world = Recorded(np.hstack([table, table]), "resample", block=4).world(3, np.arange(50))
    for start in range(0, 40, 4):
        days = [
            np.rint(10 * world.reward(np.arange(50), np.full(50, start + i), np.zeros(50, int)))
            for i in range(4)
        ]
        for before, after in itertools.pairwise(days):
            np.testing.assert_array_equal(after, (before + 1) % 7)


def test_every_run_of_many_worlds_has_the_means_of_its_own_record() -> None:
    rng = np.random.default_rng(5)
    table = rng.random((12, 3))
    table[rng.random(table.shape) < 0.2] = np.nan
    world = Recorded(table, "worlds", block=2).world(9, np.arange(6))
    rounds = np.arange(4000)
    for run in range(6):
        rows = np.full(len(rounds), run)
        for arm in range(3):
            values = world.reward(rows, rounds, np.full(len(rounds), arm))
            # long enough that only another record could be so far off
            assert abs(np.nanmean(values) - world.means[run, arm]) < 0.1
    assert len(np.unique(world.means[:, 0])) == 6


@pytest.mark.parametrize("table", [[[0.5, 2.0]], [[-0.1, 0.5]], [[np.nan, 0.5]], [[]], [0.5]])
def test_tables_that_make_no_sense_are_refused(table: Any) -> None:
    with pytest.raises(DataError):
        Recorded(np.array(table))


def test_replays_and_blocks_that_do_not_exist_are_refused() -> None:
    with pytest.raises(SpecError):
        Recorded(GAPS, "rewind")  # type: ignore[arg-type]
    with pytest.raises(SpecError):
        Recorded(GAPS, "resample", 0)
