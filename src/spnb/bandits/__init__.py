"""What decides: policies (classical bandits), agents (they answer offers), specs and names."""

from spnb.bandits.described import param
from spnb.bandits.policies.base import IndexPolicy, Policy, Stats

__all__ = ["IndexPolicy", "Policy", "Stats", "param"]
