"""What tests of policies and agents share: states with a history, and plain formulas."""

from collections.abc import Sequence
from math import inf, log
from typing import Any

import numpy as np
from scipy.special import rel_entr

from spnb.bandits.policies import Policy
from spnb.engine.loop import Setting
from spnb.engine.state import Layout

HORIZON, H1 = 1000, 50.0


def setting(arms: int, horizon: float = HORIZON, hardness: float = H1) -> Setting:
    told: Setting = Layout.of(Setting, None, {}).fresh()
    told.arms, told.horizon, told.hardness = arms, float(horizon), hardness
    return told


def started(policy: Any, arms: int, horizon: float = HORIZON, key: int = 1) -> Any:
    """The state of a policy or an agent before the first offer."""
    state = Layout.of(policy.State, policy, {"arms": arms}).fresh()
    getattr(state, "policy", state).dice.key = key
    policy.start(state, setting(arms, horizon))
    return state


def with_history(
    policy: Policy, pulls: Sequence[int], sums: Sequence[float], horizon: float = HORIZON
) -> Any:
    """The state after these pulls and rewards, learnt one by one; the last may be a fraction."""
    state = started(policy, len(pulls), horizon)
    for arm, (n, s) in enumerate(zip(pulls, sums, strict=True)):
        for i in range(n):
            policy.learn(state, arm, min(1.0, max(0.0, s - i)), 1.0)
    return state


def with_counts(policy: Policy, pulls: Sequence[float], sums: Sequence[float]) -> Any:
    """The state after so many trials of each arm with these sums, learnt at once."""
    state = started(policy, len(pulls))
    for arm, (n, s) in enumerate(zip(pulls, sums, strict=True)):
        if n:
            policy.learn(state, arm, float(s), float(n))
    return state


def index_of(policy: Any, state: Any, arm: int, clock: float) -> float:
    return float(policy.score(state, arm, policy.common(state, clock)))


def bernoulli_kl(p: float, q: float) -> float:
    def term(a: float, b: float) -> float:
        return 0.0 if a == 0 else inf if b == 0 else a * (log(a) - log(b))

    return term(p, q) + term(1 - p, 1 - q)


def kl_roots(pulls: Any, sums: Any, nats: Any) -> Any:
    """The largest q with N kl(mean, q) <= nats of every arm, by bisection."""
    n = np.asarray(pulls, dtype=float)
    mean, bound = np.asarray(sums) / n, np.asarray(nats) / n
    low, high = mean.copy(), np.ones(len(mean))
    for _ in range(80):
        middle = (low + high) / 2
        inside = rel_entr(mean, middle) + rel_entr(1 - mean, 1 - middle) <= bound
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return np.where(mean == 1.0, 1.0, low)
