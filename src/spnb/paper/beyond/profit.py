"""Profit: Worth, where every pull has a cost."""

from dataclasses import dataclass
from typing import ClassVar

from spnb.paper.beyond.study import Case, Study
from spnb.problems import Bernoulli, Problem, RandomMeans


@dataclass(frozen=True)
class Profit(Study):
    name: ClassVar[str] = "beyond-profit"
    title: ClassVar[str] = "When pulls cost"
    advice: ClassVar[str] = (
        "Every arm above the cost is worth having: Worth. Where only the best arm pays, an agent "
        "that looks for the best arm loses less: it need not tell bad arms from the cost."
    )

    arms: int = 10
    rounds: int = 1000

    def cases(self) -> dict[str, Case]:
        drawn, one = RandomMeans(self.arms), Bernoulli((0.9, *[0.2] * (self.arms - 1)))
        return {
            "half": self._case("half of the arms pay", True, drawn, 0.5),
            "few": self._case("a tenth of the arms pays", True, drawn, 0.9),
            "one": self._case("only the best arm pays", False, one, 0.5),
        }

    def _case(self, title: str, helps: bool, problem: Problem, cost: float) -> Case:
        agents = ("Challenge", "Seq(TS)", f"Worth(cost={cost})", f"Worth(TS, cost={cost})")
        titled = f"{title} (cost {cost})"
        return Case(titled, helps, problem, agents, self.rounds, cost=cost)
