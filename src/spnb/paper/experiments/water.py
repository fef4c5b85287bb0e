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


@dataclass(frozen=True)
class Water:
    """``table`` is the user's own record; without one, every run draws its own.

    ``once`` and ``seq`` play UCBE and Seq(UCBE), with {c} where its value goes.
    """

    name: ClassVar[str] = "water"

    runs: int = 300
    seed: int = 1
    c: tuple[float, ...] = (1.0, 2.0, 4.0, 8.0)
    rounds: int = WATER_ROUNDS
    table: Table | None = None
    source: str = "drawn tables"
    once: str = "UCBE(c={c})"
    seq: str = "Seq(UCBE(c={c}))"
    rejects: str = "SR+"

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
        for c in map(c_text, self.c):
            for label, spec in (("UCBE", self.once), ("Seq(UCBE)", self.seq)):
                agent = parse_agent(spec.format(c=c))
                tasks[label, c] = Task(wrong_by_round, (self.problem, agent, *common), self.rounds)
        for share in self.budgets:
            arguments = (self.problem, self.rejects, share, self.runs, self.seed)
            tasks["SR+", share] = Task(wrong_at_budgets, arguments, float(sum(share)))
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
            "window": WINDOW,
            "slots": self.problem.arms,
            "days": DrawnRecords().days if self.table is None else len(self.table),
            "SR+": answers(rejects),
            "c": {
                c_text(c): _at(found["UCBE", c_text(c)], found["Seq(UCBE)", c_text(c)], rejects)
                for c in self.c
            },
        }


def _at(once: FloatArray, seq: FloatArray, rejects: FloatArray) -> Plain:
    return {
        "agents": {"UCBE": answers(once), "Seq(UCBE)": answers(seq)},
        "paired": {
            "Seq(UCBE) - UCBE": plain.mean((seq - once).sum(axis=1)),
            "Seq(UCBE) - SR+": plain.mean((seq - rejects).sum(axis=1)),
        },
    }


def answers(wrong: FloatArray) -> Plain:
    """Share of right answers against the number of rounds, and how many numbers were wrong."""
    rounds = np.arange(1, wrong.shape[1] + 1)
    smooth = rolling_mean(1 - wrong, WINDOW)
    kept = plain.drawn_rounds(len(rounds)) - 1
    reached = np.flatnonzero(smooth.mean(axis=0) >= GOAL)
    return {
        "correct": plain.curve_of(smooth[:, kept], rounds[kept]),
        "wrong_rounds": plain.mean(wrong.sum(axis=1)),
        "rounds_to_90": int(rounds[reached[0]]) if reached.size else None,
    }


def rolling_mean(values: FloatArray, window: int) -> FloatArray:
    """Mean of each value and those before it, ``window`` in all, fewer at the start."""
    sums = np.cumsum(values, axis=1)
    sums[:, window:] -= sums[:, :-window].copy()
    return sums / np.minimum(np.arange(1, values.shape[1] + 1), window)
