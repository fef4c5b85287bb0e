"""The screened choice of KL-UCB and Bayes-UCB is the best index, found by brute force."""

from typing import Any

import numpy as np
import pytest
from scipy.special import betaincinv
from scipy.stats import beta

import spnb
from spnb.bandits.policies import KLUCB
from spnb.bandits.policies.bayes import bUCB

from .helpers import kl_roots, started, with_counts, with_history

SPECS = ["KLUCB", "KLUCB(c=3)", "KLUCB+", "bUCB", "bUCB(c=1)", "bUCB(sweep)"]


def policy_of(spec: str, ties: str) -> Any:
    return spnb.policy(spec[:-1] + f', ties="{ties}")' if "(" in spec else f'{spec}(ties="{ties}")')


def random_counts(luck: np.random.Generator, least: int) -> tuple[Any, Any]:
    """Pulls and sums of a few arms: small, large and huge, whole and fractional, 0 and 1, equal."""
    arms = int(luck.integers(2, 9))
    pulls = luck.choice([2.0, 6.0, 40.0, 1e3, 1e6], arms)
    pulls = np.maximum(np.floor(pulls * luck.random(arms)), least)
    share = np.clip(luck.choice([0.0, 0.2, 0.5, 0.97, 1.0]) + luck.normal(0, 0.1, arms), 0, 1)
    sums = share * pulls
    sums = np.where(luck.random(arms) < 0.7, np.round(sums), sums)
    for arm in range(1, arms):  # equal arms, so that ties come up
        if luck.random() < 0.25:
            pulls[arm], sums[arm] = pulls[arm - 1], sums[arm - 1]
        elif luck.random() < 0.1:
            sums[arm] = pulls[arm]
    return pulls, sums


def brute_indices(policy: Any, state: Any) -> Any:
    pulls, sums = np.array(state.pulls), np.array(state.sums)
    t = state.total + 1
    if isinstance(policy, bUCB):
        risk = 1 / t / (np.log(1000) ** policy.c)
        return 1 - betaincinv(1 + pulls - sums, 1 + sums, risk)
    if isinstance(policy, KLUCB):
        nats = np.full(len(pulls), np.log(t) + policy.c * np.log(max(np.log(t), 1.0)))
    else:
        nats = np.log(np.maximum(t / pulls, 1.0))
    return kl_roots(pulls, sums, nats)


def expected_choice(policy: Any, state: Any, found: int, index: Any) -> int:
    """Of the arms whose index equals that of the arm found, the one that ``ties`` says."""
    pulls, sums = np.array(state.pulls), np.array(state.sums)
    equal = (pulls == pulls[found]) & (sums == sums[found])
    if not isinstance(policy, bUCB) and sums[found] == pulls[found]:
        equal = sums == pulls  # the index is 1, whatever the counts
    tied = np.flatnonzero(equal)
    later = tied[tied >= state.ahead]
    return int(later[0] if policy.ties == "ahead" and len(later) else tied[0])


@pytest.mark.parametrize("ties", ["first", "ahead", "random"])
@pytest.mark.parametrize("spec", SPECS)
def test_the_screened_choice_is_the_best_index(spec: str, ties: str, seed: int) -> None:
    policy, luck = policy_of(spec, ties), np.random.default_rng(seed)
    several = 0
    for _ in range(120):
        pulls, sums = random_counts(luck, least=0 if isinstance(policy, bUCB) else 1)
        state = with_counts(policy, pulls, sums)
        if policy.sweeps and min(state.pulls) == 0:
            continue
        for _ in range(5):  # the levels kept from one choice help or mislead the next
            arm, index = policy.choose(state), brute_indices(policy, state)
            assert index[arm] >= index.max() - 1e-10, (seed, state.pulls, state.sums)
            if ties != "random":
                assert arm == expected_choice(policy, state, arm, index)
            several += (index > index.max() - 1e-10).sum() > 1
            policy.learn(state, arm, float(luck.integers(2)), 1.0)
            if luck.random() < 0.2:
                other = int(luck.integers(len(pulls)))
                policy.learn(state, other, float(luck.random() * 50), 50.0)
    assert several > 20, "the test has lost its ties"


@pytest.mark.parametrize("spec", SPECS)
def test_a_level_kept_from_nowhere_misleads_no_choice(spec: str, seed: int) -> None:
    policy, luck = policy_of(spec, "first"), np.random.default_rng(seed)
    for _ in range(300):
        pulls, sums = random_counts(luck, least=1)
        state = with_counts(policy, pulls, sums)
        state.levels[:] = luck.choice([0.0, 0.3, 0.9, 1.0], len(pulls)).tolist()
        arm, index = policy.choose(state), brute_indices(policy, state)
        assert index[arm] >= index.max() - 1e-10, (seed, state.pulls, state.sums)


def test_arms_of_mean_one_tie_under_kl_ucb_whatever_their_counts() -> None:
    for spec in ("KLUCB", "KLUCB+", "KLUCB(c=3)"):
        chosen = set()
        for key in range(60):
            state = with_counts(policy_of(spec, "random"), [1, 500, 3, 7], [1, 500, 2, 7])
            state.dice.key = key * 977
            chosen.add(policy_of(spec, "random").choose(state))
        assert chosen == {0, 1, 3}, spec
        first = with_counts(policy_of(spec, "first"), [3, 1, 500], [2, 1, 500])
        assert policy_of(spec, "first").choose(first) == 1
        ahead = with_counts(policy_of(spec, "ahead"), [3, 1, 500], [2, 1, 500])
        for place, expected in ((0, 1), (1, 1), (2, 2)):
            ahead.ahead = place
            assert policy_of(spec, "ahead").choose(ahead) == expected


