"""Problems: the arms, and what they pay."""

from spnb.problems.base import Faced, Problem, World, Worlds
from spnb.problems.estimated import Estimated
from spnb.problems.identification import BUDGETS, experiment
from spnb.problems.likes import ProblemLike, as_problem, described
from spnb.problems.recorded import Recorded
from spnb.problems.stationary import (
    Bernoulli,
    BetaRewards,
    CountRewards,
    GaussianRewards,
    KnownMeans,
)  # fmt: skip
from spnb.problems.synthetic import Synthetic

__all__ = [
    "BUDGETS",
    "Bernoulli",
    "BetaRewards",
    "CountRewards",
    "Estimated",
    "Faced",
    "GaussianRewards",
    "KnownMeans",
    "Problem",
    "ProblemLike",
    "Recorded",
    "Synthetic",
    "World",
    "Worlds",
    "as_problem",
    "described",
    "experiment",
]  # fmt: skip
