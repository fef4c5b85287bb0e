"""A campaign of a fleet decides as a learner of its own, whatever comes late, or never."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
import pytest

import spnb
from spnb import testing
from spnb.bandits import registry
from spnb.engine import fleet as engine
from spnb.engine import rows
from spnb.engine.state import to_dict
from spnb.live.fleet import Fleet
from spnb.live.learner import Learner

ARMS, ROUNDS, HARDNESS = 4, 10, 10.0
IDS = range(5)


def new_fleet(spec: str, seed: int, ids: range = IDS) -> Fleet:
    return Fleet(spec, ARMS, ids, horizon=ROUNDS, seed=seed, hardness=HARDNESS)


@dataclass
class Story:
    """What happens, drawn at random: every way in which a pull may end."""

    luck: Random
    late: list[tuple[int, int]] = field(default_factory=list)  # (campaign, arm)
    gone: list[tuple[int, int]] = field(default_factory=list)

    def reward(self) -> tuple[float, int]:
        trials = self.luck.choice((1, 1, 5))
        whole = float(self.luck.randint(0, trials))
        return (self.luck.random() if self.luck.random() < 0.2 else whole), trials

    def after(self, ids: list[int], arm: int) -> Iterator[tuple[str, int, int]]:
        for each in ids:
            how = self.luck.choice(("observe", "observe", "late", "lost"))
            if how == "late":
                self.late.append((each, arm))
            else:
                self.gone += [(each, arm)] * (how == "lost")
                yield how, each, arm

    def between(self) -> Iterator[tuple[str, int, int]]:
        self.luck.shuffle(self.late)
        for _ in range(self.luck.randint(0, len(self.late))):
            how, which = self.luck.choice(("observe", "observe", "lost")), self.late.pop()
            self.gone += [which] * (how == "lost")
            yield (how, *which)
        for _ in range(self.luck.randint(0, len(self.gone))):
            yield ("found", *self.gone.pop())


def tell(
    fleet: Fleet, learners: dict[int, Learner], what: str, each: int, arm: int, paid: Any
) -> None:
    if what == "lost":
        fleet.lost([each], arm=arm)
        learners[each].lost(arm)
    else:
        reward, trials = paid
        getattr(fleet, what)([each], [reward], arm=arm, trials=trials)
        getattr(learners[each], what)(arm, reward, trials)


def live(fleet: Fleet, learners: dict[int, Learner], luck: Random) -> Iterator[None]:
    """Let both live through the same rounds; they must agree at every offer, and after each."""
    story = Story(luck)
    for round_ in range(ROUNDS):
        if round_:
            fleet.next_round()
            for learner in learners.values():
                learner.next_round()
        for arm in range(ARMS):
            for what in story.between():
                tell(fleet, learners, *what, story.reward())
            wanted = [each for each, learner in learners.items() if learner.ask(arm)]
            assert fleet.wants(arm).tolist() == wanted, (round_, arm)
            for each in wanted:
                learners[each].pulled(arm)
            for what in story.after(wanted, arm):
                tell(fleet, learners, *what, story.reward())
        yield


def check(spec: str, seed: int) -> None:
    fleet = new_fleet(spec, seed)
    learners = {each: fleet.learner(each) for each in IDS}
    # The first one by another way: a learner of this seed is run 0.
    learners[0] = Learner(spec, ARMS, horizon=ROUNDS, seed=seed, hardness=HARDNESS)
    for _ in live(fleet, learners, Random(seed)):
        for each, learner in learners.items():
            assert to_dict(fleet.learner(each).state) == to_dict(learner.state), each


@pytest.mark.parametrize("spec", registry.agent_samples())
def test_a_campaign_of_a_fleet_is_a_learner(spec: str, seed: int) -> None:
    check(spec, seed)


@pytest.mark.parametrize("spec", ["Challenge", "Stakes", "Seq(TS)", "Pack(TS)", "SR+"])
def test_it_is_so_where_the_arms_take_several_pages(
    spec: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "PAGE", 3)
    check(spec, seed)


SOAK = [row.samples[0] for row in registry.AGENTS if row.samples]
SOAK += [f"Seq({row.samples[0]})" for row in registry.POLICIES]
COMPILED = "Challenge"  # the others, dice and all, in longer runs


@pytest.mark.parametrize(
    "spec",
    [COMPILED, *(pytest.param(spec, marks=pytest.mark.soak) for spec in SOAK if spec != COMPILED)],
)
def test_it_is_so_in_compiled_code(spec: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "SMALL", 1)
    check(spec, seed)


@pytest.mark.parametrize("spec", ["Challenge(TS)", "Seq(TS)", "UCB1", "Pack(TS)"])
def test_a_fleet_repeats_the_simulation_run_by_run(spec: str, seed: int) -> None:
    problem, ids = spnb.Bernoulli(testing.MEANS), range(3, 9)
    played = testing._play(spnb.agent(spec), problem, ids, seed, ROUNDS)
    worlds = problem.worlds(seed, np.array(ids))
    fleet, pulls = Fleet(spec, ARMS, ids, horizon=ROUNDS, seed=seed), np.zeros((len(ids), ARMS))
    for round_ in range(ROUNDS):
        if round_:
            fleet.next_round()
        for arm in range(ARMS):
            pulled = fleet.wants(arm)
            pulls[pulled - ids.start, arm] += 1
            paid = [worlds.law.reward(worlds.of_run(i), round_, arm) for i in pulled - ids.start]
            fleet.observe(pulled, paid)
    assert (pulls == played.pulls).all()
