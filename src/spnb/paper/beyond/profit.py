"""Profit: Worth, where every pull has a cost."""

from dataclasses import dataclass
from typing import ClassVar

from spnb.paper.beyond.study import Case, Study
from spnb.problems import RandomMeans


@dataclass(frozen=True)
class Profit(Study):
    name: ClassVar[str] = "beyond-profit"
    title: ClassVar[str] = "When pulls cost"
    advice: ClassVar[str] = (
        "Every arm above the cost is worth having: Worth. If hardly any arm can pay, all that "
        "Worth does is to find that out, and an agent that looks for the one best arm loses as "
        "much on its single pull a day."
    )

    arms: int = 10
    rounds: int = 1000

    def cases(self) -> dict[str, Case]:
        return {
            "half": self._case("half of the arms pay (cost 0.5, uniform means)", True, 0.5),
            "few": self._case("a tenth of the arms pays (cost 0.9, uniform means)", False, 0.9),
        }

    def _case(self, title: str, helps: bool, cost: float) -> Case:
        agents = ("Challenge", "Seq(TS)", f"Worth(cost={cost})", f"Worth(TS, cost={cost})")
        return Case(title, helps, RandomMeans(self.arms), agents, self.rounds, cost=cost)
