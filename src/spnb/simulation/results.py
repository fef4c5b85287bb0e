"""What a simulation found: curves, summaries with intervals, paired differences, JSON."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from spnb.base.errors import DataError
from spnb.base.files import write_text
from spnb.base.version import own_version
from spnb.engine.arrays import FloatArray, IntArray
from spnb.simulation.metrics import Estimate, mean_interval, share_interval, within_unit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from spnb.simulation.frames import Library

Scale = Literal["linear", "log"]  # of an axis
CURVES = ("regret", "pulls")


@dataclass(frozen=True, slots=True)
class Curve:
    """A mean against the round, with its 95 % interval."""

    rounds: IntArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray

    def __repr__(self) -> str:
        last = Estimate(*(float(end[-1]) for end in (self.mean, self.low, self.high)))
        return f"<Curve of {len(self.rounds)} points: {last} at round {self.rounds[-1]}>"

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

    def __repr__(self) -> str:
        return f"<RegretRuns, {len(self.regret)} runs: {_told(self.summary())}>"

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

    def __repr__(self) -> str:
        return f"<IdentifyRuns, {len(self.error)} runs: {_told(self.summary())}>"

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

    def _best(self, metric: str) -> tuple[str, Estimate]:
        """The agent of the smallest mean, and that mean."""
        found = {spec: metrics[metric] for spec, metrics in self.summary().items()}
        return min(found.items(), key=lambda each: each[1].mean)

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

    def __repr__(self) -> str:
        spec, regret = self._best("regret")
        return (
            f"<Comparison of {_agents_text(self.agents)}, {self.runs} runs of {self.rounds} "
            f"rounds, seed {self.seed}: least regret {regret} by {spec}>"
        )

    def _repr_html_(self) -> str:
        from spnb.report.tables import regret_table

        return regret_table(self).html()

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

    def to_frame(
        self, curve: Literal["regret", "pulls"] | None = None, *, library: "Library | None" = None
    ) -> Any:
        """A data frame: a row for each agent, or for each round of an agent's ``curve``.

        Of pandas if it is installed, else of polars, or of the ``library`` that is named.
        """
        from spnb.simulation.frames import agent_columns, curve_columns, frame

        if curve is None:
            return frame(agent_columns(self.summary()), library)
        if curve not in CURVES:
            raise DataError(f"no curve {curve!r} in this result; it has {', '.join(CURVES)}")
        curves = {spec: getattr(runs, f"{curve}_curve") for spec, runs in self.agents.items()}
        return frame(curve_columns(curves), library)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        axes: "Axes | None" = None,
        scale: Scale | None = None,
        clip: bool = True,
    ) -> "Figure":
        """Draw regret, pulls and shares; given ``axes`` or a ``scale``, the regret alone.

        ``scale`` is that of the rounds. With ``clip`` an agent that ends far above all others
        leaves the frame. The figure is written to ``path`` as well if one is given.
        """
        from spnb.report.figures import regret_figure, regret_panel, save

        whole = axes is None and scale is None
        figure = (
            regret_figure(self, clip=clip)
            if whole
            else regret_panel(self, axes, scale or "linear", clip=clip)
        )
        if path is not None:
            save(figure, Path(path))
        return figure


@dataclass(frozen=True, slots=True)
class Identification(_Result):
    """Agents compared on finding the best arm, or the arms above a level.

    With a ``confidence`` every agent stopped when it was sure; an error is a stop with a wrong
    answer, ``reference`` is T*(mu) ln(1/delta) pulls, averaged over the problems of the runs (None
    where arms above a level are asked for).
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

    def __repr__(self) -> str:
        until = f"budget {self.budget} {self.limit}"
        (spec, least), what = self._best("error"), "error"
        if self.confidence is not None:
            until = f"until {100 * self.confidence:.4g} % sure"
            (spec, least), what = self._best("pulls"), "pulls"
        return (
            f"<Identification by {_agents_text(self.agents)}, {self.runs} runs, {until}, "
            f"seed {self.seed}: least {what} {least} by {spec}>"
        )

    def _repr_html_(self) -> str:
        from spnb.report.tables import identification_table

        return identification_table(self).html()

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

    def to_frame(self, *, library: "Library | None" = None) -> Any:
        """A data frame with a row for each agent.

        Of pandas if it is installed, else of polars, or of the ``library`` that is named.
        """
        from spnb.simulation.frames import agent_columns, frame

        found = self.summary()
        if self.confidence is not None:
            for spec, runs in self.agents.items():
                found[spec]["undecided"] = runs.undecided_share()
        return frame(agent_columns(found), library)

    def plot(
        self,
        path: str | Path | None = None,
        *,
        axes: "Sequence[Axes] | None" = None,
        scale: Scale = "linear",
        clip: bool = True,
    ) -> "Figure":
        """Draw error, rounds and pulls of every agent; on three ``axes`` if they are given.

        ``scale`` is that of rounds and pulls. With ``clip`` an agent far beyond all others leaves
        the frame. The figure is written to ``path`` as well if one is given.
        """
        from spnb.report.figures import identification_figure, save

        figure = identification_figure(self, axes, scale, clip=clip)
        if path is not None:
            save(figure, Path(path))
        return figure


def _agents_text(agents: Mapping[str, Any]) -> str:
    return f"{len(agents)} agent{'' if len(agents) == 1 else 's'}"


def _told(summary: Mapping[str, Estimate]) -> str:
    return ", ".join(f"{metric} {estimate}" for metric, estimate in summary.items())
