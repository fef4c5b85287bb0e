"""Best-arm identification on seven problems (figures 2, S3 and S4), and what rounds and pulls buy.

LP stops Seq(UCBE) after as many pulls as UCBE makes, LR after as many rounds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np

from spnb import theory
from spnb.engine.arrays import FloatArray
from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.paper.experiments.rm import Agents
from spnb.problems import BUDGETS, Problem, experiment
from spnb.simulation.results import IdentifyRuns
from spnb.simulation.simulate import identify

Limit = Literal["pulls", "rounds"]
Key = tuple[int, str]

BY_C = ("UCBE", "LP", "LR", "LP random", "LP ahead", "LR ahead")
REMARK_ARMS = (2, 4, 10, 25, 50)
LONG = 10**9  # rounds, so many that K does not count beside them

SHOWN_C = 2.0  # the paper's main text
HALF = (1 / 2, 1.0)
PACKS = ((1 / 8, 1.0), (1 / 4, 1.0), HALF, (3 / 4, 1.0), (1 / 4, 1 / 2), (1 / 4, 3 / 4))
"""(rounds, pulls) of Pack as shares of UCBE's."""

# Label -> spec, with {c} where the value of c goes. As the authors play them: their ties go to
# the lowest position, where the best arm stands.
PAPER: Agents = (
    ("UCBE", 'UCBE(c={c}, ties="first")'),
    ("LP", 'Seq(UCBE(c={c}, ties="first"))'),
    ("LR", 'Seq(UCBE(c={c}, ties="first"))'),
    ("SR+", 'SR+(ties="first")'),
    ("SR", 'SR(ties="first")'),
)
OURS: Agents = (
    ("LP random", 'Seq(UCBE(c={c}, ties="random"))'),
    ("LP ahead", 'Seq(UCBE(c={c}, ties="ahead"))'),
    ("LR ahead", 'Seq(UCBE(c={c}, ties="ahead"))'),
    ("SR+ random", "SR+"),
    ("SH+", "SH+"),
    ("Uniform+", "Uniform+"),
    ("Pack", "Pack(UCBE(c=2), rounds={rounds}, pulls={pulls})"),
)
# Without an oracle's knowledge; another such policy is one more line here.
FREE: Agents = (("Pack plugin", "Pack(UCBE(c=2, plugin), rounds={rounds}, pulls={pulls})"),)


def c_text(c: float) -> str:
    """2.0 as "2": how a value of c names results and figures."""
    return repr(float(c)).removesuffix(".0")


def find(
    problem: Problem, spec: str, budget: int, limit: Limit, runs: int, seed: int
) -> IdentifyRuns:
    return identify(problem, spec, budget=budget, limit=limit, runs=runs, seed=seed).agents[spec]


