"""A campaign takes exactly the decisions of a simulation with one run and the same seed."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import spnb
from spnb.bandits.registry import agent_samples
from spnb.engine.arrays import FloatArray, IntArray
from spnb.live.campaign import Campaign
from spnb.live.store import Store
from spnb.problems import Bernoulli, BetaRewards, Problem
from spnb.problems.base import World

MEANS = (0.2, 0.7, 0.4, 0.6)
ROUNDS = 20
Pull = tuple[int, int, float]


@dataclass
class Watched(Problem):
    """A problem that notes every reward it pays."""

    inner: Problem
    pulls: list[Pull] = field(default_factory=list)

    @property
    def arms(self) -> int:
        return self.inner.arms

    def world(self, seed: int, runs: IntArray) -> World:
        inner = self.inner.world(seed, runs)
        return WatchedWorld(inner.means, inner, self.pulls)


@dataclass(frozen=True)
class WatchedWorld(World):
    inner: World
    pulls: list[Pull]

    def reward(self, rows: IntArray, round_: IntArray, arm: IntArray) -> FloatArray:
        reward = self.inner.reward(rows, round_, arm)
        self.pulls.extend(zip(round_.tolist(), arm.tolist(), reward.tolist(), strict=True))
        return reward


def simulated(problem: Problem, spec: str, seed: int) -> list[Pull]:
    watched = Watched(problem)
    spnb.simulate(watched, spec, rounds=ROUNDS, runs=1, seed=seed)
    return watched.pulls


def lived(problem: Any, spec: str, seed: int) -> list[Pull]:
    """The same as a campaign; two processes take turns, so each reads what the other wrote."""
    labels = [f"arm {arm}" for arm in range(problem.arms)]
    store = Store("sqlite://")
    made = Campaign.create(
        store, "c", arms=labels, agent=spec, rounds=ROUNDS, seed=seed, hardness=float(problem.h1)
    )
    hands = [made, Campaign.open(store, "c")]
    world, here = problem.world(seed, np.arange(1)), np.zeros(1, dtype=np.intp)
    pulls: list[Pull] = []
    for round_ in range(ROUNDS):
        for arm, label in enumerate(labels):
            decision = hands[(round_ + arm) % 2].ask(label, at=round_ + 1)
            assert hands[(round_ + arm) % 2].ask(label, at=round_ + 1) == decision
            if decision.pull:
                reward = float(world.reward(here, here + round_, here + arm)[0])
                hands[(round_ + arm + 1) % 2].tell(decision, reward=reward)
                pulls.append((round_, arm, reward))
    assert made.verify().ok
    store.close()
    return pulls


@pytest.mark.parametrize("spec", agent_samples())
def test_a_campaign_repeats_the_simulation(spec: str) -> None:
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    for problem in (Bernoulli(MEANS), BetaRewards(MEANS)):
        assert lived(problem, spec, seed) == simulated(problem, spec, seed), f"seed {seed}"


def test_ucbe_without_its_hardness_is_refused() -> None:
    with pytest.raises(spnb.SpecError, match="needs H1, which only a simulation knows"):
        Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Seq(UCBE)", rounds=10)
