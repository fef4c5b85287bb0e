"""Problems: the arms, and what they pay."""

from spnb.problems.base import Problem, World
from spnb.problems.estimated import Estimated
from spnb.problems.identification import BUDGETS, experiment
from spnb.problems.recorded import Recorded
from spnb.problems.stationary import Bernoulli, BetaRewards, GaussianRewards, KnownMeans
from spnb.problems.synthetic import Synthetic

__all__ = [
    "BUDGETS", "Bernoulli", "BetaRewards", "Estimated", "GaussianRewards", "KnownMeans", "Problem",
    "Recorded", "Synthetic", "World", "experiment",
]  # fmt: skip
