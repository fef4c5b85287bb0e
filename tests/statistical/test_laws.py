"""What must hold in law, for any seed: bounds at a false-alarm rate below one in a million."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binomtest, chisquare, expon, gamma, kstest, norm

import spnb
from spnb.bandits.policies.bayes import TS
from spnb.engine.compiler import arguments, compiled
from spnb.engine.dice import Dice, stream_keys
from spnb.engine.loop import Setting, row
from spnb.engine.state import Arms, Batch, Counts, Layout, State
from spnb.problems import World

NEVER = 1e-8  # a p-value below this happens once in a hundred million checks


def as_likely(hits: int, count: int, chance: float) -> bool:
    return bool(binomtest(int(hits), count, min(max(chance, 0.0), 1.0)).pvalue > NEVER)


def dice(seed: int, purpose: str) -> Dice:
    made: Dice = Layout.of(Dice, None, {}).fresh()
    made.key = int(stream_keys(seed, purpose, [0])[0])
    return made


SHAPES = [(1.0, 1.0), (0.3, 0.6), (0.05, 2.0), (1.0, 7.0), (5.0, 1.0), (1.5, 1.2), (2.0, 900.0),
          (40.0, 3.0), (3e4, 7e4), (0.5, 300.0)]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_a_beta_draw_has_the_beta_law(a: float, b: float, seed: int) -> None:
    thrown = dice(seed, f"beta {a} {b}")
    draws = [thrown.beta(a, b) for _ in range(20_000)]
    assert kstest(draws, beta(a, b).cdf).pvalue > NEVER
    assert abs(np.corrcoef(draws[1:], draws[:-1])[0, 1]) < 6 / np.sqrt(len(draws))


class Draw(World):
    """A law to draw from, as compiled code takes its parameters."""

    a: float
    b: float


class Drawn(State):
    dice: Dice
    values: Arms


def betas(law: Any, drawn: Any, first: int, count: int) -> int:
    s = row(drawn, 0)
    for i in range(count):
        s.values[i] = s.dice.beta(law.a, law.b)
    return count


@pytest.mark.parametrize(("a", "b"), [(1.5, 1.2), (2.0, 900.0), (0.4, 3.0)])
def test_two_million_beta_draws_show_the_slightest_error(a: float, b: float, seed: int) -> None:
    count = 2_000_000
    drawn = Batch(Layout.of(Drawn, None, {"arms": count}), 1)
    drawn.dice.key[0] = dice(seed, f"betas {a} {b}").key
    args = arguments(Draw(a, b), drawn)
    compiled(betas, "betas", args)(*args, 0, count)
    assert kstest(drawn.values[0], beta(a, b).cdf).pvalue > NEVER


@pytest.mark.parametrize("shape", [0.04, 0.5, 0.99, 1.0, 1.5, 20.0, 1e5])
def test_a_gamma_draw_has_the_gamma_law(shape: float, seed: int) -> None:
    thrown = dice(seed, f"gamma {shape}")
    draws = [thrown.gamma(shape) for _ in range(20_000)]
    assert kstest(draws, gamma(shape).cdf).pvalue > NEVER


def test_uniform_exponential_and_normal_draws_have_their_laws(seed: int) -> None:
    thrown = dice(seed, "three laws")
    laws: list[tuple[Callable[[], float], Any]] = [
        (thrown.random, "uniform"), (thrown.exponential, expon.cdf), (thrown.normal, norm.cdf),
    ]  # fmt: skip
    for draw, law in laws:
        draws = [draw() for _ in range(30_000)]
        assert kstest(draws, law).pvalue > NEVER
        assert abs(np.corrcoef(draws[1:], draws[:-1])[0, 1]) < 6 / np.sqrt(len(draws))


def test_dice_of_other_runs_and_purposes_are_independent(seed: int) -> None:
    streams = [
        [Dice.random(thrown) for _ in range(4000)]
        for purpose in ("TS", "Seq(TS)")
        for thrown in [dice(seed, purpose)]
    ]
    keys = stream_keys(seed, "TS", range(4000))
    assert len(np.unique(keys)) == 4000
    first = (keys >> np.uint64(11)) * 2.0**-53
    assert kstest(first, "uniform").pvalue > NEVER
    assert abs(np.corrcoef(np.array(streams))[0, 1]) < 6 / np.sqrt(4000)
    assert abs(np.corrcoef(first[1:], first[:-1])[0, 1]) < 6 / np.sqrt(4000)


class Tally(State):
    counts: Counts


def choices(policy: Any, states: Any, tallies: Any, first: int, count: int) -> int:
    """Choose over and over from one state."""
    s, tally = row(states, 0), row(tallies, 0)
    for _ in range(count):
        tally.counts[policy.choose(s)] += 1
    return count


def posteriors(counts: list[tuple[int, int]], seed: int) -> tuple[TS, Any]:
    """TS that has seen so many successes and failures of each arm."""
    policy = TS()
    state: Any = Layout.of(policy.State, policy, {"arms": len(counts)}).fresh()
    state.dice.key = int(stream_keys(seed, str(counts), [0])[0])
    policy.start(state, Layout.of(Setting, None, {}).fresh())
    for arm, (wins, losses) in enumerate(counts):
        for reward in [1.0] * wins + [0.0] * losses:
            policy.learn(state, arm, reward, 1.0)
    return policy, state


def many_choices(policy: TS, state: Any, count: int) -> Any:
    arms = len(state.pulls)
    states = Batch(Layout.of(policy.State, policy, {"arms": arms}), 1)
    tallies = Batch(Layout.of(Tally, None, {"arms": arms}), 1)
    states.write(0, state)
    args = arguments(policy, states, tallies)
    compiled(choices, "choices of TS", args)(*args, 0, count)
    return tallies.counts[0]


@pytest.mark.parametrize(
    "counts",
    [
        [(0, 0), (0, 0), (0, 0)],
        [(1, 0), (0, 1), (0, 2)],
        [(0, 0), (9, 1), (0, 0), (3, 3)],
        [(3, 2), (3, 2), (3, 2), (3, 2)],
        [(8, 4), (30, 25), (2, 3), (0, 5), (1, 9)],
        [(60, 40), (0, 1), (40, 36), (5, 5), (25, 20), (3, 0)],
        [(90, 10), (2, 2), (70, 14), (0, 12), (160, 30)],
        [(40, 0), (90, 0), (3, 0), (200, 2)],
        [(400, 40), *[(30, 12)] * 300],  # each far behind, all together not
        [(0, 0)] * 70,
        [(90, 2), (0, 0), (5, 1), (0, 0), (1, 0), (0, 3), *[(0, 0)] * 60],
    ],
)
def test_thompson_chooses_each_arm_as_often_as_its_draw_is_the_largest(
    counts: list[tuple[int, int]], seed: int
) -> None:
    number = min(1_000_000, 40_000_000 // len(counts))
    chosen = many_choices(*posteriors(counts, seed), number)
    laws = [beta(1 + wins, 1 + losses) for wins, losses in counts]
    x = np.linspace(0, 1, 200_001)
    below = np.array([law.cdf(x) for law in laws])
    chances = []
    for arm, law in enumerate(laws[:6]):
        others = np.delete(below, arm, axis=0).prod(axis=0)
        chances.append(float(np.sum((others[1:] + others[:-1]) / 2 * np.diff(law.cdf(x)))))
        assert as_likely(chosen[arm], number, chances[-1]), (arm, chosen[arm], chances[-1])
    assert len(laws) > 6 or sum(chances) == pytest.approx(1, abs=1e-6)
    assert chosen.sum() == number


def test_thompson_in_plain_python_chooses_so_as_well(seed: int) -> None:
    policy, state = posteriors([(2, 1), (0, 0)], seed)
    chosen = sum(policy.choose(state) for _ in range(20_000))
    chance = quad(lambda x: beta(3, 2).cdf(x), 0, 1)[0]
    assert as_likely(chosen, 20_000, chance)


LEADER = (14, 4)
CHALLENGERS = [(14, 4), (6, 3), (0, 0), (2, 9), (30, 9), (1, 0)]


@pytest.mark.parametrize("lost", [0, 1, 3, 9])
def test_thompson_challenges_with_the_tail_of_its_posterior(lost: int, seed: int) -> None:
    """At levels above the floor of the toss and, once the leader has lost since, below it."""
    policy, state = posteriors([LEADER, *CHALLENGERS], seed)
    wins, losses = LEADER
    levels = [(wins + 1) / (wins + losses + 2 + lost), (wins + 1) / (wins + losses + 1)]
    hits = np.zeros((2, len(CHALLENGERS)), dtype=int)
    tosses = 12_000
    for _ in range(tosses):
        policy.toss(state, 0)
        drawn = state.dice.drawn
        for arm in range(len(CHALLENGERS)):
            low, high = (policy.beats(state, arm + 1, level) for level in levels)
            assert low or not high, "who beats the higher level beats the lower one"
            hits[:, arm] += low, high
        assert state.dice.drawn == drawn, "asking draws nothing"
    for level, row_ in zip(levels, hits, strict=True):
        for (won, missed), hit in zip(CHALLENGERS, row_, strict=True):
            tail = float(beta.sf(level, 1 + won, 1 + missed))
            assert as_likely(hit, tosses, tail), (level, won, missed, hit / tosses, tail)


def test_every_toss_is_a_new_one(seed: int) -> None:
    policy, state = posteriors([(5, 5), (5, 5)], seed)
    for level in (0.5, 0.2):
        answers = []
        for _ in range(4000):
            policy.toss(state, 0)
            answers.append(policy.beats(state, 1, level))
        series = np.array(answers, dtype=float)
        assert abs(np.corrcoef(series[1:], series[:-1])[0, 1]) < 6 / np.sqrt(4000)


def test_thompson_turns_a_partial_reward_into_a_trial(seed: int) -> None:
    policy, state = posteriors([(0, 0)], seed)
    for _ in range(10_000):
        policy.learn(state, 0, 0.3, 1.0)
    assert state.sums[0] == int(state.sums[0])
    assert as_likely(int(state.sums[0]), 10_000, 0.3)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [("EpsGreedy(eps=0.3)", [0.1, 0.8, 0.1]), ("Uniform", [1 / 3] * 3),
     ("EpsGreedy(eps=0)", [0, 1, 0])],
)  # fmt: skip
def test_exploration_of_eps_greedy_and_uniform(spec: str, expected: list[float], seed: int) -> None:
    policy = spnb.policy(spec)
    state: Any = Layout.of(policy.State, policy, {"arms": 3}).fresh()
    state.dice.key = int(stream_keys(seed, spec, [0])[0])
    for arm in range(3):
        policy.learn(state, arm, float(arm == 1), 1.0)
    chosen = np.bincount([policy.choose(state) for _ in range(20_000)], minlength=3)
    for hits, chance in zip(chosen, expected, strict=True):
        assert as_likely(hits, 20_000, chance)


def test_seq_beats_its_classical_twin_and_challenge_beats_both(seed: int) -> None:
    agents = ["TS", "Seq(TS)", "bUCB", "Seq(bUCB)", "UCBrev+", "Challenge"]
    result = spnb.simulate(spnb.Synthetic(25, "authors"), agents, rounds=600, runs=600, seed=seed)
    for better, worse in (
        ("Seq(TS)", "TS"),
        ("Seq(bUCB)", "bUCB"),
        ("Challenge", "Seq(TS)"),
        ("Challenge", "Seq(bUCB)"),
        ("TS", "UCBrev+"),
    ):
        # The true differences lie at least seven standard errors below zero.
        assert result.paired("regret", better, worse).mean < 0, (better, worse)
    assert result.agents["UCBrev+"].opti.mean() > 0.99


@pytest.mark.parametrize("number", [1, 4])
def test_seq_saves_rounds_of_identification(number: int, seed: int) -> None:
    problem, budget = spnb.experiment(number), spnb.problems.BUDGETS[number]
    agent = "Seq(UCBE(c=2))"
    by_pulls = spnb.identify(problem, agent, budget=budget, limit="pulls", runs=150, seed=seed)
    assert 0.03 < 1 - by_pulls.agents[agent].rounds.mean() / budget < 0.18
    by_rounds = spnb.identify(problem, agent, budget=budget, limit="rounds", runs=150, seed=seed)
    assert 0.03 < by_rounds.agents[agent].pulls.mean() / budget - 1 < 0.19


def test_errors_fall_as_the_budget_grows(seed: int) -> None:
    problem = spnb.experiment(4)
    for spec in ("UCBE(c=2)", "UCBE(c=2, adaptive)", "SR+", "SH+", "Pack", "Seq(SR)"):
        small = spnb.identify(problem, spec, budget=60, runs=500, seed=seed).agents[spec].error
        large = spnb.identify(problem, spec, budget=2400, runs=500, seed=seed).agents[spec].error
        assert small.mean() - large.mean() > 0.1, spec


def test_uniform_chooses_arms_independently_of_each_other(seed: int) -> None:
    result = spnb.simulate(spnb.Bernoulli((0.5,) * 3), "Uniform", rounds=300, runs=40, seed=seed)
    assert (result.agents["Uniform"].pulls == 300).all()
    policy = spnb.policy("Uniform")
    state: Any = Layout.of(policy.State, policy, {"arms": 3}).fresh()
    state.dice.key = int(stream_keys(seed, "pairs", [0])[0])
    for arm in range(3):
        policy.learn(state, arm, 0.0, 1.0)
    chosen = np.array([policy.choose(state) for _ in range(9000)])
    assert chisquare(np.bincount(3 * chosen[1::2] + chosen[::2], minlength=9)).pvalue > NEVER
