"""Each index against its formula, written plainly for one arm; each phase against the paper."""

from collections.abc import Callable, Sequence
from math import ceil, inf, log, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

import spnb
from spnb.bandits import registry
from spnb.bandits.policies.base import IndexPolicy, Policy
from spnb.bandits.policies.elimination import Contest, sr_phase_end
from spnb.bandits.policies.ucbe import estimated_hardness
from spnb.engine.arrays import argmax, first_from
from spnb.engine.divergence import kl, kl_short, kl_upper
from spnb.engine.setting import Setting
from spnb.theory import log_bar

ONLY = np.zeros(1, dtype=np.intp)


def with_history(
    policy: Policy[Any], pulls: Sequence[int], sums: Sequence[float], horizon: int = 1000
) -> Any:
    """The state after these pulls and rewards."""
    rng = np.random.default_rng(0)
    state = policy.init(1, Setting(len(pulls), horizon, np.array([50.0])))
    for arm, (n, s) in enumerate(zip(pulls, sums, strict=True)):
        for i in range(n):
            reward = np.array([min(1.0, max(0.0, s - i))])
            policy.update(state, ONLY, np.array([arm]), reward, rng)
    return state


def bernoulli_kl(p: float, q: float) -> float:
    def term(a: float, b: float) -> float:
        return 0.0 if a == 0 else inf if b == 0 else a * (log(a) - log(b))

    return term(p, q) + term(1 - p, 1 - q)


def root(n: float, mean: float, nats: float) -> float:
    """The largest q with n kl(mean, q) <= nats, by bisection."""
    low, high = mean, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if n * bernoulli_kl(mean, middle) <= nats else (low, middle)
    return low


HORIZON, H1, ARMS = 1000, 50.0, 3

INDICES: dict[str, Callable[[float, float, float], float]] = {
    "UCB1": lambda n, s, t: s / n + sqrt(2 * log(t) / n),
    "bUCB": lambda n, s, t: beta.ppf(1 - 1 / t, 1 + s, 1 + n - s),
    "bUCB(c=2)": lambda n, s, t: beta.ppf(1 - 1 / (t * log(HORIZON) ** 2), 1 + s, 1 + n - s),
    "KLUCB": lambda n, s, t: root(n, s / n, log(t)),
    "KLUCB(c=3)": lambda n, s, t: root(n, s / n, log(t) + 3 * log(log(t))),
    "KLUCB+": lambda n, s, t: root(n, s / n, log(t / n)),
    "MOSS": lambda n, s, t: s / n + sqrt(max(0, log(HORIZON / (ARMS * n))) / n),
    "UCBE(c=2)": lambda n, s, t: s / n + sqrt(2 * HORIZON / H1 / n),
    "Greedy": lambda n, s, t: s / n,
}


@pytest.mark.parametrize("spec", INDICES)
@pytest.mark.parametrize(
    ("pulls", "sums"), [([5, 9, 2], [3, 9, 0]), ([1, 40, 7], [0, 21, 6]), ([3, 3, 3], [1, 2, 3])]
)
def test_an_index_is_its_formula(spec: str, pulls: list[int], sums: list[float]) -> None:
    policy = spnb.policy(spec)
    assert isinstance(policy, IndexPolicy)
    state = with_history(policy, pulls, sums)
    t = sum(pulls) + 1
    expected = [INDICES[spec](n, s, t) for n, s in zip(pulls, sums, strict=True)]
    assert policy.index(state, ONLY, np.array([float(t)]))[0] == pytest.approx(expected, abs=1e-9)


def test_imed_is_its_formula_and_its_challenge_too() -> None:
    pulls, sums = [5, 9, 2], [3, 8, 0]
    policy = spnb.policy("IMED")
    assert isinstance(policy, IndexPolicy)
    state = with_history(policy, pulls, sums)
    best = 8 / 9
    cost = [n * bernoulli_kl(s / n, best) + log(n) for n, s in zip(pulls, sums, strict=True)]
    assert -policy.index(state, ONLY, np.ones(1))[0] == pytest.approx(cost)
    rival = np.array([1])
    expected = [value <= log(9) for value in cost]
    assert policy.challenges(state, ONLY, np.ones(1), rival)[0].tolist() == expected


@pytest.mark.parametrize("spec", [spec for spec in INDICES if spec != "Greedy"])
def test_reaching_a_level_agrees_with_the_index(spec: str) -> None:
    policy = spnb.policy(spec)
    assert isinstance(policy, IndexPolicy)
    state = with_history(policy, [5, 9, 2, 0], [3, 9, 0, 0])
    clock = np.array([17.0])
    index = policy.index(state, ONLY, clock)[0]
    for level in np.linspace(0.02, 0.98, 25):
        reached = policy.reaches(state, ONLY, clock, np.array([level]))[0]
        assert reached.tolist() == (index >= level).tolist()


