"""A campaign takes exactly the decisions of a simulation with one run and the same seed."""

from typing import Any

import numpy as np
import pytest

import spnb
from spnb.bandits.registry import agent_samples
from spnb.engine.play import Limits, play_plain
from spnb.live.campaign import Campaign
from spnb.live.store import Store
from spnb.problems import Bernoulli, BetaRewards, CountRewards, Problem, World, Worlds
from spnb.simulation.metrics import Goal
from spnb.simulation.simulate import new_game

MEANS = (0.2, 0.7, 0.4, 0.6)
ROUNDS = 20
Pull = tuple[int, int, float]


class Watched(World):
    """A world that notes every reward it pays."""

    inner: World
    pulls: list[Pull]

    def reward(self, w: Any, round_: int, arm: int) -> float:
        reward = self.inner.reward(w, round_, arm)
        self.pulls.append((round_, arm, reward))
        return reward

    def trials(self, w: Any, round_: int, arm: int) -> float:
        return self.inner.trials(w, round_, arm)


def simulated(problem: Problem, spec: str, seed: int) -> list[Pull]:
    runs, pulls = np.arange(1), list[Pull]()
    worlds = problem.worlds(seed, runs)
    watched = Worlds(Watched(worlds.law, pulls), worlds.faced)
    worth, nowhere = Goal.of(worlds.means).worth, np.array([], dtype=np.intp)
    play_plain(new_game(spnb.agent(spec), watched, seed, runs, Limits(ROUNDS), worth, nowhere))
    return pulls


def lived(problem: Any, spec: str, seed: int) -> list[Pull]:
    """The same as a campaign; two processes take turns, so each reads what the other wrote."""
    labels = [f"arm {arm}" for arm in range(problem.arms)]
    store = Store("sqlite://")
    made = Campaign.create(
        store, "c", arms=labels, agent=spec, rounds=ROUNDS, seed=seed, hardness=float(problem.h1)
    )
    hands = [made, Campaign.open(store, "c")]
    worlds = problem.worlds(seed, np.arange(1))
    w = worlds.of_run(0)
    pulls: list[Pull] = []
    for round_ in range(ROUNDS):
        for arm, label in enumerate(labels):
            decision = hands[(round_ + arm) % 2].ask(label, at=round_ + 1)
            assert hands[(round_ + arm) % 2].ask(label, at=round_ + 1) == decision
            if decision.pull:
                reward, trials = (
                    law(w, round_, arm) for law in (worlds.law.reward, worlds.law.trials)
                )
                told = {"reward": reward} if trials == 1 else {"wins": reward, "trials": trials}
                hands[(round_ + arm + 1) % 2].tell(decision, **told)
                pulls.append((round_, arm, reward))
    assert made.verify().ok
    store.close()
    return pulls


@pytest.mark.parametrize("spec", agent_samples())
def test_a_campaign_repeats_the_simulation(spec: str) -> None:
    seed = int(np.random.SeedSequence().generate_state(1)[0])
    counts = CountRewards(MEANS, trials=(1, 7, 20, 3))
    for problem in (Bernoulli(MEANS), BetaRewards(MEANS), counts):
        assert lived(problem, spec, seed) == simulated(problem, spec, seed), f"seed {seed}"


def test_ucbe_without_its_hardness_is_refused() -> None:
    with pytest.raises(spnb.SpecError, match="needs H1, which only a simulation knows"):
        Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Seq(UCBE)", rounds=10)
