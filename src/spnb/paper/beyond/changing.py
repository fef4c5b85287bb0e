"""Days that change: policies that forget, against agents that do not."""

from dataclasses import dataclass
from typing import ClassVar

from spnb.paper.beyond.study import Case, Study
from spnb.problems import Abrupt, Drifting, RandomMeans, Seasonal

AGENTS = (
    "Seq(TS)", "Challenge", "Challenge(DTS(discount=0.98))", "Challenge(DTS(discount=0.995))",
    "Challenge(SWTS(window=200))", "Challenge(GLRKLUCB)", "Seq(GLRKLUCB)",
)  # fmt: skip


@dataclass(frozen=True)
class ChangingDays(Study):
    name: ClassVar[str] = "beyond-changing"
    title: ClassVar[str] = "Days that change"
    advice: ClassVar[str] = (
        "Rare, large changes, or means that drift: Challenge(GLRKLUCB), which costs little if "
        "there are none. Means that swing all the time: Challenge(DTS(discount=0.98)). A discount "
        "of 0.995 is a compromise, for changes that may come or not. No change: neither, use "
        "Stakes or Challenge."
    )

    arms: int = 10
    rounds: int = 2000

    def cases(self) -> dict[str, Case]:
        stage = max(self.rounds // 4, 1)
        return {
            "abrupt": self._case("all means anew three times", Abrupt(self.arms, stage)),
            "drifting": self._case("means that drift", Drifting(self.arms)),
            "seasonal": self._case("means that swing", Seasonal(self.arms)),
            "still": Case(
                "no change", False, RandomMeans(self.arms), AGENTS, self.rounds, limit=True
            ),
        }

    def _case(self, title: str, problem: object) -> Case:
        return Case(title, True, problem, AGENTS, self.rounds)
