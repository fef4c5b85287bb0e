"""Regret on the paper's random problems (figures 1, S1 and S2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from spnb import theory
from spnb.engine.arrays import FloatArray
from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.problems import Problem, Synthetic
from spnb.simulation.results import Comparison, RegretRuns
from spnb.simulation.simulate import simulate

PAPER = ("bUCB", "Seq(bUCB)", "TS", "Seq(TS)", "UCBrev+")
BEYOND = "Challenge"
# Price of a pull beside TS's, so that the time left is told right.
COST = {"bUCB": 4.0, "Seq(bUCB)": 4.5, "UCBrev+": 2.5, "Challenge": 1.5}

Agents = tuple[tuple[str, str], ...]


def named(*specs: str) -> Agents:
    return tuple((spec, spec) for spec in specs)


def play(problem: Problem, spec: str, rounds: int, runs: int, seed: int) -> Comparison:
    return simulate(problem, spec, rounds=rounds, runs=runs, seed=seed)


@dataclass(frozen=True)
class RM:
    """``agents`` are (label, spec): the label names a part in the paper, the spec plays it."""

    name: ClassVar[str] = "rm"

    runs: int = 100
    seed: int = 1
    order: Literal["random", "authors"] = "random"
    arms: tuple[int, ...] = (10, 25, 50)
    rounds: int = 1000
    agents: Agents = named(*PAPER, BEYOND)

    def tasks(self) -> dict[tuple[int, str], Task]:
        wanted = [(arms, label, spec) for arms in self.arms for label, spec in self.agents]
        wanted += [(max(self.arms), spec, spec) for spec in ("UCB1", "Seq(UCB1)")]
        wanted += [(arms, "UCBrev", "UCBrev") for arms in self.arms]
        return {
            (arms, label): Task(
                play,
                (Synthetic(arms, self.order), spec, self.rounds, self.runs, self.seed),
                weight=COST.get(label, 1.0) * (1 + arms / 25),
            )
            for arms, label, spec in wanted
        }

    def results(self, found: Mapping[tuple[int, str], Comparison]) -> Plain:
        runs = {key: only(result) for key, result in found.items()}
        return {
            "rounds": self.rounds,
            "runs": self.runs,
            "order": self.order,
            "problems": {str(arms): self._problem(arms, found, runs) for arms in self.arms},
            "aside": self._aside(runs),
        }

    def _problem(
        self,
        arms: int,
        found: Mapping[tuple[int, str], Comparison],
        runs: Mapping[tuple[int, str], RegretRuns],
    ) -> Plain:
        labels = [label for label, _ in self.agents]
        bounds = found[arms, labels[0]]
        return {
            "agents": {label: plain.regret(runs[arms, label]) for label in labels},
            "paired": paired({label: runs[arms, label] for label in labels}),
            "bounds": {
                "lower": plain.curve(bounds.lower_bound),
                "one_pull": plain.curve(bounds.one_pull_bound),
                **upper_bounds(Synthetic(arms, self.order), self.rounds, self.runs, self.seed),
            },
        }

    def _aside(self, runs: Mapping[tuple[int, str], RegretRuns]) -> Plain:
        """What the paper leaves out of its figures, and where Seq does not help."""

        def difference(arms: int, first: str, second: str) -> Plain:
            return plain.mean(runs[arms, first].regret - runs[arms, second].regret)

        most = max(self.arms)
        return {
            "Seq(UCB1) - UCB1": {str(most): difference(most, "Seq(UCB1)", "UCB1")},
            "UCBrev - UCBrev+": {
                str(arms): difference(arms, "UCBrev", "UCBrev+") for arms in self.arms
            },
        }


def only(result: Comparison) -> RegretRuns:
    """The runs of the one agent of a comparison."""
    (runs,) = result.agents.values()
    return runs


def paired(runs: Mapping[str, RegretRuns]) -> Plain:
    """Differences of regret and Opt*, run by run in the same world."""
    out: Plain = {}
    for policy in ("TS", "bUCB"):
        seq = f"Seq({policy})"
        out[f"{seq} - {policy}"] = plain.mean(runs[seq].regret - runs[policy].regret)
    gains = [runs[policy].regret - runs[f"Seq({policy})"].regret for policy in ("TS", "bUCB")]
    out["gain of TS - gain of bUCB"] = plain.mean(gains[0] - gains[1])
    for label in runs:
        if label not in ("UCBrev+", BEYOND) and "UCBrev+" in runs:
            rest, own = runs["UCBrev+"], runs[label]
            out[f"UCBrev+ - {label}"] = plain.mean(rest.regret - own.regret)
            out[f"Opt* of UCBrev+ - {label}"] = plain.mean(rest.opt - own.opt)
            out[f"pulls per round of UCBrev+ - {label}"] = plain.mean(
                rest.pulls_per_round - own.pulls_per_round
            )
        if label != BEYOND and BEYOND in runs:
            out[f"{BEYOND} - {label}"] = plain.mean(runs[BEYOND].regret - runs[label].regret)
    return out


def upper_bounds(problem: Synthetic, rounds: int, runs: int, seed: int) -> Plain:
    """Theorems 1 and 2 against the round, averaged over the problems of the runs.

    For TS and bUCB only the leading term is known in full; UCB1's bounds are complete.
    """
    at = plain.drawn_rounds(rounds)
    forms = {
        "theorem 1, TS and bUCB": (theory.classical_regret, theory.kl_constants),
        "theorem 2, Seq(TS) and Seq(bUCB)": (theory.seq_regret, theory.kl_constants),
        "theorem 1, UCB1": (theory.classical_regret, theory.ucb1_constants),
        "theorem 2, Seq(UCB1)": (theory.seq_regret, theory.ucb1_constants),
    }
    means = problem.draw_means(seed, np.arange(runs))
    out: Plain = {}
    for label, (bound, constants) in forms.items():
        values: FloatArray = np.array([bound(each, at, *constants(each)) for each in means])
        out[label] = plain.curve_of(values, at)
    return out