def test_seq_kl_ucb_pays_the_same_whichever_of_two_good_arms_comes_first(seed: int) -> None:
    for means in ((1.0, 0.99), (0.99, 1.0)):
        result = spnb.simulate(
            spnb.Bernoulli(means), "Seq(KLUCB)", rounds=1000, runs=3000, seed=seed
        )
        # About 51 with a standard error of 1; other ties give 72 and 32.
        assert 43 < result.agents["Seq(KLUCB)"].regret.mean() < 60, means


def random_posteriors(luck: np.random.Generator, count: int) -> Any:
    """(wins, losses) and a risk."""
    size = luck.choice([3.0, 30.0, 1e3, 1e5], count) * luck.random(count)
    share = luck.choice([0.0, 0.05, 0.5, 0.9, 1.0], count)
    wins = np.where(luck.random(count) < 0.7, np.round(size * share), size * share)
    losses = np.where(luck.random(count) < 0.7, np.round(size - wins), size - wins)
    risk = 0.5 ** luck.uniform(1, 40, count)
    return zip(wins.tolist(), np.abs(losses).tolist(), risk.tolist(), strict=True)


def test_the_floor_of_bucb_is_never_above_the_quantile(seed: int) -> None:
    policy, luck, near = bUCB(), np.random.default_rng(seed), 0
    for wins, losses, risk in random_posteriors(luck, 4000):
        if wins + losses == 0:
            continue
        state = with_counts(policy, [wins + losses], [wins])
        true = float(beta.isf(risk, 1 + wins, 1 + losses))
        spread = float(beta.std(1 + wins, 1 + losses)) * luck.choice([1e-3, 0.1, 1.0])
        state.levels[0] = min(max(true + luck.normal() * spread, 0.0), 1.0)
        floor = policy.floor(state, 0, -float(np.log(risk)))
        assert floor <= true * (1 + 1e-9), (wins, losses, risk)
        near += 0 <= true - floor < 0.01 * (1 - true + 1e-12) + 0.01 * true
    assert near > 400, "a floor that is hardly ever given helps nobody"


def test_no_tangent_rules_out_an_index_that_reaches_the_level(seed: int) -> None:
    policy, luck, checked = bUCB(), np.random.default_rng(seed), 0
    for wins, losses, risk in random_posteriors(luck, 4000):
        level = float(beta.isf(risk, 1 + wins, 1 + losses))
        if wins + losses == 0 or not 1e-9 < level < 1 - 1e-9:
            continue
        state, tail = with_counts(policy, [wins + losses], [wins]), policy_tail(wins, losses, level)
        for share, reached in ((1 - 1e-6, True), (1 + 1e-6, False)):
            nats = -float(np.log(tail * share))
            answer = policy.likely(state, 0, nats, level, np.log(level), np.log1p(-level))
            assert answer == reached, (wins, losses, level)
        checked += 1
    assert checked > 2000


def policy_tail(wins: float, losses: float, level: float) -> float:
    return float(beta.sf(level, 1 + wins, 1 + losses))


@pytest.mark.parametrize("spec", ["bUCB", "KLUCB", "KLUCB+"])
def test_a_level_is_likely_exactly_up_to_the_index(spec: str, seed: int) -> None:
    policy: Any = spnb.policy(spec)
    luck = np.random.default_rng(seed)
    for wins, losses, risk in random_posteriors(luck, 1500):
        if wins + losses == 0:
            continue
        state, nats = with_counts(policy, [wins + losses], [wins]), -float(np.log(risk))
        index = policy.invert(state, 0, nats)
        gap = 1e-5 * index * (1 - index)  # floats next to 1 are 1e-16 apart
        for level, reached in ((index - gap, True), (index + gap, False)):
            if 1e-9 < level < 1 - 1e-9:
                answer = policy.likely(state, 0, nats, level, np.log(level), np.log1p(-level))
                assert answer == reached, (wins, losses, risk)


def test_an_index_that_starts_at_the_prior_ties_with_its_equals(seed: int) -> None:
    policy = bUCB()
    first = {policy.choose(started(policy, 4, key=seed + k)) for k in range(200)}
    assert first == {0, 1, 2, 3}


def test_levels_follow_their_arms_closely_enough_to_guess_the_best() -> None:
    """What makes a choice cheap: the kept levels hardly ever point at the wrong arm."""
    policy, luck = bUCB(ties="first"), np.random.default_rng(5)
    state, means = with_history(policy, [1] * 8, [0] * 8), np.linspace(0.2, 0.6, 8)
    right = 0
    for _ in range(800):
        guess = int(np.argmax(state.levels))
        arm = policy.choose(state)
        right += guess == arm
        policy.learn(state, arm, float(luck.random() < means[arm]), 1.0)
    assert right > 600


@pytest.mark.parametrize("ties", ["first", "ahead"])
def test_where_indices_are_the_same_number_near_one_equal_arms_still_tie(ties: str) -> None:
    policy = policy_of("KLUCB(c=3)", ties)
    state = with_counts(policy, [9.0, 478479.0, 478480.0, 478479.0], [5.0, 478478, 478479, 478478])
    arm, common = policy.choose(state), policy.common(state, state.total + 1.0)
    assert len({policy.score(state, each, common) for each in (1, 2, 3)}) == 1
    assert arm in (1, 2), "the third arm of them has an equal before it"
