"""Regret close to what is possible: Stakes on families of random problems."""

from dataclasses import dataclass
from typing import ClassVar

from spnb.paper.beyond.study import Case, Study
from spnb.paper.experiments.limits import TITLES, rounds_of
from spnb.problems import Bernoulli, RandomMeans, Synthetic, families

AGENTS = ("Challenge", "Seq(TS)", "Stakes", "Stakes(c=0.8, horizon)", "Stakes(c=0.05)")
# Nobody chose a constant of any agent by these.
ELSEWHERE = {
    "rare": ("12 arms, 0.02 to 0.12", RandomMeans(12, low=0.02, high=0.12), 600),
    "high": ("7 arms, 0.55 to 0.8", RandomMeans(7, low=0.55, high=0.8), 900),
}


@dataclass(frozen=True)
class Regret(Study):
    name: ClassVar[str] = "beyond-regret"
    title: ClassVar[str] = "Regret close to what is possible"
    advice: ClassVar[str] = (
        "The number of rounds is known: Stakes(c=0.8, horizon). It is not: Stakes, or Challenge, "
        "which has a proof. A lost best arm would be a disaster: Stakes(c=0.05), which costs more "
        "where rewards are rare. On one easy problem they hardly differ: the choice matters where "
        "arms are many or close."
    )

    runs: int = 8000  # a few that lose the best arm make up much of a mean
    arms: int = 10
    rounds: int = 1000

    def cases(self) -> dict[str, Case]:
        paper = Case("the paper's", True, Synthetic(self.arms), AGENTS, self.rounds)
        easy = Case("two clear arms", False, Bernoulli((0.9, 0.2)), AGENTS, self.rounds)
        drawn = {
            name: Case(TITLES[name], True, family, AGENTS, rounds_of(name, self.rounds), limit=True)
            for name, family in families(self.arms).items()
        }
        elsewhere = {
            name: Case(title, True, family, AGENTS, min(rounds, self.rounds), limit=True)
            for name, (title, family, rounds) in ELSEWHERE.items()
        }
        return {"paper": paper, **drawn, **elsewhere, "easy": easy}
