"""Regret on the paper's random problems (figures 1, S1 and S2)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from spnb import theory
from spnb.engine.arrays import FloatArray
from spnb.paper.experiments import limits, plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.recipe import Task
from spnb.problems import Problem, Synthetic
from spnb.simulation.results import Comparison, RegretRuns
from spnb.simulation.simulate import simulate

Agents = tuple[tuple[str, str], ...]
Order = Literal["random", "authors"]
Key = tuple[int, str, Order]

# As the authors play them; their ties go to the lowest position.
PAPER: Agents = (
    ("bUCB", 'bUCB(ties="first")'),
    ("Seq(bUCB)", 'Seq(bUCB(ties="first"))'),
    ("TS", "TS"),
    ("Seq(TS)", "Seq(TS)"),
    ("UCBrev+", "UCBrev+"),
)
ASIDE: Agents = (("UCBrev", "UCBrev"), ("UCB1", "UCB1"), ("Seq(UCB1)", "Seq(UCB1)"))
BEYOND = "Challenge"
SWEEP = "Seq(TS(sweep))"
OURS: Agents = ((SWEEP, SWEEP), (BEYOND, BEYOND))
# Price of a pull beside TS's, so that the time left is told right.
COST = {"bUCB": 4.0, "Seq(bUCB)": 4.5, "UCBrev+": 2.5, "Challenge": 1.5}


def named(*specs: str) -> Agents:
    return tuple((spec, spec) for spec in specs)


def play(problem: Problem, spec: str, rounds: int, runs: int, seed: int) -> Comparison:
    return simulate(problem, spec, rounds=rounds, runs=runs, seed=seed)


@dataclass(frozen=True)
class RM:
    """``agents`` are (label, spec): the label names a part in the paper, the spec plays it.

    ``order`` is that of the paper's agents; spnb's own are played in it and in a random one.
    """

    name: ClassVar[str] = "rm"

    runs: int = 100
    seed: int = 1
    order: Order = "authors"
    arms: tuple[int, ...] = (10, 25, 50)
    rounds: int = 1000
    agents: Agents = (*PAPER, *ASIDE, *OURS)

    def tasks(self) -> dict[Any, Task]:
        near = limits.tasks(self._judged(), self.rounds, self.runs, self.seed)
        return {**self._played(), **near}

    def _judged(self) -> dict[str, str]:
        """Who is held against what no agent can beat."""
        return {label: spec for label, spec in self.agents if label in ("Seq(TS)", BEYOND)}

    def _played(self) -> dict[Key, Task]:
        return {
            (arms, label, order): Task(
                play,
                (Synthetic(arms, order), spec, self.rounds, self.runs, self.seed),
                weight=COST.get(label, 1.0) * (1 + arms / 25),
            )
            for arms in self.arms
            for label, spec in self.agents
            for order in self._orders(label)
            if "UCB1" not in label or arms == max(self.arms)
        }

    def _orders(self, label: str) -> tuple[Order, ...]:
        if label in ("TS", "Seq(TS)", SWEEP, BEYOND) and self.order != "random":
            return (self.order, "random")
        return (self.order,)

    def results(self, found: Mapping[Any, Any]) -> Plain:
        runs = {key: only(found[key]) for key in self._played()}
        return {
            "rounds": self.rounds,
            "runs": self.runs,
            "order": self.order,
            "problems": {str(arms): self._problem(arms, found, runs) for arms in self.arms},
            "aside": self._aside(runs),
            "limits": limits.results(found, self._judged(), self.rounds),
        }

    def _problem(
        self, arms: int, found: Mapping[Key, Comparison], runs: Mapping[Key, RegretRuns]
    ) -> Plain:
        def of(label: str, order: Order = self.order) -> RegretRuns:
            return runs[arms, label, order]

        labels = [label for label, _ in PAPER]
        ours = ("TS", "Seq(TS)", SWEEP, BEYOND)
        bounds = found[arms, "TS", self.order]
        return {
            "agents": {label: plain.regret(of(label)) for label in labels},
            "paired": paired({label: of(label) for label in labels}),
            "ours": {label: plain.regret(of(label, "random")) for label in ours},
            "worth": {
                name: plain.mean(of(*first).regret - of(*second).regret)
                for name, first, second in self._changes()
            },
            "bounds": {
                "lower": plain.curve(bounds.lower_bound),
                "one_pull": plain.curve(bounds.one_pull_bound),
                **upper_bounds(Synthetic(arms, self.order), self.rounds, self.runs, self.seed),
            },
        }

    def _changes(self) -> list[tuple[str, tuple[str, Order], tuple[str, Order]]]:
        """What spnb does otherwise, one change at a time: name, what with, against what."""
        base: tuple[str, Order] = ("Seq(TS)", self.order)
        return [
            ("random order", ("Seq(TS)", "random"), base),
            ("sweep", (SWEEP, self.order), base),
            ("Challenge", (BEYOND, self.order), base),
            ("Challenge, against Seq(bUCB)", (BEYOND, self.order), ("Seq(bUCB)", self.order)),
            ("Challenge, both in random order", (BEYOND, "random"), ("Seq(TS)", "random")),
        ]

    def _aside(self, runs: Mapping[Key, RegretRuns]) -> Plain:
        """What the paper leaves out of its figures, and where Seq does not help."""

        def difference(arms: int, first: str, second: str) -> Plain:
            one, other = runs[arms, first, self.order], runs[arms, second, self.order]
            return plain.mean(one.regret - other.regret)

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


def paper_seconds(taken: Mapping[Any, float]) -> dict[str, float]:
    """Seconds that the paper's agents took in the paper's order, by the number of arms."""
    labels = [label for label, _ in PAPER]
    out: dict[str, float] = {}
    for key, seconds in taken.items():
        if key[1] in labels and key[2:] == ("authors",):
            out[str(key[0])] = out.get(str(key[0]), 0.0) + seconds
    return {arms: round(out[arms], 3) for arms in sorted(out, key=int)}


def paired(runs: Mapping[str, RegretRuns]) -> Plain:
    """Differences, run by run in the same world: of regret, and of the shares of the best arm."""
    out: Plain = {}
    for policy in ("TS", "bUCB"):
        seq, once = runs[f"Seq({policy})"], runs[policy]
        name = f"Seq({policy}) - {policy}"
        out[name] = plain.mean(seq.regret - once.regret)
        out[f"relative, {name}"] = plain.mean(
            (seq.regret - once.regret) / max(float(once.regret.mean()), 1e-12)
        )
        out[f"Opt* of {name}"] = plain.mean(seq.opt - once.opt)
        out[f"Opti* of {name}"] = plain.mean(seq.opti - once.opti)
    out["gain of TS - gain of bUCB"] = plain.mean(
        (runs["TS"].regret - runs["Seq(TS)"].regret)
        - (runs["bUCB"].regret - runs["Seq(bUCB)"].regret)
    )
    out["Opti* gain of TS - of bUCB"] = plain.mean(
        (runs["Seq(TS)"].opti - runs["TS"].opti) - (runs["Seq(bUCB)"].opti - runs["bUCB"].opti)
    )
    for label, own in runs.items():
        if label != "UCBrev+":
            rest = runs["UCBrev+"]
            out[f"UCBrev+ - {label}"] = plain.mean(rest.regret - own.regret)
            out[f"Opt* of UCBrev+ - {label}"] = plain.mean(rest.opt - own.opt)
            out[f"pulls per round of UCBrev+ - {label}"] = plain.mean(
                rest.pulls_per_round - own.pulls_per_round
            )
    return out


def upper_bounds(problem: Synthetic, rounds: int, runs: int, seed: int) -> Plain:
    """Theorems 1 and 2 against the round, averaged over the problems of the runs.

    For TS only the leading term is known in full; UCB1's bounds are complete.
    """
    at = plain.drawn_rounds(rounds)
    forms = {
        "theorem 1, TS": (theory.classical_regret, theory.kl_constants),
        "theorem 2, Seq(TS)": (theory.seq_regret, theory.kl_constants),
        "theorem 1, UCB1": (theory.classical_regret, theory.ucb1_constants),
        "theorem 2, Seq(UCB1)": (theory.seq_regret, theory.ucb1_constants),
    }
    means = problem.draw_means(seed, np.arange(runs))
    out: Plain = {}
    for label, (bound, constants) in forms.items():
        values: FloatArray = np.array([bound(each, at, *constants(each)) for each in means])
        out[label] = plain.curve_of(values, at)
    return out
