"""What can be known without a run: complexities, lower bounds, the paper's upper bounds."""

from spnb.theory.bounds import (
    as_good,
    bucb_constants,
    classical_regret,
    gaps,
    h1,
    h1_with_best,
    h2,
    kl,
    kl_constants,
    log_bar,
    lower_bound_constant,
    one_pull_constant,
    seq_regret,
    ucb1_constants,
    ucbrev_plus_regret,
)
from spnb.theory.confidence import characteristic_time
from spnb.theory.identification import (
    classical_error,
    sr_error,
    sr_plus_budget,
    sr_plus_error,
    sr_plus_gain,
    ucbe_error,
)
from spnb.theory.limit import bayes_limit, bayes_limits, two_armed_optimum

__all__ = [
    "as_good", "bayes_limit", "bayes_limits", "bucb_constants", "characteristic_time",
    "classical_error", "classical_regret", "gaps", "h1", "h1_with_best", "h2", "kl", "kl_constants",
    "log_bar", "lower_bound_constant", "one_pull_constant", "seq_regret", "sr_error",
    "sr_plus_budget", "sr_plus_error", "sr_plus_gain", "two_armed_optimum", "ucb1_constants",
    "ucbe_error", "ucbrev_plus_regret",
]  # fmt: skip
