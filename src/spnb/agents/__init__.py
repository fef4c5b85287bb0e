"""Agents: they answer offers with pull or pass."""

from spnb.agents.base import Agent, AgentState
from spnb.agents.challenge import Challenge
from spnb.agents.follow import Once, Seq
from spnb.agents.pack import Pack
from spnb.agents.plus import Plus

__all__ = ["Agent", "AgentState", "Challenge", "Once", "Pack", "Plus", "Seq"]
