"""The contracts that every policy and agent keeps, for spnb's own classes and for yours.

    import spnb.testing

    def test_my_policy_keeps_the_contract():
        spnb.testing.check_policy(MyPolicy(width=2.0))

Each check raises an ``AssertionError`` that says in words which law was broken. They hold for any
seed.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from typing import Any

import numpy as np

from spnb.bandits.agents import Agent, Challenge, Pack, Seq
from spnb.bandits.policies import IndexPolicy, Policy
from spnb.bandits.registry import find
from spnb.bandits.spec import agent as parse_agent
from spnb.bandits.spec import policy as parse_policy
from spnb.base.errors import SpecError
from spnb.engine import play as engine
from spnb.engine.dice import generator
from spnb.engine.loop import Setting
from spnb.engine.play import Game, Limits, Played
from spnb.engine.state import Layout, State, kinds, load, to_dict
from spnb.live.learner import Learner
from spnb.problems import Bernoulli, BetaRewards, Problem
from spnb.simulation.metrics import Goal
from spnb.simulation.simulate import new_game
from spnb.theory import h1

ROUNDS = 40
MEANS = (0.3, 0.7, 0.5, 0.1)
EDGES: dict[str, Problem] = {
    "one arm": Bernoulli((0.4,)),
    "two arms": Bernoulli((0.2, 0.6)),
    "equal means": Bernoulli((0.5, 0.5, 0.5)),
    "means 0 and 1": Bernoulli((0.0, 1.0, 0.0)),
    "rewards inside (0, 1)": BetaRewards((0.2, 0.6, 0.4)),
}


def check_policy(policy: Policy | str, seed: int = 0) -> None:
    """All laws of a policy, and of Seq over it (if it has an index: of Challenge and Pack too)."""
    built = parse_policy(policy)
    _check_spec(built, parse_policy)
    check_parameters(built)
    with _edge(built, "its first rewards"):
        check_learning(built, seed)
    for problem in (Bernoulli(MEANS), *EDGES.values()):
        check_seq_follows(built, problem, seed)
    check_agent(Seq(built), seed)
    if isinstance(built, IndexPolicy) and getattr(built, "scores", True) is not None:
        for agent in (Challenge(built), Pack(built)):
            with _edge(agent, "arms that were never pulled"):
                check_decisions(agent, seed)


def check_agent(agent: Agent | str, seed: int = 0) -> None:
    """All laws of an agent."""
    built = parse_agent(agent)
    _check_spec(built, parse_agent)
    check_parameters(built)
    check_decisions(built, seed)
    if built.policy.compilable:
        check_compiled_equals_plain(built, seed)


def check_decisions(agent: Agent, seed: int = 0) -> None:
    """State, live play, pulls, regret, late rewards, edge cases."""
    check_wanted_is_pure(agent, seed)
    check_live_repeats_simulation(agent, seed)
    check_rows_are_independent(agent, seed)
    check_pulls_and_regret(agent, Bernoulli(MEANS), seed)
    check_late_rewards(agent, seed)
    for name, problem in EDGES.items():
        with _edge(agent, name):
            check_pulls_and_regret(agent, problem, seed)
            check_pulls_and_regret(agent, problem, seed, rounds=1)


@contextmanager
def _edge(subject: object, name: str) -> Iterator[None]:
    try:
        yield
    except (ArithmeticError, ValueError, IndexError, TypeError) as error:
        raise AssertionError(
            f"{subject} breaks with {name}: {type(error).__name__}: {error}"
        ) from error


def _check_spec(built: Any, parse: Callable[[str], Any]) -> None:
    parts = [built, *(getattr(built, f.name) for f in fields(built))]
    if any(isinstance(p, Policy | Agent) and find(type(p).name()) is not type(p) for p in parts):
        return  # passed around as an object, it needs no name
    again = parse(str(built))
    assert again == built, f"{built} reads back as {again!r}"
    assert str(again) == str(built), f"{built} prints as {again} after reading back"


def check_parameters(built: Policy | Agent) -> None:
    """Every parameter refuses nonsense with its name, the rule and the value."""
    nonsense: Any = object()
    for field in (each for each in fields(built) if each.init):
        where = f"{type(built).__name__}.{field.name}"
        refusal = ""
        try:
            replace(built, **{field.name: nonsense})
        except SpecError as error:
            refusal = str(error)
        assert refusal, f"{where} accepts {nonsense!r}"
        assert where in refusal, f"{where} is not named: {refusal}"
        assert repr(nonsense) in refusal, f"the value of {where} is not told: {refusal}"


def check_learning(policy: Policy, seed: int = 0) -> None:
    """Every reward is counted, a sum of many trials as that many, and all is kept in the state."""
    arms = len(MEANS)
    state = _fresh(policy, arms)
    state.dice.key = seed
    policy.start(state, _setting(arms, 10 * ROUNDS))
    luck = generator(seed, "rewards")
    for number in range(ROUNDS):
        arm = policy.choose(state)
        assert 0 <= arm < arms, f"{policy} chooses arm {arm!r} of {arms}"
        trials = 5.0 if number % 7 == 3 and policy.compilable else 1.0
        reward = float(luck.binomial(int(trials), MEANS[arm]))
        before = state.total
        policy.learn(state, arm, reward, trials)
        counted = state.total - before
        assert counted == trials, (
            f"{policy}.learn counts {counted:g} of {trials:g} rewards: does it forget to call "
            "s.add(arm, reward, trials)?"
        )
        _check_declared(policy, state)
        _check_scores(policy, state)


def _check_scores(policy: Policy, state: Any) -> None:
    if isinstance(policy, IndexPolicy) and policy.compilable and min(state.pulls) > 0:
        common = policy.common(state, state.total + 1.0)
        for arm in range(len(MEANS)):
            score = policy.score(state, arm, common)
            assert score == score, (  # noqa: PLR0124 - nan is not
                f"{policy} has no index (nan) for {state.pulls[arm]:g} rewards of sum "
                f"{state.sums[arm]:g}: no choice can rest on that"
            )


def _check_declared(subject: object, state: State) -> None:
    hidden = set(vars(state)) - set(kinds(type(state))) - {"bandit"}
    assert not hidden, f"{subject} keeps {sorted(hidden)} in its state without declaring it"
    for name, kind in kinds(type(state)).items():
        if isinstance(kind, type):
            _check_declared(subject, getattr(state, name))


def check_seq_follows(policy: Policy, problem: Problem, seed: int = 0) -> None:
    """Given the same rewards pull by pull, Seq(P) pulls exactly the sequence P pulls."""
    with _edge(policy, f"{problem.arms} arms"):
        worlds = problem.worlds(seed, np.arange(1))
        w, pulls, agent = worlds.of_run(0), 60, Seq(policy)

        def reward(number: int, arm: int) -> float:
            return worlds.law.reward(w, number, arm)

        learner = _learner(agent, problem.arms, pulls, seed)
        dice = learner.state.policy.dice.key
        under_seq: list[int] = []
        ends: list[int] = []  # of rounds: after so many pulls
        position = 0
        while len(under_seq) < pulls:
            arm = learner.next_wanted(position) if position < problem.arms else None
            if arm is None:
                assert position > 0, f"{agent} passes through a whole round"
                learner.next_round()
                ends.append(len(under_seq))
                position = 0
                continue
            learner.pulled(arm)
            assert learner.next_wanted() is None, f"{agent} goes on before the reward is there"
            learner.observe(arm, reward(len(under_seq), arm))
            under_seq.append(arm)
            position = arm + 1
        alone = _alone(policy, problem.arms, dice, reward, pulls, ends)
    assert under_seq == alone, f"{agent} pulls {under_seq}, {policy} alone {alone}"


def _alone(
    policy: Policy,
    arms: int,
    dice: int,
    reward: Callable[[int, int], float],
    pulls: int,
    ends: list[int],
) -> list[int]:
    """What the policy pulls by itself; it hears of new rounds when Seq does."""
    state = _fresh(policy, arms)
    state.dice.key = dice
    policy.start(state, _setting(arms, pulls))
    chosen: list[int] = []
    arm = policy.choose(state)  # and after every reward: a new round changes no choice
    while len(chosen) < pulls:
        for _ in range(ends.count(len(chosen)) if chosen else 0):
            policy.new_round(state)
        chosen.append(arm)
        policy.learn(state, arm, reward(len(chosen) - 1, arm), 1.0)
        arm = policy.choose(state)
    return chosen


def check_wanted_is_pure(agent: Agent, seed: int = 0) -> None:
    """Asking changes nothing: neither the state nor the next answer."""
    learner = _learner(agent, len(MEANS), ROUNDS, seed)
    luck = generator(seed, "rewards")
    for round_, arm in _offers(learner, ROUNDS, len(MEANS)):
        before = to_dict(learner.state)
        first, second = (agent.wanted(learner.state, arm) for _ in range(2))
        assert first == second, f"{agent}.wanted answers {first}, then {second}: {round_=} {arm=}"
        assert arm <= first <= len(MEANS), (
            f"{agent}.wanted(s, {arm}) answers {first!r}: it must be {arm} or a later arm, or "
            f"{len(MEANS)}, the number of arms, for none"
        )
        for name, value in to_dict(learner.state).items():
            assert value == before[name], f"{agent}.wanted changes the state's {name}"
        if learner.ask(arm):
            learner.pulled(arm)
            learner.observe(arm, float(luck.random() < MEANS[arm]))


def check_live_repeats_simulation(agent: Agent, seed: int = 0) -> None:
    """Live, written to JSON and read back at every event, it decides as the simulation does."""
    problem = Bernoulli(MEANS)
    simulated = pull_table(agent, problem, ROUNDS, seed)
    if not agent.policy.compilable:
        return
    worlds = problem.worlds(seed, np.arange(1))
    w = worlds.of_run(0)
    learner = _learner(agent, problem.arms, ROUNDS, seed, hardness=problem.h1)
    for round_ in range(ROUNDS):
        if round_:
            learner.next_round()
        for arm in range(problem.arms):
            learner = _reread(learner)
            wanted = learner.ask(arm)
            assert wanted == simulated[round_, arm], (
                f"{agent} differs once it was saved and read back: it decides by what lies outside "
                f"its declared state ({round_=} {arm=})"
            )
            if wanted:
                learner.pulled(arm)
                learner = _reread(learner)
                learner.observe(arm, worlds.law.reward(w, round_, arm))


def check_rows_are_independent(agent: Agent, seed: int = 0, batch: int = 7) -> None:
    """A run alone equals its row in a batch, whatever it owes to chance."""
    problem = Bernoulli(MEANS)
    together = _play(agent, problem, range(batch), seed)
    for run in range(batch):
        alone = _play(agent, problem, [run], seed)
        assert (alone.pulls[0] == together.pulls[run]).all(), f"{agent}: run {run} differs alone"
        assert (alone.gain[0] == together.gain[run]).all(), f"{agent}: run {run} differs alone"


def check_compiled_equals_plain(
    agent: Agent,
    seed: int = 0,
    problem: Problem = Bernoulli(MEANS),  # noqa: B008 - frozen
) -> None:
    """Compiled, it does exactly what it does in plain Python, to the last bit."""
    game = _game(agent, problem, range(3), seed)
    compiled, plain = engine.play_compiled(game), engine.play_plain(game)
    for name in Played.__slots__:
        same = getattr(compiled, name).tobytes() == getattr(plain, name).tobytes()
        assert same, f"{agent} differs when compiled: {name}"


def check_pulls_and_regret(
    agent: Agent, problem: Problem, seed: int = 0, rounds: int = ROUNDS
) -> None:
    """Never two pulls of an arm in a round; regret is its definition, and never falls."""
    table = pull_table(agent, problem, rounds, seed)
    played = _play(agent, problem, [0], seed, rounds)
    assert (played.pulls[0] == table.sum(axis=0)).all(), f"{agent}: engine and live pulls differ"
    assert played.pulls.max() <= rounds, f"{agent} pulls an arm twice in a round"
    mu = problem.worlds(seed, np.arange(1)).means
    curve = Goal.of(mu).regret(np.arange(1.0, rounds + 1), played.gain)[0]
    gaps, best = mu.max() - mu[0], mu[0] == mu.max()
    by_definition = np.cumsum(table @ gaps + mu.max() * ~table[:, best].any(axis=1))
    assert np.allclose(curve, by_definition), f"{agent}: regret is not its definition"
    assert curve[0] >= 0, f"{agent}: negative regret"
    assert (np.diff(curve) >= -1e-9).all(), f"{agent}: regret falls"


def check_late_rewards(agent: Agent, seed: int = 0, delay: int = 3) -> None:
    """Rewards that come rounds later, last first, are learnt; nothing stalls for ever.

    A pull whose reward is to come changes nothing for the arms after it, unless ``heeds_pulls``.
    """
    arms = len(MEANS)
    learner = _learner(agent, arms, ROUNDS, seed)
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
                ahead = agent.wanted(learner.state, arm + 1)
                learner.pulled(arm)
                now = agent.wanted(learner.state, arm + 1)
                assert now == ahead or agent.heeds_pulls, (
                    f"{agent} wants arm {now} next, not {ahead}, once it has pulled arm {arm}: its "
                    "class must not say heeds_pulls = False"
                )
                made += 1
                due.setdefault(round_ + delay, []).append((round_, arm))
        learner = _reread(learner)
    assert made >= ROUNDS // (delay + 1) or learner.stopped, f"{agent} stalls: {made} pulls"
    assert 0 <= learner.recommend() < arms


def pull_table(agent: Agent, problem: Problem, rounds: int, seed: int) -> Any:
    """[rounds, K]: which arm a live run pulls in which round, asked offer by offer."""
    worlds = problem.worlds(seed, np.arange(1))
    w = worlds.of_run(0)
    learner = _learner(agent, problem.arms, rounds, seed, hardness=float(h1(worlds.means)[0]))
    table = np.zeros((rounds, problem.arms), dtype=bool)
    for round_, arm in _offers(learner, rounds, problem.arms):
        if learner.ask(arm):
            table[round_, arm] = True
            learner.pulled(arm)
            learner.observe(arm, worlds.law.reward(w, round_, arm))
    return table


def _offers(learner: Learner, rounds: int, arms: int) -> Iterator[tuple[int, int]]:
    for round_ in range(rounds):
        if round_:
            learner.next_round()
        for arm in range(arms):
            yield round_, arm


def _play(
    agent: Agent, problem: Problem, runs: Sequence[int], seed: int, rounds: int = ROUNDS
) -> Played:
    return engine.play_plain(_game(agent, problem, runs, seed, rounds))


def _game(
    agent: Agent, problem: Problem, runs: Sequence[int], seed: int, rounds: int = ROUNDS
) -> Game:
    numbers = np.array(runs)
    worlds = problem.worlds(seed, numbers)
    every_round, worth = np.arange(1, rounds + 1), Goal.of(worlds.means).worth
    return new_game(agent, worlds, seed, numbers, Limits(rounds), worth, every_round, advise=True)


def _learner(agent: Agent, arms: int, horizon: int, seed: int, hardness: float = 10.0) -> Learner:
    return Learner(agent, arms, horizon=horizon, seed=seed, hardness=hardness)


def _reread(learner: Learner) -> Learner:
    """The learner, written to JSON and read back; one of a foreign object stays as it is."""
    if not learner.agent.policy.compilable:
        return learner
    saved = json.loads(json.dumps(learner.to_dict(), allow_nan=False))
    again = _learner(
        learner.agent, learner.arms, learner.horizon or 1, learner.seed, learner.hardness or 0.0
    )
    load(again.state, saved["state"])
    return again


def _fresh(policy: Policy, arms: int) -> Any:
    return Layout.of(policy.State, policy, {"arms": arms}).fresh()


def _setting(arms: int, horizon: int) -> Setting:
    setting: Setting = Layout.of(Setting, None, {}).fresh()
    setting.arms, setting.horizon, setting.hardness = arms, float(horizon), 10.0
    return setting
