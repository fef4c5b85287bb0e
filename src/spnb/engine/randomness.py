"""Randomness with an address: every number is a function of the seed and of where it is used."""

import hashlib
import secrets
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from spnb.base.errors import SpecError
from spnb.engine.arrays import IntArray, Numbers
from spnb.engine.compiled import part

Keys = NDArray[np.uint64]

_WEYL = np.uint64(0x9E3779B97F4A7C15)
_TO_UNIT = 2.0**-53


def checked_seed(seed: int | None) -> int:
    """The seed to record: the one given, or a fresh one."""
    if seed is None:
        return secrets.randbits(32)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise SpecError(f"seed must be a whole number >= 0, got {seed!r}")
    return int(seed)


def generator(seed: int, who: str, block: int = 0) -> np.random.Generator:
    """The generator of one learner on one block of runs, whoever else takes part."""
    address = np.random.SeedSequence(seed, spawn_key=(*_words(who), block))
    return np.random.Generator(np.random.PCG64(address))


def generator_state(rng: np.random.Generator) -> dict[str, Any]:
    return dict(rng.bit_generator.state)


def generator_from_state(state: dict[str, Any]) -> np.random.Generator:
    bits = np.random.PCG64()
    bits.state = cast("Any", state)
    return np.random.Generator(bits)


def stream_keys(seed: int, purpose: str, runs: IntArray) -> Keys:
    """One key for each run; the numbers of a run do not depend on which others are simulated."""
    address = np.random.SeedSequence(seed, spawn_key=_words(purpose))
    base = address.generate_state(1, np.uint64)[0]
    return _mix(base + runs.astype(np.uint64) * _WEYL)


@part
def uniform(keys: Numbers, counter: Numbers) -> Numbers:
    """The ``counter``-th number in [0, 1) of each key's stream (the SplitMix64 generator)."""
    bits = _mix(keys + np.uint64(counter) * _WEYL)
    return (bits >> np.uint64(11)) * _TO_UNIT


@part
def _mix(z: Numbers) -> Numbers:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _words(text: str) -> tuple[int, ...]:
    digest = hashlib.sha256(text.encode()).digest()
    return tuple(int.from_bytes(digest[i : i + 4], "little") for i in range(0, 16, 4))
