"""Offers as a Gymnasium environment: the same worlds, the same regret, alone or among many."""

import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import spnb
import spnb.gym
from spnb.engine import rows

GAPS = np.array(
    [[0.0, 1.0, np.nan], [np.nan, np.nan, np.nan], [np.nan, 0.0, 1.0], [0.25, 1.0, 0.0]]
)
PROBLEMS: dict[str, spnb.Problem] = {
    "synthetic": spnb.Synthetic(4),
    "equal": spnb.Bernoulli((0.5, 0.2, 0.5)),
    "counts": spnb.CountRewards((0.1, 0.9, 0.5), trials=(1, 7, 20)),
    "gaps": spnb.Recorded(GAPS, "worlds"),
    "changing": spnb.Abrupt(3, length=4),
    "beta": spnb.BetaRewards((0.3, 0.8)),
}
ROUNDS, RUNS = 12, 5
Act = Callable[[Any], int]


def hopeful(observation: Any) -> int:
    """A script: every arm that is not surely worse than the best mean so far."""
    position, counts, sums = (observation[name] for name in ("position", "counts", "sums"))
    if counts[position] == 0:
        return 1
    means = sums / np.maximum(counts, 1.0)
    return int(means[position] + 0.4 / np.sqrt(counts[position]) >= means.max())


def one_by_one(
    problem: spnb.Problem, act: Act, seed: int, runs: int = RUNS
) -> list[dict[str, Any]]:
    """What is told at the end of each run, with its return and pulls."""
    env = spnb.gym.Offers(problem, ROUNDS)
    ends = []
    for number in range(runs):
        observation, told = env.reset(seed=seed if number == 0 else None)
        assert told == {"seed": seed, "run": number}
        over, gained, pulls = False, 0.0, 0
        while not over:
            action = act(observation)
            observation, reward, terminated, over, info = env.step(action)
            gained, pulls = gained + float(reward), pulls + action
            assert not terminated
            assert (info["trials"] > 0) == action or over
        ends.append(info | {"return": gained, "pulls": pulls})
    return ends


@pytest.mark.parametrize("name", PROBLEMS)
def test_a_scripted_agent_has_the_same_regret_in_the_environment_and_simulated(
    name: str, seed: int
) -> None:
    problem = PROBLEMS[name]
    ends = one_by_one(problem, hopeful, seed)
    agents: list[Any] = [spnb.gym.acting("hopeful", hopeful), "Challenge"]
    simulated = spnb.simulate(problem, agents, rounds=ROUNDS, runs=RUNS, seed=seed)
    found = simulated.agents["hopeful"]
    assert [end["regret"] for end in ends] == found.regret.tolist()
    assert [end["pulls"] for end in ends] == found.pulls.tolist()
    assert all(end["round"] == ROUNDS for end in ends)


@pytest.mark.parametrize("spec", ["Seq(UCB1)", "Challenge(TS)"])
def test_a_learner_in_the_environment_is_the_simulated_run(spec: str, seed: int) -> None:
    problem = spnb.Bernoulli((0.3, 0.7, 0.5))
    env = spnb.gym.Offers(problem, ROUNDS)
    learner = spnb.Learner(spec, 3, horizon=ROUNDS, seed=seed)
    observation, _ = env.reset(seed=seed)
    over, gained = False, 0.0
    while not over:
        arm = int(observation["position"])
        pull = learner.ask(arm)
        observation, reward, _, over, info = env.step(int(pull))
        gained += float(reward)
        if pull:
            learner.pulled(arm)
            learner.observe(arm, info["payoff"])
        if observation["position"] == 0 and not over:
            learner.next_round()
    regret = spnb.simulate(problem, spec, rounds=ROUNDS, runs=1, seed=seed).agents[spec].regret[0]
    assert info["regret"] == regret
    assert gained == pytest.approx(ROUNDS * 0.7 - regret, abs=1e-9)


