"""What can be known without a run: complexities, lower bounds, the paper's upper bounds."""

from spnb.theory.bounds import (
    as_good,
    classical_error,
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
    sr_error,
    sr_plus_error,
    ucb1_constants,
    ucbe_error,
    ucbrev_plus_regret,
)

__all__ = [
    "as_good", "classical_error", "classical_regret", "gaps", "h1", "h1_with_best", "h2",
    "kl", "kl_constants", "log_bar", "lower_bound_constant", "one_pull_constant", "seq_regret",
    "sr_error", "sr_plus_error", "ucb1_constants", "ucbe_error", "ucbrev_plus_regret",
]  # fmt: skip
