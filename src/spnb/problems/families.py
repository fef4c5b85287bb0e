"""Families of problems: every run draws its means anew, each independently of the others."""

from dataclasses import dataclass

import numpy as np

from spnb.base import params
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.dice import stream_keys, uniform
from spnb.problems.stationary import DrawnMeans


@dataclass(frozen=True)
class RandomMeans(DrawnMeans):
    """Bernoulli arms whose means are low + (high - low) Beta(a, b), drawn for every run."""

    arms: int = 10
    a: float = 1.0
    b: float = 1.0
    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        params.whole(self, "arms", least=2)
        params.positive(self, "a")
        params.positive(self, "b")
        params.share(self, "low")
        params.share(self, "high")
        if not self.low < self.high:
            params.refuse(self, "high", f"above low, which is {self.low!r}")

    def draw_means(self, seed: int, runs: IntArray) -> FloatArray:
        keys = stream_keys(seed, "means", runs)
        return self.quantile(uniform(keys[:, None], np.arange(self.arms)))

    def quantile(self, share: FloatArray) -> FloatArray:
        """The mean below which this share of all means lies."""
        from scipy.special import betaincinv

        inside: FloatArray = betaincinv(self.a, self.b, share)
        return self.low + (self.high - self.low) * inside


@dataclass(frozen=True)
class DailyMeans(DrawnMeans):
    """Bernoulli arms on the circle of hours: every run draws a smooth profile with one peak.

    base + height exp(sharpness (cos(2 pi (i/K - peak)) - 1)); base uniform on [0.1, 0.3], height on
    [0.2, 0.6], sharpness on [1, 6], and the peak anywhere.
    """

    arms: int = 24

    def __post_init__(self) -> None:
        params.whole(self, "arms", least=2)

    def draw_means(self, seed: int, runs: IntArray) -> FloatArray:
        luck = uniform(stream_keys(seed, "means", runs)[:, None], np.arange(4))
        base, height, sharpness, peak = (luck[:, [i]] for i in range(4))
        away = np.cos(2 * np.pi * (np.arange(self.arms) / self.arms - peak)) - 1
        return 0.1 + 0.2 * base + (0.2 + 0.4 * height) * np.exp((1 + 5 * sharpness) * away)


def families(arms: int = 10) -> dict[str, RandomMeans]:
    """Means of any size, mostly small, close together, and of the size of click rates."""
    return {
        "uniform": RandomMeans(arms),
        "beta": RandomMeans(arms, a=1.0, b=3.0),
        "clustered": RandomMeans(arms, low=0.4, high=0.6),
        "clicks": RandomMeans(arms, low=0.01, high=0.08),
    }
