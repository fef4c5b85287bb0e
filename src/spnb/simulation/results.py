"""What a simulation found: curves, summaries with intervals, paired differences, JSON."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from spnb.base.errors import DataError
from spnb.base.files import write_text
from spnb.base.version import own_version
from spnb.engine.arrays import FloatArray, IntArray
from spnb.simulation.metrics import Estimate, mean_interval, share_interval, within_unit


@dataclass(frozen=True, slots=True)
class Curve:
    """A mean against the round, with its 95 % interval."""

    rounds: IntArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray

    def to_dict(self) -> dict[str, list[float | None]]:
        """Plain JSON values; null where one run gives no interval."""
        ends = {name: getattr(self, name) for name in ("mean", "low", "high")}
        plain = {n: [None if v != v else v for v in a.tolist()] for n, a in ends.items()}  # noqa: PLR0124 - nan is not
        return {"rounds": self.rounds.tolist(), **plain}


@dataclass(frozen=True, slots=True)
class RegretRuns:
    """One agent's runs: a value of each metric for every run, and two curves."""

    regret: FloatArray
    pulls_per_round: FloatArray
    opt: FloatArray
    opti: FloatArray
    pulls: FloatArray  # [runs] pulls in all
    regret_curve: Curve
    pulls_curve: Curve

    def summary(self) -> dict[str, Estimate]:
        """Means with 95 % intervals; those of shares end at 0 and 1."""
        free = {n: mean_interval(getattr(self, n)) for n in ("regret", "pulls_per_round")}
        return free | {n: within_unit(mean_interval(getattr(self, n))) for n in ("opt", "opti")}

    def curves(self) -> dict[str, Any]:
        """Regret and pulls against the round, as plain JSON values."""
        return {"regret": self.regret_curve.to_dict(), "pulls": self.pulls_curve.to_dict()}


@dataclass(frozen=True, slots=True)
class IdentifyRuns:
    """One agent's identification runs."""

    error: FloatArray  # 1 where the answer was wrong
    rounds: FloatArray
    pulls: FloatArray
    undecided: FloatArray  # 1 where it had not stopped by itself
    arm_errors: FloatArray  # [runs, K] 1 where an arm was put on the wrong side; [runs, 0] if none

    def summary(self) -> dict[str, Estimate]:
        return {
            "error": share_interval(float(self.error.sum()), len(self.error)),
            "rounds": mean_interval(self.rounds),
            "pulls": mean_interval(self.pulls),
        }

    def undecided_share(self) -> Estimate:
        """How often it had not stopped by itself when its time was up."""
        return share_interval(float(self.undecided.sum()), len(self.undecided))

    def arm_error(self) -> FloatArray:
        """[K]: how often each arm was put on the wrong side, where the answer is a set."""
        return self.arm_errors.mean(axis=0)


class _Result:
    """What both kinds of result share: agents by the spec they were given as."""

    agents: Mapping[str, Any]

    def summary(self) -> dict[str, dict[str, Estimate]]:
        """Every agent's metrics with 95 % intervals."""
        return {spec: runs.summary() for spec, runs in self.agents.items()}

    def paired(self, metric: str, first: str, second: str) -> Estimate:
        """Mean of ``first`` - ``second`` over the runs, both in the same world, 95 % interval."""
        return mean_interval(self._values(metric, first) - self._values(metric, second))

    def to_json(self, path: str | Path | None = None) -> str:
        """``to_dict`` as JSON; written to ``path`` as well if one is given."""
        text = json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"
        if path is not None:
            write_text(Path(path), text)
        return text

    def to_dict(self) -> dict[str, Any]:
        raise NotImplementedError

    def _values(self, metric: str, spec: str) -> FloatArray:
        if spec not in self.agents:
            raise DataError(f"no agent {spec!r} in this result; it has {', '.join(self.agents)}")
        values = getattr(self.agents[spec], str(metric), None)
        if not isinstance(values, np.ndarray):
            runs = self.agents[spec]
            known = [f.name for f in fields(runs) if isinstance(getattr(runs, f.name), np.ndarray)]
            raise DataError(f"no metric {metric!r} in this result; it has {', '.join(known)}")
        return values

    def _summaries(self) -> dict[str, Any]:
        return {
            spec: {metric: estimate.to_dict() for metric, estimate in metrics.items()}
            for spec, metrics in self.summary().items()
        }

    def _pairs(self, metrics: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        for first, second in combinations(self.agents, 2):
            estimates = {m: self.paired(m, first, second).to_dict() for m in metrics}
            yield f"{first} - {second}", estimates


@dataclass(frozen=True, slots=True)
class Comparison(_Result):
    """Agents compared on regret."""

    seed: int
    rounds: int
    runs: int
    agents: Mapping[str, RegretRuns]
    lower_bound: Curve
    one_pull_bound: Curve
    problem: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    limit: Curve | None = None  # of mean regret, by the number of rounds; no agent goes below

    @property
    def changing(self) -> bool:
        """Whether regret is dynamic: counted against the arm that is best in each round."""
        return bool(self.problem.get("changing"))

    @property
    def cost(self) -> float | None:
        """Of a pull, where regret is counted against pulling exactly the arms above it."""
        return self.settings.get("cost")

    def to_dict(self) -> dict[str, Any]:
        """All that is needed to read it without this program: problem, settings, curves."""
        return {
            "spnb": own_version(),
            "kind": "comparison",
            "problem": dict(self.problem),
            "settings": dict(self.settings),
            "seed": self.seed,
            "rounds": self.rounds,
            "runs": self.runs,
            "agents": self._summaries(),
            "paired": dict(self._pairs(("regret",))),
            "curves": {spec: runs.curves() for spec, runs in self.agents.items()},
            "lower_bound": self.lower_bound.to_dict(),
            "one_pull_bound": self.one_pull_bound.to_dict(),
            "limit": None if self.limit is None else self.limit.to_dict(),
        }

    def plot(self, path: str | Path) -> None:
        """Draw the regret curves, with the lower bound and the limit where there is one."""
        from spnb.report.figures import regret_figure, save

        save(regret_figure(self), Path(path))


@dataclass(frozen=True, slots=True)
class Identification(_Result):
    """Agents compared on finding the best arm, or the arms above a level.

    With a ``confidence`` every agent stopped when it was sure; an error is a stop with a wrong
    answer, ``reference`` is T*(mu) ln(1/delta) pulls, averaged over the problems of the runs.
    """

    seed: int
    budget: int
    limit: str
    runs: int
    agents: Mapping[str, IdentifyRuns]
    problem: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    reference: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """All that is needed to read it without this program: problem, version, settings."""
        agents = self._summaries()
        for spec, runs in self.agents.items():
            if self.confidence is not None:
                agents[spec]["undecided"] = runs.undecided_share().to_dict()
            if runs.arm_errors.shape[1]:
                agents[spec]["arm_errors"] = runs.arm_error().tolist()
        return {
            "spnb": own_version(),
            "kind": "identification",
            "problem": dict(self.problem),
            "settings": dict(self.settings),
            "seed": self.seed,
            "budget": self.budget,
            "limit": self.limit,
            "confidence": self.confidence,
            "reference": self.reference,
            "runs": self.runs,
            "agents": agents,
            "paired": dict(self._pairs(("error", "rounds", "pulls"))),
        }

    def plot(self, path: str | Path) -> None:
        """Draw error, rounds and pulls of every agent."""
        from spnb.report.figures import identification_figure, save

        save(identification_figure(self), Path(path))