@pytest.mark.parametrize("small", [1, 256], ids=["compiled", "plain"])
@pytest.mark.parametrize("name", ["synthetic", "gaps"])
def test_many_runs_in_step_are_the_single_runs(
    name: str, small: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "SMALL", small)
    problem = PROBLEMS[name]
    alone = one_by_one(problem, hopeful, seed, 6)
    envs = spnb.gym.ManyOffers(3, problem, ROUNDS)
    observations, told = envs.reset(seed=seed)
    assert told["run"].tolist() == [0, 1, 2]
    places, next_run = [0, 1, 2], 3
    ends: dict[int, float] = {}
    over = np.zeros(3, dtype=bool)
    while not ends.keys() >= set(range(6)):
        assert observations in envs.observation_space
        each = [{name: values[i] for name, values in observations.items()} for i in range(3)]
        observations, rewards, terminated, ended, info = envs.step(
            np.array([hopeful(o) for o in each])
        )
        assert (rewards[over] == 0).all()
        assert not terminated.any()
        for i in np.flatnonzero(over):  # it was over before: another run is in its place
            places[i], next_run = next_run, next_run + 1
            assert observations["counts"][i].sum() == 0
        for i in np.flatnonzero(ended):
            assert info["_regret"][i]
            ends[places[i]] = info["regret"][i]
        over = ended
    assert [ends[run] for run in range(6)] == [end["regret"] for end in alone]


def test_a_run_without_any_offer_is_over_after_one_step_that_counts_for_nothing() -> None:
    nothing = spnb.Recorded([[np.nan, np.nan], [0.5, 1.0]])  # type: ignore[arg-type]
    env, envs = spnb.gym.Offers(nothing, 1), spnb.gym.ManyOffers(2, nothing, 1)
    env.reset(seed=1)
    _, reward, _, over, info = env.step(1)
    assert (reward, over, info["trials"], info["regret"]) == (0.0, True, 0.0, 1.0)
    envs.reset(seed=1)
    for expected in (True, False, True):
        _, rewards, _, ended, _ = envs.step(np.array([1, 1]))
        assert ended.tolist() == [expected] * 2
        assert rewards.tolist() == [0.0, 0.0]


def test_gymnasium_finds_nothing_to_complain_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("spnb/Offers-v0", problem=(0.2, 0.7), rounds=5)
        check_env(env.unwrapped)
        env.reset(seed=1)
        for _ in range(10):
            *_, truncated, info = env.step(env.action_space.sample())
        assert truncated
        assert info["regret"] >= 0
        envs = gymnasium.make_vec("spnb/Offers-v0", 2, "vector_entry_point", rounds=3)
        envs.reset(seed=1)
        observations, *_ = envs.step(envs.action_space.sample())
        assert observations in envs.observation_space
        env.close()
        envs.close()


def test_a_seed_repeats_a_run_and_without_one_runs_differ() -> None:
    one, two = ([end["regret"] for end in one_by_one(spnb.Synthetic(5), hopeful, 7)] for _ in "ab")
    assert one == two
    assert len(set(one)) > 1
    seeds = {spnb.gym.Offers().reset()[1]["seed"] for _ in range(3)}
    assert len(seeds) == 3


def test_what_cannot_be_is_refused() -> None:
    env, envs = spnb.gym.Offers((0.5,), 1), spnb.gym.ManyOffers(2, (0.5,), 1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        envs.step(np.array([1, 1]))
    env.reset()
    envs.reset()
    with pytest.raises(gymnasium.error.InvalidAction, match="must be 0 or 1, got 2"):
        env.step(2)
    for odd in ([1], [0, 2], [0.5, 0]):
        with pytest.raises(gymnasium.error.InvalidAction, match="0 or 1 for each of 2 runs"):
            envs.step(np.array(odd))
    env.step(1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(1)
    with pytest.raises(spnb.SpecError, match="rounds must be a whole number >= 1, got 0"):
        spnb.gym.Offers(rounds=0)
    with pytest.raises(spnb.SpecError, match="a problem is a Problem or the means of its arms"):
        spnb.gym.Offers("x")  # type: ignore[arg-type]
    with pytest.raises(spnb.SpecError, match="num_envs must be a whole number >= 1, got 0"):
        spnb.gym.ManyOffers(0)
    with pytest.raises(spnb.SpecError, match="a name not taken yet, got 'TS'"):
        spnb.gym.acting("TS", hopeful)
    with pytest.raises(spnb.SpecError, match="odd must answer 0 or 1, got 7"):
        spnb.simulate((0.2, 0.7), spnb.gym.acting("odd", lambda observation: 7), rounds=2, runs=1)


def test_without_gymnasium_one_line_says_what_to_install() -> None:
    code = "import sys; sys.modules['gymnasium'] = None; import spnb.gym"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.strip().splitlines()[-1]
    assert last.endswith("gymnasium, not installed here: pip install 'spnb[gym]'")