@settings(max_examples=60, deadline=None)
@given(data=st.data(), spec=st.sampled_from(["bUCB", "KLUCB", "KLUCB+", "KLUCB(c=3)"]))
def test_the_screened_choice_is_the_best_index(data: st.DataObject, spec: str) -> None:
    arms = data.draw(st.integers(2, 6))
    pulls = data.draw(st.lists(st.integers(1, 30), min_size=arms, max_size=arms))
    sums = [data.draw(st.integers(0, n)) for n in pulls]
    policy = spnb.policy(
        spec.rstrip(")") + (', ties="first")' if "(" in spec else '(ties="first")')
    )
    assert isinstance(policy, IndexPolicy)
    state = with_history(policy, pulls, sums)
    arm = policy.choose(state, ONLY, np.random.default_rng(0))[0]
    index = policy.index(state, ONLY, state.total + 1)[0]
    assert index[arm] == pytest.approx(index.max(), abs=1e-12)


@pytest.mark.parametrize("spec", registry.policy_samples())
def test_arms_never_pulled_come_first_in_order(spec: str) -> None:
    policy = spnb.policy(spec)
    rng = np.random.default_rng(1)
    state = policy.init(1, Setting(5, 100, np.array([50.0])))
    for expected in range(5):
        arm = policy.choose(state, ONLY, rng)
        assert arm[0] == expected
        policy.update(state, ONLY, arm, np.zeros(1), rng)


def test_ties_are_settled_at_random_or_by_position(seed: int) -> None:
    score = np.asfortranarray(np.tile([1.0, 3.0, 3.0, 3.0], (3000, 1)))
    rng = np.random.default_rng(seed)
    assert (argmax(score, "first", rng) == 1).all()
    counts = np.bincount(argmax(score, "random", rng), minlength=4)
    # Each count is binomial(3000, 1/3): 200 off is 7.7 standard deviations.
    assert counts[0] == 0
    assert (abs(counts[1:] - 1000) < 200).all()
    infinite = np.where(score == 3.0, np.inf, score)
    assert (argmax(infinite, "random", rng) == 1).all()


def test_one_lucky_pull_does_not_make_a_leader() -> None:
    # By S/N the first arm (1 of 1) would lead, and 17 of 20 could not reach its mean of 1.
    learner = spnb.Learner("Challenge", 2, seed=1)
    for arm, reward, times in ((0, 1.0, 1), (1, 1.0, 17), (1, 0.0, 3)):
        for _ in range(times):
            learner.pulled(arm)
            learner.observe(arm, reward)
    assert learner.ask(1)
    assert learner.ask(0), "its index is 1"


def test_the_first_true_column_from_a_start_on() -> None:
    mask = np.array([[True, False, True], [False, True, False], [False, False, False]])
    assert first_from(mask, np.array([0, 0, 0])).tolist() == [0, 1, 3]
    assert first_from(mask, np.array([1, 2, 0])).tolist() == [2, 3, 3]


unit = st.floats(0, 1)


@given(p=unit, q=unit)
def test_kl_is_the_bernoulli_divergence(p: float, q: float) -> None:
    value = float(kl(np.array(p), np.array(q)))
    assert value == pytest.approx(bernoulli_kl(p, q), rel=1e-9, abs=1e-12)
    short = float(kl_short(np.array([p]), np.array([q]))[0])
    assert short == pytest.approx(0.0 if p >= q else bernoulli_kl(p, q), rel=1e-6, abs=1e-12)


@given(mean=unit, radius=st.floats(0, 20))
def test_the_kl_upper_bound_is_the_largest_mean_within_the_radius(
    mean: float, radius: float
) -> None:
    q = float(kl_upper(np.array([mean]), np.array([radius]))[0])
    assert mean <= q <= 1
    if q < 1 - 1e-6:  # closer to 1 the divergence cannot tell neighbouring floats apart
        assert bernoulli_kl(mean, q) <= radius + 1e-6
        assert bernoulli_kl(mean, q + 1e-6) > radius


def phase_ends(spec: str, arms: int, horizon: int) -> list[float]:
    """The rounds after which an elimination agent checks its arms, if none is ever dropped."""
    policy: Any = spnb.policy(spec)
    state: Contest = policy.init(1, Setting(arms, horizon))
    ends = []
    while np.isfinite(state.due[0]):
        ends.append(state.due[0])
        state.phase += 1
        state.due[:] = policy.phase_end(state, ONLY)
    return ends


def test_ucbrev_checks_its_arms_after_these_rounds() -> None:
    assert phase_ends("UCBrev", 10, 1000) == [14, 45, 133, 352, 698]
    assert phase_ends("UCBrev", 10, 2) == []


