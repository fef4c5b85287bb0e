"""Random numbers with an address: a hash of a key and a counter, so nothing depends on who asks.

Every run has a key for what its arms pay and a key for each agent's own dice; both are a function
of the seed, of what they are for, and of the run's number alone.
"""

import hashlib
import secrets
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spnb.base.errors import SpecError
from spnb.engine.maths import CENTRAL, central_quantile, exp, log, sqrt
from spnb.engine.state import Count, Key, State

Keys = NDArray[np.uint64]

MASK = (1 << 64) - 1
WEYL, MIX1, MIX2 = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB
TO_UNIT = 2.0**-53
EDGE = 1.6448536269514722  # the normal quantile of 1/2 + CENTRAL


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
        """A standard normal variable: its quantile; the tails by rejection (Marsaglia 1964)."""
        q = self.random() - 0.5
        if abs(q) < CENTRAL:
            return central_quantile(q)
        while True:
            x = sqrt(EDGE * EDGE + 2.0 * self.exponential())
            if self.random() * x < EDGE:
                return x if q > 0.0 else -x

    def gamma(self, shape: float) -> float:
        """A Gamma(shape, 1) variable (Marsaglia & Tsang 2000)."""
        d = shape + (1.0 if shape < 1.0 else 0.0) - 1.0 / 3.0
        c = 1.0 / sqrt(9.0 * d)
        while True:
            x, luck = self.normal(), self.random()
            v = 1.0 + c * x
            if v > 0.0:
                v, square = v * v * v, x * x
                if luck < 1.0 - 0.0331 * square * square:  # settles most draws without a logarithm
                    break
                if log(luck) < 0.5 * square + d - d * v + d * log(v):
                    break
        return d * v if shape >= 1.0 else d * v * exp(-self.exponential() / shape)

    def beta(self, a: float, b: float) -> float:
        """A Beta(a, b) variable: a share of two gammas; inverted where that is quick."""
        if a == 1.0:
            return 1.0 - exp(log(1.0 - self.random()) / b)
        if b == 1.0:
            return exp(log(1.0 - self.random()) / a)
        x, y = self.gamma(a), self.gamma(b)
        return x / (x + y) if x + y > 0.0 else 0.5
