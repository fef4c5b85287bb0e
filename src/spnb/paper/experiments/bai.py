"""Best-arm identification on seven problems (figures 2, S3 and S4), and what rounds and pulls buy.

LP stops Seq(UCBE) after as many pulls as UCBE makes, LR after as many rounds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from spnb.engine.arrays import FloatArray
from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.problems import BUDGETS, Problem, experiment
from spnb.simulation.results import IdentifyRuns
from spnb.simulation.simulate import identify

Limit = Literal["pulls", "rounds"]
Key = tuple[int, str]

SHOWN_C = 2.0  # the paper's main text
PACKS = ((1 / 8, 1.0), (1 / 4, 1.0), (1 / 2, 1.0), (3 / 4, 1.0), (1 / 4, 1 / 2), (1 / 4, 3 / 4))
"""(rounds, pulls) of Pack as shares of UCBE's."""


def c_text(c: float) -> str:
    """2.0 as "2": how a value of c names results and figures."""
    return repr(float(c)).removesuffix(".0")


def find(
    problem: Problem, spec: str, budget: int, limit: Limit, runs: int, seed: int
) -> IdentifyRuns:
    return identify(problem, spec, budget=budget, limit=limit, runs=runs, seed=seed).agents[spec]


@dataclass(frozen=True)
class BAI:
    """``once`` and ``seq`` play UCBE and Seq(UCBE), with {c} where its value goes."""

    name: ClassVar[str] = "bai"

    runs: int = 1000
    seed: int = 1
    c: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)
    experiments: tuple[int, ...] = tuple(BUDGETS)
    packs: tuple[tuple[float, float], ...] = PACKS
    once: str = "UCBE(c={c})"
    seq: str = "Seq(UCBE(c={c}))"
    rejects: str = "SR+"

    def tasks(self) -> dict[Key, Task]:
        return {
            (number, label): Task(
                find,
                (experiment(number), spec, budget, limit, self.runs, self.seed),
                weight=budget * (2.0 if "Pack" in spec else 1.0),
            )
            for number in self.experiments
            for label, (spec, budget, limit) in self._players(BUDGETS[number]).items()
        }

    def _players(self, tau: int) -> dict[str, tuple[str, int, Limit]]:
        """Label -> (spec, budget, what it limits)."""
        players: dict[str, tuple[str, int, Limit]] = {
            "SR+": (self.rejects, tau, "pulls"),
            "SR": ("SR", tau, "pulls"),
            "SH+": ("SH+", tau, "pulls"),
            "Uniform+": ("Uniform+", tau, "pulls"),
        }
        for c in map(c_text, self.c):
            players[f"UCBE {c}"] = (self.once.format(c=c), tau, "pulls")
            players[f"LP {c}"] = (self.seq.format(c=c), tau, "pulls")
            players[f"LR {c}"] = (self.seq.format(c=c), tau, "rounds")
        for share in self.packs:
            rounds, pulls = (max(1, round(part * tau)) for part in share)
            spec = f"Pack(UCBE(c=2), rounds={rounds}, pulls={pulls})"
            players[pack_label(share)] = (spec, pulls, "pulls")
        return players

    def results(self, found: Mapping[Key, IdentifyRuns]) -> Plain:
        return {
            "runs": self.runs,
            "c": [c_text(c) for c in self.c],
            "experiments": {str(n): self._experiment(n, found) for n in self.experiments},
            "overall": {c_text(c): self._overall(c_text(c), found) for c in self.c},
        }

    def _experiment(self, number: int, found: Mapping[Key, IdentifyRuns]) -> Plain:
        tau, problem = BUDGETS[number], experiment(number)
        mine = {label: runs for (n, label), runs in found.items() if n == number}
        packs = [
            {
                "rounds_share": r,
                "pulls_share": p,
                **plain.identification(mine[pack_label((r, p))], tau),
            }
            for r, p in self.packs
        ]
        return {
            "arms": problem.arms,
            "budget": tau,
            "h1": plain.number(problem.h1),
            "agents": {
                a: plain.identification(mine[a], tau) for a in ("SR+", "SR", "SH+", "Uniform+")
            },
            "packs": packs,
            "c": {c_text(c): _at(c_text(c), mine, tau) for c in self.c},
            "growth": self._growth(mine, tau),
        }

    def _growth(self, mine: Mapping[str, IdentifyRuns], tau: int) -> list[Plain]:
        """How Psi changes from each value of c to the next larger one."""
        values = [c_text(c) for c in sorted(self.c)]
        return [
            {
                "from": low,
                "to": high,
                "psi_rounds": _change(mine, f"LP {high}", f"LP {low}", "rounds", tau),
                "psi_pulls": _change(mine, f"LR {high}", f"LR {low}", "pulls", tau),
            }
            for low, high in pairwise(values)
        ]

    def _overall(self, c: str, found: Mapping[Key, IdentifyRuns]) -> Plain:
        """Differences of error averaged over the problems, run by run (problems share dice)."""
        return {
            name: plain.mean(
                np.mean([_difference(first, second, n, found) for n in self.experiments], axis=0)
            )
            for name, first, second in _pairs(c)
        }


def pack_label(share: tuple[float, float]) -> str:
    return f"Pack {share[0]:g} {share[1]:g}"


def _change(mine: Mapping[str, IdentifyRuns], new: str, old: str, metric: str, tau: int) -> Plain:
    return plain.mean((getattr(mine[new], metric) - getattr(mine[old], metric)) / tau)


def _pairs(c: str) -> list[tuple[str, str, str]]:
    """(name, label, label) of the differences of error that the paper speaks of."""
    return [
        ("LP - UCBE", f"LP {c}", f"UCBE {c}"),
        ("LP - SR+", f"LP {c}", "SR+"),
        ("LR - UCBE", f"LR {c}", f"UCBE {c}"),
        ("LR - SR+", f"LR {c}", "SR+"),
    ]


def _difference(first: str, second: str, number: int, found: Mapping[Any, Any]) -> FloatArray:
    difference: FloatArray = found[number, first].error - found[number, second].error
    return difference


def _at(c: str, mine: Mapping[str, IdentifyRuns], tau: int) -> Plain:
    agents = {name: plain.identification(mine[f"{name} {c}"], tau) for name in ("UCBE", "LP", "LR")}
    paired = {
        name: plain.mean(mine[first].error - mine[second].error)
        for name, first, second in _pairs(c)
    }
    return {"agents": agents, "paired": paired}
