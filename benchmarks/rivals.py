"""The classical policies of other libraries, each driven by its fastest documented online way.

A rival is asked for an arm and told the reward of that arm, one pull at a time: none of these
libraries plays many runs side by side. (pymab can run whole experiments in compiled code, but it
notes every arm's mean at every step and so comes out slower than its own ask-and-tell interface.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from random import Random
from time import process_time
from typing import Any

Select = Callable[[], int]
Learn = Callable[[int, float], None]
Player = tuple[Select, Learn]
Build = Callable[[Sequence[float]], Player]
"""Makes a player that has learnt one reward of each arm: the rewards given."""

SEED = 1
WARM_UP = 0.02  # seconds


# Imported by name: the rivals carry no types, and any of them may be missing.
def _module(name: str) -> Any:
    return import_module(name)


def _primed(select: Select, learn: Learn, rewards: Sequence[float]) -> Player:
    for arm, reward in enumerate(rewards):
        learn(arm, reward)
    return select, learn


def _river(policy: Any, rewards: Sequence[float]) -> Player:
    arms = range(len(rewards))
    pull = policy.pull
    return _primed(lambda: pull(arms), policy.update, rewards)


def river_ucb1(rewards: Sequence[float]) -> Player:
    # delta = 1 is UCB1.
    return _river(_module("river.bandit").UCB(delta=1, seed=SEED), rewards)


def river_ts(rewards: Sequence[float]) -> Player:
    beta = _module("river.proba").Beta()
    return _river(_module("river.bandit").ThompsonSampling(reward_obj=beta, seed=SEED), rewards)


def river_bucb(rewards: Sequence[float]) -> Player:
    return _river(_module("river.bandit").BayesUCB(seed=SEED), rewards)


def _mabwiser(policy: Any, rewards: Sequence[float]) -> Player:
    arms = list(range(len(rewards)))
    array = _module("numpy").array
    bandit = _module("mabwiser.mab").MAB(arms, policy, seed=SEED)
    bandit.fit(arms, list(rewards))
    partial_fit = bandit.partial_fit

    # Arrays, since the library turns lists into arrays.
    def learn(arm: int, reward: float) -> None:
        partial_fit(array([arm]), array([reward]))

    return bandit.predict, learn


def mabwiser_ucb1(rewards: Sequence[float]) -> Player:
    # alpha = 1 is UCB1.
    return _mabwiser(_module("mabwiser.mab").LearningPolicy.UCB1(alpha=1), rewards)


def mabwiser_ts(rewards: Sequence[float]) -> Player:
    return _mabwiser(_module("mabwiser.mab").LearningPolicy.ThompsonSampling(), rewards)


def _pymab(policy: Any, rewards: Sequence[float]) -> Player:
    rng = _module("numpy").random.default_rng(SEED)
    select_action, update = policy.select_action, policy.update

    def learn(arm: int, reward: float) -> None:
        update(action=arm, reward=reward)

    return _primed(lambda: int(select_action(rng=rng)), learn, rewards)


def pymab_ucb1(rewards: Sequence[float]) -> Player:
    # c = 2 is UCB1.
    return _pymab(_module("pymab.policies").UCBPolicy(n_arms=len(rewards), c=2.0), rewards)


def pymab_ts(rewards: Sequence[float]) -> Player:
    policies = _module("pymab.policies")
    return _pymab(policies.BernoulliThompsonSamplingPolicy(n_arms=len(rewards)), rewards)


def pymab_bucb(rewards: Sequence[float]) -> Player:
    # Its level is fixed (0.95) where Bayes-UCB's rises: less work, if anything.
    policies = _module("pymab.policies")
    return _pymab(policies.BernoulliBayesianUCBPolicy(n_arms=len(rewards)), rewards)


def pymab_klucb(rewards: Sequence[float]) -> Player:
    # It refuses c = 0; the constant does not change the work.
    return _pymab(_module("pymab.policies").KLUCBPolicy(n_arms=len(rewards)), rewards)


RIVALS: dict[str, dict[str, Build]] = {
    "river": {"UCB1": river_ucb1, "TS": river_ts, "bUCB": river_bucb},
    "mabwiser": {"UCB1": mabwiser_ucb1, "TS": mabwiser_ts},
    "pymab": {"UCB1": pymab_ucb1, "TS": pymab_ts, "bUCB": pymab_bucb, "KLUCB": pymab_klucb},
}


def present() -> list[str]:
    """The rivals that are installed."""
    return [name for name in RIVALS if find_spec(name) is not None]


@dataclass
class Duel:
    """One rival playing one Bernoulli problem; it goes on learning from slice to slice."""

    player: Player
    means: Sequence[float]
    luck: Random

    @classmethod
    def start(cls, build: Build, means: Sequence[float], seed: int = SEED) -> "Duel":
        luck = Random(seed)
        rewards = [float(luck.random() < mean) for mean in means]
        duel = cls(build(rewards), means, luck)
        duel.microseconds(WARM_UP)
        return duel

    def microseconds(self, seconds: float) -> float:
        """CPU time per pull over about this many seconds."""
        pulls, batch, start = 0, 1, process_time()
        while True:
            self._play(batch)
            pulls += batch
            spent = process_time() - start
            if spent >= seconds:
                return 1e6 * spent / pulls
            batch = min(2 * batch, 256)  # so that reading the clock costs next to nothing

    def _play(self, pulls: int) -> None:
        (select, learn), means, draw = self.player, self.means, self.luck.random
        for _ in range(pulls):
            arm = select()
            learn(arm, 1.0 if draw() < means[arm] else 0.0)
