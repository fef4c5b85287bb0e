"""Sequential Pull/No-pull Bandits: options come one after the other, pull or pass."""

from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from spnb.campaign import Campaign
    from spnb.schedule import Schedule

__version__ = "0.1.0"

__all__ = [
    "Agent", "Bernoulli", "BetaRewards", "Campaign", "Challenge", "DataError", "GaussianRewards",
    "IndexPolicy", "Learner", "Once", "Pack", "Plus", "Policy", "Problem", "Recorded", "Schedule",
    "Seq", "Setting", "SpecError", "SpnbError", "Synthetic", "adapt", "agent", "experiment",
    "identify", "policy", "simulate",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """A campaign brings a database with it, so it is loaded when it is first named."""
    if name == "Campaign":
        from spnb.campaign import Campaign

        return Campaign
    if name == "Schedule":
        from spnb.schedule import Schedule

        return Schedule
    raise AttributeError(f"module 'spnb' has no attribute {name!r}")
