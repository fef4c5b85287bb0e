"""Every policy and agent of the registry keeps the contracts that spnb ships."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import spnb
from spnb import testing
from spnb.bandits import registry
from spnb.bandits.agents import Challenge
from spnb.bandits.policies import IndexPolicy
from spnb.problems import Estimated, Problem
from spnb.problems.drawn import DrawnRecords

GAPS = np.array([[0.0, 1.0, np.nan], [1.0, np.nan, 0.5], [np.nan, 0.0, 1.0], [0.25, 1.0, 0.0]])
WORLDS: dict[str, Problem] = {
    "beta": spnb.BetaRewards((0.3, 0.8, 0.5, 0.0)),
    "gaussian": spnb.GaussianRewards((0.3, 0.7, 0.5), sd=0.4),
    "repeat": spnb.Recorded(GAPS),
    "resample": spnb.Recorded(GAPS, "resample", block=2),
    "worlds": spnb.Recorded(GAPS, "worlds", block=3),
    "counts": spnb.CountRewards((0.1, 0.9, 0.5), trials=(1, 7, 20)),
    "drawn": DrawnRecords((0.2, 0.6, 0.4), days=9),
    "estimated": Estimated((0.2, 0.6, 0.4), (10, 20, 5)),
}


@pytest.mark.parametrize("spec", registry.policy_samples())
def test_a_policy_keeps_the_contract(spec: str, seed: int) -> None:
    testing.check_policy(spec, seed)


@pytest.mark.parametrize("spec", registry.agent_samples(under_seq=False))
def test_an_agent_keeps_the_contract(spec: str, seed: int) -> None:
    testing.check_agent(spec, seed)


def rotated() -> Iterator[Any]:
    """Every class with one world, every world with some classes.

    Other parameters are other numbers in the same code: once a class is enough here.
    """
    names = list(WORLDS)
    own = [row.samples[0] for row in registry.AGENTS if row.samples]
    under_seq = [f"Seq({row.samples[0]})" for row in registry.POLICIES if row.samples]
    for number, spec in enumerate([*own, *under_seq]):
        # Agents meet every kind of world; what policies add to that is left for longer runs.
        marks = [pytest.mark.soak] * (number >= len(own) + len(names))
        yield pytest.param(spec, names[number % len(names)], marks=marks)


@pytest.mark.parametrize(("spec", "world"), list(rotated()))
def test_compiled_equals_plain_in_every_kind_of_world(spec: str, world: str, seed: int) -> None:
    testing.check_compiled_equals_plain(spnb.agent(spec), seed, WORLDS[world])


def test_thompson_sampling_of_very_many_arms_is_compiled_as_it_is_plain(seed: int) -> None:
    means = tuple(np.linspace(0.1, 0.9, 70).tolist())
    testing.check_compiled_equals_plain(spnb.agent("Seq(TS)"), seed, spnb.Bernoulli(means))


def test_every_kind_of_world_has_its_turn() -> None:
    assert {each.values[1] for each in rotated() if not each.marks} == set(WORLDS)


@pytest.mark.parametrize("world", WORLDS)
def test_edges_and_pulls_hold_in_every_kind_of_world(world: str, seed: int) -> None:
    for spec in ("Seq(TS)", "Challenge", "Pack", "UCBrev+"):
        played = testing._play(spnb.agent(spec), WORLDS[world], range(4), seed)
        assert np.isfinite(played.gain).all(), spec
        assert played.pulls.max() <= testing.ROUNDS


class Last(IndexPolicy):
    """A policy of a user's own: the index is the number of losses."""

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return pulls - sums


@pytest.fixture
def own_policy(monkeypatch: pytest.MonkeyPatch) -> Last:
    monkeypatch.setattr(registry, "_REGISTERED", {})
    spnb.register(Last)
    return Last()


def test_a_policy_of_ones_own_is_checked_and_simulated_like_the_built_in_ones(
    own_policy: Last, seed: int
) -> None:
    testing.check_policy(own_policy, seed)
    agents: list[Any] = ["Seq(Last)", Challenge(own_policy)]
    result = spnb.simulate(spnb.Bernoulli((0.9, 0.1)), agents, rounds=60, runs=3, seed=1)
    assert result.agents["Seq(Last)"].opti.mean() < 0.5
    assert list(result.agents) == ["Seq(Last)", "Challenge(Last)"]
