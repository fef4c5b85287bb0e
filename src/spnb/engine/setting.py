"""What a learner is told before the first offer."""

from dataclasses import dataclass

from spnb.base.errors import SpecError
from spnb.engine.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class Setting:
    """The number of arms, the horizon, and what only an oracle knows.

    ``horizon`` is the number of rounds of a regret run and the budget of an identification run.
    ``hardness`` is H1 of each run's problem: no live learner has it.
    """

    arms: int
    horizon: int | None = None
    hardness: FloatArray | None = None

    def __post_init__(self) -> None:
        if self.arms < 1:
            raise SpecError(f"a setting needs at least 1 arm, got {self.arms}")
        if self.horizon is not None and self.horizon < 1:
            raise SpecError(f"the horizon must be at least 1 round, got {self.horizon}")

    def need_horizon(self, who: object) -> int:
        if self.horizon is None:
            raise SpecError(f"{who} needs to know the horizon: give the number of rounds")
        return self.horizon

    def need_hardness(self, who: object) -> FloatArray:
        if self.hardness is None:
            raise SpecError(
                f"{who} needs H1, which only a simulation knows; live, use UCBE(c=2, adaptive)"
            )
        return self.hardness
