"""Agents: they answer offers with pull or pass."""

from spnb.bandits.agents.base import Agent, AgentState
from spnb.bandits.agents.challenge import Challenge
from spnb.bandits.agents.follow import Once, Seq
from spnb.bandits.agents.pack import Pack
from spnb.bandits.agents.plus import Plus
from spnb.bandits.agents.race import Above, Race
from spnb.bandits.agents.stakes import Stakes
from spnb.bandits.agents.worth import Worth

__all__ = [
    "Above", "Agent", "AgentState", "Challenge", "Once", "Pack", "Plus", "Race", "Seq", "Stakes",
    "Worth",
]  # fmt: skip
