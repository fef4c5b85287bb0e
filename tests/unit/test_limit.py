"""The limit: integrals against closed forms, stopping against a naive version, order of things."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import spnb
from spnb import theory
from spnb.base.errors import SpecError
from spnb.problems.families import families

FINE = (np.arange(4000) + 0.5) / 4000


def naive_stopping_cost(level: float, rounds: int) -> float:
    """One arm of uniform mean against a known competitor, history by history."""

    @cache
    def cost(wins: int, losses: int) -> float:
        left = rounds - wins - losses
        if left == 0:
            return 0.0
        belief = FINE**wins * (1 - FINE) ** losses
        belief /= belief.sum()
        miss, price = belief @ (FINE * (level < FINE)), belief @ np.maximum(level - FINE, 0)
        mean = (1 + wins) / (2 + wins + losses)
        go_on = price + mean * cost(wins + 1, losses) + (1 - mean) * cost(wins, losses + 1)
        return float(min(left * miss, go_on))

    return cost(0, 0)


@pytest.mark.parametrize("rounds", [1, 4, 9])
def test_the_limit_is_that_of_a_naive_computation(rounds: int) -> None:
    arms, levels = 3, np.arange(0.0025, 1.0, 0.005)
    costs = np.array([naive_stopping_cost(float(level), rounds) for level in levels])
    expected = arms * np.mean((arms - 1) * levels ** (arms - 2) * costs)
    assert theory.bayes_limit(spnb.RandomMeans(arms), rounds) == pytest.approx(expected, rel=2e-3)


def test_many_limits_at_once_are_those_one_by_one() -> None:
    for family in families(3).values():
        rounds = np.array([1, 7, 20])
        alone = [theory.bayes_limit(family, int(each)) for each in rounds]
        assert theory.bayes_limits(family, rounds) == pytest.approx(alone, rel=1e-12)


def test_a_figure_has_the_limit_where_the_family_has_one(tmp_path: Path) -> None:
    family = spnb.RandomMeans(3)
    result = spnb.simulate(family, "Challenge", rounds=150, runs=5, seed=1, limit=True)
    assert result.limit is not None
    assert result.limit.rounds[-1] == 150
    assert result.limit.mean[-1] == pytest.approx(theory.bayes_limit(family, 150))
    assert result.to_dict()["limit"]["rounds"] == result.limit.rounds.tolist()
    result.plot(tmp_path / "with.svg")
    spnb.simulate(family, "Challenge", rounds=150, runs=5, seed=1).plot(tmp_path / "without.svg")
    said = "no agent loses less on average, though told the best mean"
    assert said in (tmp_path / "with.svg").read_text()
    assert said not in (tmp_path / "without.svg").read_text()


def test_a_limit_is_refused_where_none_is_known() -> None:
    asked: list[tuple[Any, dict[str, Any]]] = [
        (spnb.Synthetic(3), {}),
        (spnb.Abrupt(3), {}),
        (spnb.RandomMeans(3), {"best": 2}),
        (spnb.RandomMeans(3), {"cost": 0.5}),
        (spnb.RandomMeans(3), {"tolerance": 0.1}),
    ]
    for problem, more in asked:
        with pytest.raises(SpecError, match="a limit is known only of regret against the one best"):
            spnb.simulate(problem, "Challenge", rounds=9, limit=True, **more)


def test_one_round_of_two_arms_by_hand() -> None:
    """Pull both, or any one of them: 1/3 is lost either way."""
    assert theory.two_armed_optimum(1) == pytest.approx(1 / 3)


@pytest.mark.parametrize("rounds", [3, 12, 25])
def test_the_limit_lies_below_the_optimum_and_that_below_every_agent(
    rounds: int, seed: int
) -> None:
    problem, optimum = spnb.RandomMeans(2), theory.two_armed_optimum(rounds)
    assert theory.bayes_limit(problem, rounds) < optimum
    agents = ["Stakes", "Stakes(c=0.8, horizon)", "Challenge", "Seq(TS)"]
    result = spnb.simulate(problem, agents, rounds=rounds, runs=4000, seed=seed)
    for spec, runs in result.agents.items():
        error = float(runs.regret.std()) / 4000**0.5
        assert runs.regret.mean() > optimum - 5 * error, spec
    stakes = result.agents["Stakes"].regret
    assert stakes.mean() < 1.12 * optimum + 5 * float(stakes.std()) / 4000**0.5


def test_the_limit_grows_with_rounds_and_arms_and_is_below_what_agents_pay(seed: int) -> None:
    for name, family in families(4).items():
        limits = [theory.bayes_limit(family, rounds) for rounds in (10, 40, 160)]
        assert limits == sorted(limits), name
        regret = spnb.simulate(family, "Stakes(c=0.8, horizon)", rounds=160, runs=400, seed=seed)
        values = regret.agents["Stakes(c=0.8, horizon)"].regret
        assert limits[-1] < values.mean() + 5 * float(values.std()) / 20, name
    assert theory.bayes_limit(families(8)["uniform"], 40) > theory.bayes_limit(
        families(4)["uniform"], 40
    )


def test_means_of_a_family_have_its_law(seed: int) -> None:
    for name, family in families(5).items():
        means = family.draw_means(seed, np.arange(4000)).ravel()
        low, high = family.low, family.high
        law = stats.beta(family.a, family.b, loc=low, scale=high - low)
        assert stats.kstest(means, law.cdf).pvalue > 1e-7, name
        assert family.instance(seed, 3).means == tuple(family.draw_means(seed, np.array([3]))[0])


def test_a_family_refuses_nonsense() -> None:
    with pytest.raises(
        SpecError, match="RandomMeans.high must be above low, which is 0.5, got 0.5"
    ):
        spnb.RandomMeans(3, low=0.5, high=0.5)
    with pytest.raises(SpecError, match="RandomMeans.arms must be a whole number >= 2, got 1"):
        spnb.RandomMeans(1)
