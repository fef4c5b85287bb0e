"""Regret close to what is possible: Stakes on families of random problems."""

from dataclasses import dataclass
from typing import ClassVar

from spnb.paper.beyond.study import Case, Study
from spnb.paper.experiments.limits import TITLES, rounds_of
from spnb.problems import Bernoulli, Synthetic, families

AGENTS = ("Challenge", "Seq(TS)", "Stakes", "Stakes(c=1, horizon)", "Stakes(c=0.05)")


@dataclass(frozen=True)
class Regret(Study):
    name: ClassVar[str] = "beyond-regret"
    title: ClassVar[str] = "Regret close to what is possible"
    advice: ClassVar[str] = (
        "The number of rounds is known: Stakes(c=1, horizon). It is not: Stakes, or Challenge, "
        "which has a proof. A lost best arm would be a disaster: Stakes(c=0.05), which costs more "
        "where rewards are rare. On one easy problem they hardly differ: the choice matters where "
        "arms are many or close."
    )

    arms: int = 10
    rounds: int = 1000

    def cases(self) -> dict[str, Case]:
        paper = Case("the paper's", True, Synthetic(self.arms), AGENTS, self.rounds)
        easy = Case("two clear arms", False, Bernoulli((0.9, 0.2)), AGENTS, self.rounds)
        drawn = {
            name: Case(TITLES[name], True, family, AGENTS, rounds_of(name, self.rounds), limit=True)
            for name, family in families(self.arms).items()
        }
        return {"paper": paper, **drawn, "easy": easy}
