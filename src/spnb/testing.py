"""The contracts that every policy and agent keeps, for spnb's own classes and for yours.

    import spnb.testing

    def test_my_policy_keeps_the_contract():
        spnb.testing.check_policy(MyPolicy(width=2.0))

Each check raises an ``AssertionError`` that says which law was broken. They hold for any seed.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any

import numpy as np

from spnb.bandits.agents import Agent, Seq
from spnb.bandits.policies import Policy
from spnb.bandits.spec import agent as parse_agent
from spnb.bandits.spec import policy as parse_policy
from spnb.base.errors import SpecError
from spnb.engine.arrays import FloatArray
from spnb.engine.dice import generator
from spnb.engine.game import Limits
from spnb.engine.play import play
from spnb.engine.setting import Setting
from spnb.live.learner import Learner
from spnb.problems import Bernoulli, Problem
from spnb.simulation import metrics
from spnb.theory import h1

ROUNDS = 40
MEANS = (0.3, 0.7, 0.5, 0.1)
EDGES: dict[str, tuple[float, ...]] = {
    "one arm": (0.4,),
    "two arms": (0.2, 0.6),
    "equal means": (0.5, 0.5, 0.5),
    "means 0 and 1": (0.0, 1.0, 0.0),
}


def check_policy(policy: Policy | str, seed: int = 0) -> None:
    """A policy round-trips through its spec, chooses valid arms, and keeps its order under Seq."""
    built = parse_policy(policy)
    _check_spec(built, parse_policy)
    check_parameters(built)
    for means in (MEANS, *EDGES.values()):
        check_seq_follows(built, means, seed)
    check_agent(Seq(built), seed)


def check_agent(agent: Agent | str, seed: int = 0) -> None:
    """All laws of an agent: spec, state, live play, pulls, regret, late rewards, edge cases."""
    built = parse_agent(agent)
    _check_spec(built, parse_agent)
    check_parameters(built)
    check_live_repeats_simulation(built, seed)
    check_rows_are_independent(built, seed)
    check_pulls_and_regret(built, MEANS, seed)
    check_late_rewards(built, seed)
    for means in EDGES.values():
        check_pulls_and_regret(built, means, seed)
        check_pulls_and_regret(built, means, seed, rounds=1)


def _check_spec(built: Any, parse: Callable[[str], Any]) -> None:
    again = parse(str(built))
    assert again == built, f"{built} reads back as {again!r}"
    assert str(again) == str(built), f"{built} prints as {again} after reading back"


def check_parameters(built: Policy | Agent) -> None:
    """Every parameter refuses nonsense with its name, the rule and the value."""
    nonsense: Any = object()
    for field in fields(built):
        where = f"{type(built).__name__}.{field.name}"
        refusal = ""
        try:
            replace(built, **{field.name: nonsense})
        except SpecError as error:
            refusal = str(error)
        assert refusal, f"{where} accepts {nonsense!r}"
        assert where in refusal, f"{where} is not named: {refusal}"
        assert repr(nonsense) in refusal, f"the value of {where} is not told: {refusal}"


def check_seq_follows(policy: Policy, means: tuple[float, ...], seed: int = 0) -> None:
    """Given the same rewards pull by pull, Seq(P) pulls exactly the sequence P pulls."""
    arms, pulls = len(means), 60
    rewards = (generator(seed, "rewards").random((pulls, arms)) < means).astype(float)
    agent = Seq(policy)
    alone = _alone(policy, rewards, generator(seed, str(agent)))
    learner = _learner(agent, means, pulls, seed)
    under_seq: list[int] = []
    position = 0
    while len(under_seq) < pulls:
        arm = learner.next_wanted(position) if position < arms else None
        if arm is None:
            assert position > 0, f"{agent} passes through a whole round"
            learner.next_round()
            position = 0
            continue
        learner.pulled(arm)
        assert learner.next_wanted() is None, f"{agent} goes on before the reward is there"
        learner.observe(arm, float(rewards[len(under_seq), arm]))
        under_seq.append(arm)
        position = arm + 1
    assert under_seq == alone, f"{agent} pulls {under_seq}, {policy} alone {alone}"


def _alone(policy: Policy, rewards: FloatArray, rng: np.random.Generator) -> list[int]:
    pulls, arms = rewards.shape
    only = np.zeros(1, dtype=np.intp)
    state = policy.init(1, Setting(arms, pulls, np.array([10.0])))
    chosen = []
    for number in range(pulls):
        arm = policy.choose(state, only, rng)
        chosen.append(int(arm[0]))
        policy.update(state, only, arm, rewards[number, arm], rng)
    return chosen


def check_live_repeats_simulation(agent: Agent, seed: int = 0) -> None:
    """Live, written to JSON and read back at every event, it decides as the simulation does."""
    problem = Bernoulli(MEANS)
    world = problem.world(seed, np.arange(1))
    simulated = pull_table(agent, problem, ROUNDS, seed)
    learner = _learner(agent, MEANS, ROUNDS, seed, hardness=problem.h1)
    for round_ in range(ROUNDS):
        if round_:
            learner.next_round()
        for arm in range(problem.arms):
            learner = _reread(learner)
            wanted = learner.ask(arm)
            assert wanted == simulated[round_, arm], f"{agent} differs live: {round_=} {arm=}"
            if wanted:
                learner.pulled(arm)
                learner = _reread(learner)
                reward = world.reward(np.arange(1), np.array([round_]), np.array([arm]))
                learner.observe(arm, float(reward[0]))


def check_rows_are_independent(agent: Agent, seed: int = 0, batch: int = 7) -> None:
    """A run alone equals its row in a batch, unless the agent draws random numbers."""
    problem, limits = Bernoulli(MEANS), Limits(ROUNDS)
    rng = generator(seed, str(agent))
    before = rng.bit_generator.state
    together = _play(agent, problem, np.arange(batch), limits, seed, rng)
    if rng.bit_generator.state != before:
        return
    for run in range(batch):
        alone = _play(agent, problem, np.array([run]), limits, seed, rng)
        assert (alone.pulls[0] == together.pulls[run]).all(), f"{agent}: run {run} differs alone"
        assert (alone.gain[0] == together.gain[run]).all(), f"{agent}: run {run} differs alone"


def check_pulls_and_regret(
    agent: Agent, means: tuple[float, ...], seed: int = 0, rounds: int = ROUNDS
) -> None:
    """Never two pulls of an arm in a round; regret is its definition, and never falls."""
    problem = Bernoulli(means)
    table = pull_table(agent, problem, rounds, seed)
    played = _play(agent, problem, np.arange(1), Limits(rounds), seed, generator(seed, str(agent)))
    assert (played.pulls[0] == table.sum(axis=0)).all(), f"{agent}: engine and live pulls differ"
    assert played.pulls.max() <= rounds, f"{agent} pulls an arm twice in a round"
    mu = np.array([means])
    curve = metrics.regret_after(
        metrics.full_worth(mu)[:, None], np.arange(1.0, rounds + 1), played.gain
    )[0]
    best, gaps = int(np.argmax(means)), max(means) - np.array(means)
    by_definition = np.cumsum(table @ gaps + max(means) * ~table[:, best])
    assert np.allclose(curve, by_definition), f"{agent}: regret is not its definition"
    assert curve[0] >= 0, f"{agent}: negative regret"
    assert (np.diff(curve) >= -1e-9).all(), f"{agent}: regret falls"


def check_late_rewards(agent: Agent, seed: int = 0, delay: int = 3) -> None:
    """Rewards that come rounds later, last first, are learnt; nothing stalls for ever."""
    arms = len(MEANS)
    learner = _learner(agent, MEANS, ROUNDS, seed)
    luck = (generator(seed, "late").random((ROUNDS, arms)) < MEANS).astype(float)
    due: dict[int, list[tuple[int, int]]] = {}
    made = 0
    for round_ in range(ROUNDS):
        if round_:
            learner.next_round()
        for pulled_in, arm in reversed(due.pop(round_, [])):
            learner.observe(arm, float(luck[pulled_in, arm]))
        for arm in range(arms):
            if learner.ask(arm):
                learner.pulled(arm)
                made += 1
                due.setdefault(round_ + delay, []).append((round_, arm))
        learner = _reread(learner)
    assert made >= ROUNDS // (delay + 1) or learner.stopped, f"{agent} stalls: {made} pulls"
    assert 0 <= learner.recommend() < arms


def pull_table(agent: Agent, problem: Problem, rounds: int, seed: int) -> Any:
    """[rounds, K]: which arm a live run pulls in which round, asked offer by offer."""
    world = problem.world(seed, np.arange(1))
    means = tuple(world.means[0])
    learner = _learner(agent, means, rounds, seed, hardness=float(h1(means)))
    table = np.zeros((rounds, problem.arms), dtype=bool)
    for round_, arm in _offers(learner, rounds, problem.arms):
        if learner.ask(arm):
            table[round_, arm] = True
            learner.pulled(arm)
            reward = world.reward(np.arange(1), np.array([round_]), np.array([arm]))
            learner.observe(arm, float(reward[0]))
    return table


def _offers(learner: Learner, rounds: int, arms: int) -> Iterator[tuple[int, int]]:
    for round_ in range(rounds):
        if round_:
            learner.next_round()
        for arm in range(arms):
            yield round_, arm


def _play(
    agent: Agent,
    problem: Problem,
    runs: Any,
    limits: Limits,
    seed: int,
    rng: np.random.Generator,
) -> Any:
    world = problem.world(seed, runs)
    setting = Setting(problem.arms, limits.rounds, h1(world.means))
    every_round = np.arange(1, limits.rounds + 1)
    worth = metrics.pull_worth(world.means)
    return play(agent, world, worth, setting, limits, every_round, rng)


def _learner(
    agent: Agent,
    means: tuple[float, ...],
    horizon: int,
    seed: int,
    hardness: float = 10.0,
) -> Learner:
    return Learner(agent, len(means), horizon=horizon, seed=seed, hardness=hardness)


def _reread(learner: Learner) -> Learner:
    return Learner.from_dict(json.loads(json.dumps(learner.to_dict(), allow_nan=False)))
