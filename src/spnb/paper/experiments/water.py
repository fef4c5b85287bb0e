"""The monitoring study (figures 6 and S5): in which slot is the limit exceeded most often?

A table [day, slot] of 26 days is replayed to 494 rounds; for every number of rounds the answer
after that many rounds is right or wrong.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spnb.bandits.agents import Agent
from spnb.bandits.spec import agent as parse_agent
from spnb.engine.arrays import FloatArray
from spnb.engine.blocks import split
from spnb.engine.play import Limits, play
from spnb.paper.experiments import plain
from spnb.paper.experiments.bai import c_text, find
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.paper.experiments.rm import Agents
from spnb.problems import Problem, Recorded
from spnb.problems.drawn import WATER_ROUNDS, DrawnRecords
from spnb.simulation.metrics import Goal
from spnb.simulation.simulate import new_game

WINDOW = 75
BUDGETS_PER_TASK = 13
GOAL = 0.9
Table = tuple[tuple[float, ...], ...]


def wrong_by_round(problem: Problem, agent: Agent, rounds: int, runs: int, seed: int) -> FloatArray:
    """[runs, rounds]: 1 where the arm recommended after so many rounds is not the best.

    One run answers for every number of rounds, since the agent's budget is the last of them.
    """
    at = np.arange(1, rounds + 1)
    parts = []
    for block in split(runs, problem.arms):
        worlds = problem.worlds(seed, block)
        goal = Goal.of(worlds.means)
        game = new_game(agent, worlds, seed, block, Limits(rounds), goal.worth, at, advise=True)
        parts.append(np.column_stack([goal.wrong(advice) for advice in play(game).advice.T]))
    return np.concatenate(parts)


def wrong_at_budgets(
    problem: Problem, spec: str, budgets: tuple[int, ...], runs: int, seed: int
) -> FloatArray:
    """[runs, budgets]: the same for an agent that must know its budget, a run for each."""
    return np.column_stack(
        [find(problem, spec, budget, "rounds", runs, seed).error for budget in budgets]
    )


# As the authors play them: their ties go to the lowest position.
AGENTS: Agents = (
    ("UCBE", 'UCBE(c={c}, ties="first")'),
    ("Seq(UCBE)", 'Seq(UCBE(c={c}, ties="first"))'),
    ("Seq(UCBE), ahead", 'Seq(UCBE(c={c}, ties="ahead"))'),
    ("SR+", 'SR+(ties="first")'),
)


@dataclass(frozen=True)
class Water:
    """``table`` is the user's own record; without one, every run draws its own.

    ``agents`` are (label, spec), with {c} where the value of c goes.
    """

    name: ClassVar[str] = "water"

    runs: int = 300
    seed: int = 1
    c: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)
    rounds: int = WATER_ROUNDS
    table: Table | None = None
    source: str = "drawn tables"
    agents: Agents = AGENTS

    @property
    def problem(self) -> Problem:
        return DrawnRecords() if self.table is None else Recorded(np.array(self.table))

    @property
    def budgets(self) -> list[tuple[int, ...]]:
        """All numbers of rounds, in shares of about equal work: long ones with short ones."""
        shares = -(-self.rounds // BUDGETS_PER_TASK)
        return [tuple(range(first, self.rounds + 1, shares)) for first in range(1, shares + 1)]

    def tasks(self) -> dict[tuple[str, Any], Task]:
        common = (self.rounds, self.runs, self.seed)
        tasks: dict[tuple[str, Any], Task] = {}
        for label, spec in self.agents:
            if label == "SR+":  # must know its budget: every number of rounds is a run of its own
                for share in self.budgets:
                    arguments = (self.problem, spec, share, self.runs, self.seed)
                    tasks[label, share] = Task(wrong_at_budgets, arguments, float(sum(share)))
                continue
            for c in map(c_text, self.c):
                agent = parse_agent(spec.format(c=c))
                tasks[label, c] = Task(wrong_by_round, (self.problem, agent, *common), self.rounds)
        return tasks

    def results(self, found: Mapping[tuple[str, Any], FloatArray]) -> Plain:
        rejects = np.zeros((self.runs, self.rounds))
        for share in self.budgets:
            rejects[:, np.array(share) - 1] = found["SR+", share]
        return {
            "source": self.source,
            "drawn": self.table is None,
            "rounds": self.rounds,
            "runs": self.runs,
            "window": window(self.rounds),
            "slots": self.problem.arms,
            "days": DrawnRecords().days if self.table is None else len(self.table),
            "SR+": answers(rejects),
            "c": {c: self._at(c, found, rejects) for c in map(c_text, self.c)},
        }

    def _at(
        self, c: str, found: Mapping[tuple[str, Any], FloatArray], rejects: FloatArray
    ) -> Plain:
        mine = {label: found[label, c] for label, _ in self.agents if label != "SR+"}
        seq, most = mine["Seq(UCBE)"], float(self.rounds)
        others = {"UCBE": mine["UCBE"], "SR+": rejects}
        return {
            "agents": {label: answers(wrong) for label, wrong in mine.items()},
            "paired": {
                f"Seq(UCBE) - {label}": plain.mean((seq - wrong).sum(axis=1), -most, most)
                for label, wrong in others.items()
            },
        }


def window(rounds: int) -> int:
    """The paper's 75 numbers of rounds; fewer where the whole is short."""
    return min(WINDOW, max(1, rounds // 6))


def answers(wrong: FloatArray) -> Plain:
    """Share of right answers against the number of rounds, and how many numbers were wrong.

    The curve starts with the first full window: before, fewer and fewer numbers would be averaged.
    """
    most = wrong.shape[1]
    smooth = rolling_mean(1 - wrong, window(most))
    at = plain.drawn_rounds(most, first=window(most))
    shown = np.arange(window(most), most + 1)
    reached = np.flatnonzero(smooth.mean(axis=0) >= GOAL)
    return {
        "correct": plain.curve_of(smooth[:, at - window(most)], at),
        "wrong_rounds": plain.mean(wrong.sum(axis=1), 0.0, float(most)),
        "rounds_to_90": int(shown[reached[0]]) if reached.size else None,
    }


def rolling_mean(values: FloatArray, width: int) -> FloatArray:
    """Mean of each value and those before it, ``width`` in all, from the first full window on."""
    sums = np.cumsum(values, axis=1)
    sums[:, width:] -= sums[:, :-width].copy()
    return sums[:, width - 1 :] / width
