"""Bandits of other libraries as policies: anything that selects an arm and learns a reward."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from spnb.bandits.policies.base import IndexPolicy
from spnb.base.errors import DataError, SpecError
from spnb.engine import Setting, inf


class Adapted(IndexPolicy):
    """A bandit of another library; it chooses as it likes, unpulled arms first or not."""

    title: str
    make: Callable[[int, int], Any]
    select: Callable[[Any], int]
    teach: Callable[[Any, int, float], None]
    scores: Callable[[Any], Sequence[float]] | None = None

    compilable: ClassVar[bool] = False  # the bandit stands beside the state, in plain runs only

    def __post_init__(self) -> None:
        from spnb.bandits.registry import find

        super().__post_init__()
        if not isinstance(self.title, str) or find(self.title) is not None:
            raise SpecError(f"Adapted.title must be a name not taken yet, got {self.title!r}")

    def __str__(self) -> str:
        return self.title

    def start(self, s: Any, setting: Setting) -> None:
        s.bandit = self.make(setting.arms, setting.run)

    def choose(self, s: Any) -> int:
        chosen, arms = int(self.select(s.bandit)), len(s.pulls)
        if not 0 <= chosen < arms:
            raise SpecError(f"{self} selected an arm outside 0 to {arms - 1}: {chosen}")
        return chosen

    def learn(self, s: Any, arm: int, reward: float, trials: float) -> None:
        if trials != 1.0:
            raise DataError(f"{self} takes one reward at a time, got {trials:g} trials")
        s.add(arm, reward, trials)
        self.teach(s.bandit, arm, reward)

    def common(self, s: Any, clock: float) -> Sequence[float]:
        if self.scores is None:
            raise SpecError(f"{self} tells no index: give adapt(..., scores=) for this agent")
        return self.scores(s.bandit)

    def score(self, s: Any, arm: int, common: Any) -> float:
        return inf if s.pulls[arm] == 0 else float(common[arm])


def adapt(title: str, *, make: Any, select: Any, learn: Any, scores: Any = None) -> Adapted:
    """A policy out of another library's bandit, to run under Seq, Once, or (with scores) others.

    ``make(arms, number)`` builds the bandit of one run (``number`` tells runs apart, for seeds),
    ``select(bandit)`` gives its arm from 0 on, ``learn(bandit, arm, reward)`` teaches it, and
    ``scores(bandit)`` gives the index of each arm to agents that compare arms, such as Challenge.
    """
    return Adapted(title, make, select, learn, scores)
