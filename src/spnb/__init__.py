"""Sequential Pull/No-pull Bandits: options come one after the other, pull or pass."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spnb.bandits.agents import Agent, Challenge, Once, Pack, Plus, Seq, Stakes, Worth
from spnb.bandits.policies import IndexPolicy, Policy, adapt
from spnb.bandits.registry import register
from spnb.bandits.spec import agent, policy
from spnb.base.errors import DataError, SpecError, SpnbError
from spnb.base.extras import need
from spnb.live.learner import Learner
from spnb.problems import (
    Abrupt,
    Bernoulli,
    BetaRewards,
    Changing,
    CountRewards,
    DailyMeans,
    Drifting,
    GaussianRewards,
    Problem,
    RandomMeans,
    Recorded,
    Seasonal,
    Synthetic,
    experiment,
)
from spnb.simulation.simulate import identify, simulate

if TYPE_CHECKING:
    from spnb.client import AsyncClient, Client
    from spnb.live.campaign import Campaign
    from spnb.live.fleet import Fleet
    from spnb.live.schedule import Schedule
    from spnb.live.spread import SpreadFleet

__version__ = "0.1.0"

__all__ = [
    "Abrupt", "Agent", "AsyncClient", "Bernoulli", "BetaRewards", "Campaign", "Challenge",
    "Changing", "Client", "CountRewards", "DailyMeans", "DataError", "Drifting", "Fleet",
    "GaussianRewards", "IndexPolicy", "Learner", "Once", "Pack", "Plus", "Policy", "Problem",
    "RandomMeans", "Recorded", "Schedule", "Seasonal", "Seq", "SpecError", "SpnbError",
    "SpreadFleet", "Stakes", "Synthetic", "Worth", "adapt", "agent", "experiment", "identify",
    "policy", "register", "simulate",
]  # fmt: skip


# Where each is, and the extra that it needs, if any.
_LATER: dict[str, tuple[str, str | None]] = {
    "Campaign": ("spnb.live.campaign", "live"),
    "Fleet": ("spnb.live.fleet", None),
    "Schedule": ("spnb.live.schedule", "live"),
    "SpreadFleet": ("spnb.live.spread", "cluster"),
    "Client": ("spnb.client", "client"),
    "AsyncClient": ("spnb.client", "client"),
}


def __getattr__(name: str) -> Any:
    """A campaign brings a database with it, a client HTTP; what few need is loaded when named."""
    if name in _LATER:
        module, extra = _LATER[name]
        if extra is not None:
            need(extra)
        return getattr(import_module(module), name)
    raise AttributeError(f"module 'spnb' has no attribute {name!r}")
