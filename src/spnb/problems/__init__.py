"""Problems: the arms, and what they pay."""

from spnb.problems.base import Faced, Problem, World, Worlds
from spnb.problems.changing import Abrupt, Changing, Drifting, Seasonal
from spnb.problems.estimated import Estimated
from spnb.problems.families import DailyMeans, RandomMeans, families
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
    "BUDGETS", "Abrupt", "Bernoulli", "BetaRewards", "Changing", "CountRewards", "DailyMeans",
    "Drifting", "Estimated", "Faced", "GaussianRewards", "KnownMeans", "Problem", "ProblemLike",
    "RandomMeans", "Recorded", "Seasonal", "Synthetic", "World", "Worlds", "as_problem",
    "described", "experiment", "families",
]  # fmt: skip
