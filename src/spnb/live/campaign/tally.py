"""What was counted of an arm."""

from dataclasses import dataclass


@dataclass(slots=True)
class Tally:
    """What was counted of one arm; ``sum`` is that of the rewards told.

    ``more`` are the trials of counts beyond the first of each: told + more trials in all.
    """

    asked: int = 0
    pulled: int = 0
    told: int = 0
    lost: int = 0
    sum: float = 0.0
    more: int = 0

    @property
    def trials(self) -> int:
        return self.told + self.more

    def to_list(self) -> list[float]:
        counts = [self.asked, self.pulled, self.told, self.lost, self.sum]
        return [*counts, self.more] if self.more else counts