@dataclass(frozen=True)
class BAI:
    """``agents`` are (label, spec): the label names a part, the spec plays it."""

    name: ClassVar[str] = "bai"

    runs: int = 1000
    seed: int = 1
    c: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)
    experiments: tuple[int, ...] = tuple(BUDGETS)
    packs: tuple[tuple[float, float], ...] = PACKS
    agents: Agents = (*PAPER, *OURS, *FREE)

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
        players: dict[str, tuple[str, int, Limit]] = {}
        for label, spec in self.agents:
            limit: Limit = "rounds" if label.startswith("LR") else "pulls"
            if "Pack" in label:
                # Those without oracle knowledge are tried at half of the rounds alone.
                for share in self.packs if label == "Pack" else (HALF,):
                    rounds, pulls = (max(1, round(part * tau)) for part in share)
                    filled = spec.format(rounds=rounds, pulls=pulls)
                    players[pack_label(share, label)] = (filled, pulls, "pulls")
            elif label in BY_C:
                for c in map(c_text, self.c):
                    players[f"{label} {c}"] = (spec.format(c=c), tau, limit)
            else:
                players[label] = (spec, tau, limit)
        return players

    @property
    def free(self) -> list[str]:
        """The labels of Pack without oracle knowledge."""
        return [label for label, _ in self.agents if "Pack" in label and label != "Pack"]

    def results(self, found: Mapping[Key, IdentifyRuns]) -> Plain:
        return {
            "runs": self.runs,
            "c": [c_text(c) for c in self.c],
            "experiments": {str(n): self._experiment(n, found) for n in self.experiments},
            "overall": {c_text(c): self._overall(c_text(c), found) for c in self.c},
            "SR - SR+": self._averaged("SR", "SR+", found),
            "beyond": self._beyond(found),
            "remark": remark(),
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
                a: plain.identification(mine[a], tau)
                for a in ("SR+", "SR", "SR+ random", "SH+", "Uniform+")
            }
            | {a: plain.identification(mine[pack_label(HALF, a)], tau) for a in self.free},
            "SR - SR+": _change(mine, "SR", "SR+", "rounds", tau),
            "ties": self._ties(mine, tau),
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

    def _ties(self, mine: Mapping[str, IdentifyRuns], tau: int) -> Plain:
        """What a way of settling ties does to the rounds of LP, for each c."""
        return {
            c: {
                f"{new} - {old}": _change(mine, f"{_lp(new)} {c}", f"{_lp(old)} {c}", "rounds", tau)
                for new, old in (("ahead", "random"), ("ahead", "first"), ("random", "first"))
            }
            for c in map(c_text, self.c)
        }

    def _overall(self, c: str, found: Mapping[Key, IdentifyRuns]) -> Plain:
        """Differences of error averaged over the problems, run by run (problems share dice)."""
        return {name: self._averaged(first, second, found) for name, first, second in _pairs(c)}

    def _beyond(self, found: Mapping[Key, IdentifyRuns]) -> Plain:
        """Pack in half of the rounds against the others, errors averaged over the problems."""
        c = c_text(SHOWN_C)
        half = pack_label(HALF)
        if SHOWN_C not in self.c or HALF not in self.packs:
            return {}
        pairs = [("Pack - UCBE", half, f"UCBE {c}"), ("Pack - SR+", half, "SR+ random")]
        for label in self.free:
            own = pack_label(HALF, label)
            pairs += [(f"{label} - UCBE", own, f"UCBE {c}"), (f"{label} - SR+", own, "SR+ random")]
        return {name: self._averaged(first, second, found) for name, first, second in pairs}

    def _averaged(self, first: str, second: str, found: Mapping[Key, IdentifyRuns]) -> Plain:
        differences = [found[n, first].error - found[n, second].error for n in self.experiments]
        return _errors(np.mean(differences, axis=0))


def pack_label(share: tuple[float, float], label: str = "Pack") -> str:
    return f"{label} {share[0]:g} {share[1]:g}"


def _lp(ties: str) -> str:
    return "LP" if ties == "first" else f"LP {ties}"


def _change(mine: Mapping[str, IdentifyRuns], new: str, old: str, metric: str, tau: int) -> Plain:
    return plain.mean((getattr(mine[new], metric) - getattr(mine[old], metric)) / tau)


def _errors(difference: FloatArray) -> Plain:
    """A difference of errors: rare ones may decide, so their range counts."""
    return plain.mean(difference, -1.0, 1.0)


def _pairs(c: str) -> list[tuple[str, str, str]]:
    """(name, label, label) of the differences of error that are spoken of."""
    return [
        ("LP - UCBE", f"LP {c}", f"UCBE {c}"),
        ("LP - SR+", f"LP {c}", "SR+"),
        ("LR - UCBE", f"LR {c}", f"UCBE {c}"),
        ("LR - SR+", f"LR {c}", "SR+"),
        ("LP ahead - LP random", f"LP ahead {c}", f"LP random {c}"),
    ]


def _at(c: str, mine: Mapping[str, IdentifyRuns], tau: int) -> Plain:
    agents = {name: plain.identification(mine[f"{name} {c}"], tau) for name in BY_C}
    paired = {
        name: _errors(mine[first].error - mine[second].error) for name, first, second in _pairs(c)
    }
    return {"agents": agents, "paired": paired}


def remark() -> Plain:
    """How many times the exponent of SR that of SR+ is in theorem 4, and what the paper says."""
    return {
        str(arms): {
            "factor": plain.number(theory.sr_plus_gain(arms, LONG)),
            "said": plain.number(arms / theory.log_bar(arms)),
        }
        for arms in REMARK_ARMS
    }
