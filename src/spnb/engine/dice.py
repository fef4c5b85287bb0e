"""Random numbers with an address: a hash of a key and a counter, so nothing depends on who asks.

Every run has a key for what its arms pay and a key for each agent's own dice; both are a function
of the seed, of what they are for, and of the run's number alone.
"""

import hashlib
import math
import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spnb.base.errors import SpecError
from spnb.engine.maths import exp, log, sqrt
from spnb.engine.state import Count, Key, State

Keys = NDArray[np.uint64]

MASK = (1 << 64) - 1
WEYL, MIX1, MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
TO_UNIT = 2.0**-53


def mix(z: Any) -> Any:
    """Scramble 64 bits (the finaliser of SplitMix64): a whole number, or an array of them."""
    z = ((z ^ (z >> 30)) * MIX1) & MASK
    z = ((z ^ (z >> 27)) * MIX2) & MASK
    return z ^ (z >> 31)


def unit(key: Any, count: Any) -> Any:
    """The ``count``-th number in [0, 1) of a key's stream; compiled in ``engine/native.py``."""
    z = (key + count * WEYL) & MASK  # and `mix`, written out: this is the innermost call of all
    z = ((z ^ (z >> 30)) * MIX1) & MASK
    z = ((z ^ (z >> 27)) * MIX2) & MASK
    return ((z ^ (z >> 31)) >> 11) * TO_UNIT


def uniform(keys: Keys, counter: Any) -> NDArray[np.float64]:
    """``unit`` of whole arrays."""
    numbers: NDArray[np.float64] = unit(keys, np.asarray(counter).astype(np.uint64))
    return numbers


def generator(seed: int, purpose: str) -> np.random.Generator:
    """A generator of NumPy's, for numbers that no run depends on offer by offer."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(*_words(purpose), 0)))


def _words(purpose: str) -> tuple[int, ...]:
    digest = hashlib.sha256(purpose.encode()).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))


def stream_keys(seed: int, purpose: str, runs: Any) -> Keys:
    """One key for each run; the numbers of a run do not depend on which others are simulated."""
    address = np.random.SeedSequence(seed, spawn_key=_words(purpose))
    base = address.generate_state(1, np.uint64)[0]
    with np.errstate(over="ignore"):  # the hash wraps around on purpose
        keys: Keys = mix(base + np.asarray(runs).astype(np.uint64) * np.uint64(WEYL))
    return keys


def checked_seed(seed: int | None) -> int:
    """The seed to record: the one given, or a fresh one."""
    if seed is None:
        return secrets.randbits(32)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise SpecError(f"seed must be a whole number >= 0, got {seed!r}")
    return int(seed)


class Dice(State):
    """The random numbers of one run: its key, and how many it has drawn."""

    key: Key
    drawn: Count

    def random(self) -> float:
        """A number in [0, 1)."""
        luck: float = unit(self.key, self.drawn)
        self.drawn += 1
        return luck

    def exponential(self) -> float:
        """A standard exponential variable."""
        return -log(1.0 - self.random())

    def normal(self) -> float:
        """A standard normal variable (Box & Muller 1958)."""
        radius = sqrt(2.0 * self.exponential())
        return radius * math.cos(2.0 * math.pi * self.random())

    def gamma(self, shape: float) -> float:
        """A Gamma(shape, 1) variable (Marsaglia & Tsang 2000)."""
        d = shape + (1.0 if shape < 1.0 else 0.0) - 1.0 / 3.0
        c = 1.0 / sqrt(9.0 * d)
        while True:
            x = self.normal()
            v = 1.0 + c * x
            if v > 0.0:
                v = v * v * v
                if log(1.0 - self.random()) < 0.5 * x * x + d - d * v + d * log(v):
                    break
        return d * v if shape >= 1.0 else d * v * exp(-self.exponential() / shape)

    def beta(self, a: float, b: float) -> float:
        """A Beta(a, b) variable (Cheng 1978, algorithm BB; inverted at 1; below 1 by gammas)."""
        if min(a, b) < 1.0:
            x, y = self.gamma(a), self.gamma(b)
            return x / (x + y) if x + y > 0.0 else 0.5
        if a == 1.0:
            return 1.0 - exp(log(1.0 - self.random()) / b)
        if b == 1.0:
            return exp(log(1.0 - self.random()) / a)
        low, high, both = min(a, b), max(a, b), a + b
        scale = sqrt((both - 2.0) / (2.0 * a * b - both))
        while True:
            u, v = max(self.random(), TO_UNIT), self.random()
            logit = log(u / (1.0 - u))
            w = low * exp(scale * logit)
            z = u * u * v
            r = low * scale * logit + logit - 1.3862943611198906  # ln 4
            if low + r - w + 2.6094379124341003 >= 5.0 * z:  # 1 + ln 5: settles most draws
                break
            t = log(z)
            if low + r - w >= t or r + both * log(both / (high + w)) >= t:
                break
        return (w if low == a else high) / (high + w)
