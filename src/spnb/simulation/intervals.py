"""Intervals and one-sided tests of a mean, from a few moments of the values behind it.

Student's interval misses too often on one side where values are skewed. Here each end is the
farther of Student's and of Hall's (1992, transformed for skewness), so neither side is claimed
with less reason than either of the two would give. Values that have a least and a most possible
value are treated as shares are by Agresti and Coull: as if a few more runs had gone as badly as
can be, and as many as well as can be; so a rare outcome that a small sample happened not to see is
not taken for impossible. The coverage of both was tried by simulation (tests/statistical).
"""

from dataclasses import dataclass
from math import cbrt, inf, isfinite, nan, sqrt

import numpy as np

from spnb.engine.arrays import FloatArray

IMAGINED = 2.0  # runs added at either end of a bounded range
# Of sqrt(count): beyond this the transformation throws an end of the interval far away, and few
# values could not tell such a skewness anyhow.
MOST_SKEW = 0.4
_FLAT = 1e-9  # skewness below which the transformation is the identity


@dataclass(frozen=True, slots=True)
class Sample:
    """The moments of some values; ``sd`` is nan where a single one tells nothing of the spread."""

    count: int
    mean: float
    sd: float
    skew: float = 0.0
    least: float = -inf
    most: float = inf

    @classmethod
    def of(cls, values: FloatArray, least: float = -inf, most: float = inf) -> "Sample":
        count, mean = len(values), float(values.mean())
        if count < 2:
            return cls(count, mean, nan, 0.0, least, most)
        off = values - mean
        sd = float(np.sqrt((off**2).sum() / (count - 1)))
        if sd <= 1e-12 * max(1.0, abs(mean)):  # equal but for rounding
            return cls(count, mean, 0.0, 0.0, least, most)
        skew = float((off**3).mean() / (off**2).mean() ** 1.5)
        limit = MOST_SKEW * sqrt(count)
        return cls(count, mean, sd, min(max(skew, -limit), limit), least, most)

    @property
    def _widened(self) -> "Sample":
        """With imagined runs at both ends of the range, if it has ends."""
        if not (isfinite(self.least) and isfinite(self.most)):
            return self
        ends, both = IMAGINED * (self.least + self.most), self.count + 2 * IMAGINED
        mean = (self.count * self.mean + ends) / both
        squares = (self.count - 1) * self.sd**2 + self.count * (self.mean - mean) ** 2
        squares += IMAGINED * ((self.least - mean) ** 2 + (self.most - mean) ** 2)
        return Sample(self.count + int(2 * IMAGINED), mean, sqrt(squares / both))

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """An interval for the true mean; nan where one value gives none."""
        if not isfinite(self.sd):
            return nan, nan
        if self.sd == 0 and not isfinite(self.least):
            return self.mean, self.mean
        from scipy.special import stdtrit

        s = self._widened
        reach = float(stdtrit(s.count - 1, 0.5 + confidence / 2)) / sqrt(s.count)
        low = s.mean - s.sd * max(reach, s._untransformed(reach))
        high = s.mean - s.sd * min(-reach, s._untransformed(-reach))
        return max(low, self.least), min(high, self.most)

    def above(self, level: float) -> float:
        """The p-value of "the true mean is above the level": small where that is shown."""
        return self._tail(level, 1.0)

    def below(self, level: float) -> float:
        """The p-value of "the true mean is below the level"."""
        return self._tail(level, -1.0)

    def _tail(self, level: float, side: float) -> float:
        if not isfinite(self.sd):
            return 1.0
        s = self._widened
        if s.sd == 0:  # all alike: the sign test
            return 0.5**s.count if side * (s.mean - level) > 0 else 1.0
        from scipy.special import stdtr

        off = (s.mean - level) / s.sd
        weakest = min(side * off, side * s._transformed(off))
        return float(stdtr(s.count - 1, -weakest * sqrt(s.count)))

    def _transformed(self, off: float) -> float:
        """Hall's transformation of (mean - level)/sd, which takes the skewness out of it."""
        g = self.skew
        return off + g * off**2 / 3 + g**2 * off**3 / 27 + g / (6 * self.count)

    def _untransformed(self, value: float) -> float:
        g = self.skew
        if abs(g) < _FLAT:
            return value
        return 3 / g * (cbrt(1 + g * (value - g / (6 * self.count))) - 1)
