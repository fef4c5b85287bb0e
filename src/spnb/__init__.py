"""Sequential Pull/No-pull Bandits: options come one after the other, pull or pass."""

from spnb.agents import Agent, Challenge, Once, Pack, Plus, Seq
from spnb.errors import DataError, SpecError, SpnbError
from spnb.live import Learner
from spnb.policies import IndexPolicy, Policy
from spnb.policies.adapt import adapt
from spnb.problems import (
    Bernoulli,
    BetaRewards,
    GaussianRewards,
    Problem,
    Recorded,
    Synthetic,
    experiment,
)
from spnb.setting import Setting
from spnb.simulate import identify, simulate
from spnb.spec import agent, policy

__version__ = "0.1.0"

__all__ = [
    "Agent", "Bernoulli", "BetaRewards", "Challenge", "DataError", "GaussianRewards",
    "IndexPolicy", "Learner", "Once", "Pack", "Plus", "Policy", "Problem", "Recorded", "Seq",
    "Setting", "SpecError", "SpnbError", "Synthetic", "adapt", "agent", "experiment", "identify",
    "policy", "simulate",
]  # fmt: skip
