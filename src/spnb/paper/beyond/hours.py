"""Hours that resemble each other: a Gaussian process and Unimodal TS on the circle."""

from dataclasses import dataclass, replace
from typing import ClassVar, Self

from spnb.paper.beyond.study import Case, Study
from spnb.problems import DailyMeans, RandomMeans

AGENTS = (
    "Seq(TS)", "Challenge", "Seq(GPUCB)", "Seq(GPTS)", "Challenge(GPUCB)", "Challenge(GPTS)",
    "Seq(UTS)", "Challenge(UTS)",
)  # fmt: skip


@dataclass(frozen=True)
class Hours(Study):
    name: ClassVar[str] = "beyond-hours"
    title: ClassVar[str] = "Hours that resemble each other"
    advice: ClassVar[str] = (
        "Arms are hours of a day: Challenge(GPUCB), or Seq(GPTS) if few pulls a day are wanted. "
        "It learns whether neighbours have anything in common, so little is lost if they have "
        "not. UTS only where there is surely one peak and no flat stretch."
    )

    runs: int = 300
    arms: tuple[int, ...] = (24, 96)
    rounds: int = 1000

    def quick(self) -> Self:
        return replace(super().quick(), arms=self.arms[:1])

    def cases(self) -> dict[str, Case]:
        smooth = {f"smooth, {arms}": self._smooth(arms) for arms in self.arms}
        return smooth | {f"unrelated, {arms}": self._unrelated(arms) for arms in self.arms}

    def _smooth(self, arms: int) -> Case:
        title = f"smooth profiles, {arms} arms"
        return Case(title, True, DailyMeans(arms), AGENTS, self.rounds)

    def _unrelated(self, arms: int) -> Case:
        title = f"unrelated arms, {arms} of them"
        return Case(title, False, RandomMeans(arms), AGENTS, self.rounds, limit=True)