@pytest.mark.parametrize(
    ("number", "first", "last"), [(1, 32, 320), (3, 316, 631), (4, 51, 153), (7, 57, 855)]
)
def test_successive_rejects_ends_its_phases_as_published(
    number: int, first: int, last: int
) -> None:
    arms, budget = spnb.experiment(number).arms, float(spnb.problems.BUDGETS[number])
    ends = sr_phase_end(np.full(arms - 1, budget), arms, np.arange(1, arms))
    assert (ends[0], ends[-1]) == (first, last)
    by_hand = [ceil((budget - arms) / (log_bar(arms) * (arms + 1 - k))) for k in range(1, arms)]
    assert ends.tolist() == by_hand
    assert ends.sum() + ends[-1] <= budget


@pytest.mark.parametrize("radius", ["auer", "printed"])
def test_ucbrev_drops_what_its_width_says(radius: str) -> None:
    horizon, due = 1000, 14
    log_term = log(horizon) if radius == "auer" else log(due)
    width = sqrt(log_term / (2 * due))
    policy = spnb.policy(f'UCBrev(radius="{radius}")')
    for wins in range(due + 1):
        state = with_history(policy, [due, due], [due, wins], horizon)
        dropped = wins / due + width < 1 - width
        assert state.alive[0].tolist() == [True, not dropped]


def test_successive_rejects_drops_the_worst_and_halving_the_worse_half() -> None:
    rejects = with_history(spnb.policy("SR"), [6] * 4, [5, 4, 1, 3], horizon=40)
    assert rejects.alive[0].tolist() == [True, True, False, True]
    halving = with_history(spnb.policy("SH"), [2] * 5, [2, 0, 2, 1, 0], horizon=30)
    assert halving.alive[0].tolist() == [True, False, True, True, False]
    assert halving.due[0] == 2 + 30 // (3 * 3)


def test_ties_in_elimination_are_settled_at_random(seed: int) -> None:
    batch, rows = 4000, np.arange(4000)
    rng = np.random.default_rng(seed)
    for spec in ("SR", "SH"):
        policy = spnb.policy(spec)
        state = policy.init(batch, Setting(4, 4))
        for arm in range(4):
            policy.update(state, rows, np.full(batch, arm), np.zeros(batch), rng)
        kept = policy.active(state, rows).mean(axis=0)
        # A standard deviation is at most 0.008: 8 of them.
        assert abs(kept - kept.mean()).max() < 0.064


def test_the_hardness_is_estimated_from_the_arms_that_sr_would_have_dropped() -> None:
    means = np.array([[0.9, 0.5, 0.8, 0.3]])
    gaps = [0.0, 0.1, 0.4, 0.6]
    assert estimated_hardness(means, np.array([1]))[0] == pytest.approx(4 / gaps[3] ** 2)
    expected = max(3 / gaps[2] ** 2, 4 / gaps[3] ** 2)
    assert estimated_hardness(means, np.array([2]))[0] == pytest.approx(expected)
    assert estimated_hardness(np.array([[0.5, 0.5]]), np.array([1]))[0] == inf


def test_adaptive_ucbe_sets_its_rate_at_the_phase_ends_of_sr() -> None:
    arms, budget = 4, 100.0
    policy: Any = spnb.policy('UCBE(c=3, adaptive, ties="first")')
    state = policy.init(1, Setting(arms, int(budget)))
    rng = np.random.default_rng(0)
    n = sr_phase_end(np.full(3, budget), arms, np.arange(1, 4))
    ends = [4 * n[0], n[0] + 3 * n[1], n[0] + n[1] + 2 * n[2]]
    assert state.rate[0] == pytest.approx(3 * budget / arms)
    for pull in range(1, int(budget) + 1):
        arm = policy.choose(state, ONLY, rng)
        reward = np.array([float(pull % (arm[0] + 2) == 0)])
        policy.update(state, ONLY, arm, reward, rng)
        phase = sum(pull >= end for end in ends)
        assert state.phase[0] == phase
        if pull in ends:
            hardness = estimated_hardness(state.means(ONLY), np.array([phase]))[0]
            assert state.rate[0] == pytest.approx(3 * budget / hardness)
    fresh = [
        s / n + sqrt(state.rate[0] / n) for n, s in zip(state.pulls[0], state.sums[0], strict=True)
    ]
    assert state.score[0] == pytest.approx(fresh)


@pytest.mark.parametrize("spec", ["MOSS", "SR", "SH", "UCBrev", "UCBE(c=2)", "bUCB(c=1)"])
def test_a_policy_that_needs_the_horizon_says_so(spec: str) -> None:
    with pytest.raises(spnb.SpecError, match="needs to know the horizon"):
        spnb.policy(spec).init(1, Setting(3))


def test_ucbe_says_that_only_an_oracle_knows_the_hardness() -> None:
    with pytest.raises(spnb.SpecError, match=r"needs H1.*UCBE\(c=2, adaptive\)"):
        spnb.policy("UCBE(c=2)").init(1, Setting(3, 100))


def test_a_setting_refuses_nonsense() -> None:
    with pytest.raises(spnb.SpecError, match="at least 1 arm, got 0"):
        Setting(0)
    with pytest.raises(spnb.SpecError, match="at least 1 round, got 0"):
        Setting(1, 0)
