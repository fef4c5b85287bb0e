"""The Beta posterior of an arm's mean, Beta(1+S, 1+N-S), and what is known of its upper tail.

Its density f is log-concave, so where it falls it lies below its tangent at a level: the tail
beyond the level has at most the mass under that tangent, f(level)/slope, and not much less.
"""

from dataclasses import dataclass

from spnb.bandits.policies.base import Stats
from spnb.engine.arrays import FloatArray, Numbers
from spnb.engine.compiled import part
from spnb.engine.special import betainc, betaincinv


@dataclass(slots=True)
class Posteriors(Stats):
    norm: FloatArray  # [B, K] ln of the factor that makes x^S (1-x)^(N-S) a density


@part
def tail(wins: Numbers, losses: Numbers, level: Numbers) -> Numbers:
    """The probability that the mean lies beyond ``level``.

    Through the mirrored Beta, so that a tail of 1e-9 is not lost beside 1.
    """
    return betainc(1 + losses, 1 + wins, 1 - level)


@part
def quantile(wins: Numbers, losses: Numbers, beyond: Numbers) -> Numbers:
    """The level beyond which the mean lies with probability ``beyond``: the inverse of ``tail``."""
    return 1 - betaincinv(1 + losses, 1 + wins, beyond)
