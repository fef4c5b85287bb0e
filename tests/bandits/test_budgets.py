"""Identification with budgets and no oracle: the plug-in H, continuous rejects, early pulls."""

from itertools import pairwise
from math import ceil, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import spnb
from spnb.bandits.agents import Pack
from spnb.bandits.policies import UCB1
from spnb.theory import log_bar

from .helpers import HORIZON, started, with_counts, with_history

COUNTS = st.lists(
    st.tuples(st.integers(1, 60), st.floats(0, 1)).map(lambda c: (c[0], round(c[0] * c[1]))),
    min_size=2,
    max_size=8,
)


@given(counts=COUNTS)
def test_the_plug_in_index_is_ucbes_with_the_gaps_seen(counts: list[tuple[int, int]]) -> None:
    pulls, sums = map(list, zip(*counts, strict=True))
    policy: Any = spnb.policy("UCBE(c=3, plugin)")
    state = with_counts(policy, pulls, sums)
    n, s = np.array(pulls, dtype=float), np.array(sums, dtype=float)
    leader = int(np.argmax((s + 1) / (n + 2)))
    gap = s[leader] / n[leader] - s / n
    seen = 1 / np.maximum(gap**2, 1 / (4 * n) + 1 / (4 * n[leader]))
    hardness = np.delete(seen, leader).sum()
    index = s / n + np.sqrt(3 * HORIZON / hardness / n)
    assert [policy.score(state, arm, 0.0) for arm in range(len(n))] == pytest.approx(index)


def test_ucbe_estimates_h_in_one_way_only() -> None:
    with pytest.raises(spnb.SpecError, match=r"UCBE\.plugin must be false where"):
        spnb.policy("UCBE(c=2, adaptive, plugin)")
    assert spnb.policy("UCBE(c=2, plugin)").needs == ("horizon",)


class Rejects:
    """Continuous Rejects as its paper writes it down, with sets and sums."""

    def __init__(self, arms: int, budget: float, average: bool) -> None:
        self.pulls, self.sums = np.zeros(arms), np.zeros(arms)
        self.alive, self.budget, self.average = set(range(arms)), budget, average
        self.close = False  # whether the last gap was as good as equal to its bound

    def learn(self, arm: int, reward: float) -> None:
        self.pulls[arm] += 1
        self.sums[arm] += reward
        while self.pulls.min() > 0 and len(self.alive) > 2 and self.drop():
            pass

    def drop(self) -> bool:
        inside = sorted(self.alive)
        outside = [arm for arm in range(len(self.pulls)) if arm not in self.alive]
        means = self.sums / np.maximum(self.pulls, 1)
        worst = min(inside, key=lambda arm: means[arm])
        if outside and self.pulls[worst] <= self.pulls[outside].max():
            return False
        others = [means[arm] for arm in inside if arm != worst]
        gap = (np.mean(others) if self.average else min(others)) - means[worst]
        left = self.budget - self.pulls[outside].sum()
        if left <= 0:
            return False
        beta = log_bar(len(inside)) * self.pulls[inside].sum() / left
        self.close = abs(gap - (1 / sqrt(beta) - 1)) < 1e-9
        if gap <= 1 / sqrt(beta) - 1:
            return False
        self.alive.remove(worst)
        return True


@pytest.mark.parametrize("spec", ["CR-A", "CR-C"])
def test_continuous_rejects_drops_whom_its_paper_drops(spec: str, seed: int) -> None:
    luck, policy = np.random.default_rng(seed), spnb.policy(spec)
    dropped = 0
    for _ in range(30):
        arms, budget = int(luck.integers(2, 9)), int(luck.integers(20, 300))
        means = luck.random(arms)
        state, plain = started(policy, arms, budget), Rejects(arms, budget, spec == "CR-A")
        for _ in range(budget):
            arm = policy.choose(state)
            fewest = min(plain.pulls[i] for i in plain.alive)
            assert arm in plain.alive
            assert plain.pulls[arm] == fewest
            reward = float(luck.random() < means[arm])
            policy.learn(state, arm, reward, 1.0)
            plain.learn(arm, reward)
            if plain.close:  # a gap equal to its bound: rounding decides, and may here and there
                break
            assert {i for i in range(arms) if policy.active(state, i)} == plain.alive
        dropped += arms - len(plain.alive)
    assert dropped > 30


def test_the_last_two_arms_are_pulled_to_the_end() -> None:
    policy = spnb.policy("CR-A")
    state = with_history(policy, [90, 90], [90, 0], horizon=100)
    assert [policy.active(state, arm) for arm in (0, 1)] == [True, True]


@settings(deadline=None)
@given(rounds=st.integers(1, 40), pulls=st.integers(1, 200), arms=st.integers(1, 8))
def test_early_rounds_get_more_and_all_pulls_are_spent(rounds: int, pulls: int, arms: int) -> None:
    agent = Pack(UCB1(), rounds=rounds, pulls=pulls, early=True)
    s, left, quotas = started(agent, arms), pulls, []
    for behind in range(rounds):
        share = ((behind + 1) ** (1 / 3) - behind ** (1 / 3)) / (
            rounds ** (1 / 3) - behind ** (1 / 3)
        )
        assert s.quota == pytest.approx(ceil(left * share), abs=1)  # a root rounded up or not
        quotas.append(min(s.quota, arms))
        for arm in range(arms):
            if agent.wanted(s, arm) == arm:
                agent.pulled(s, arm)
                agent.observe(s, arm, 0.5, 1.0)
                left -= 1
        agent.next_round(s)
    assert left == max(0, left) == int(s.pulls_left)
    assert left == 0 or all(quota == arms for quota in quotas[-1:])
    assert all(sooner >= later for sooner, later in pairwise(quotas))


def test_pack_alone_needs_no_oracle() -> None:
    assert "hardness" not in spnb.agent("Pack").needs
    agent: Any = spnb.agent("Pack(early)")
    assert started(agent, 5, horizon=900).rounds_left == 300
    assert started(spnb.agent("Pack"), 5, horizon=900).rounds_left == 450
