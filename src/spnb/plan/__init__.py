"""Before going live: which agent, how many rounds and pulls, at what cost, against today's way."""

from spnb.plan.answer import TODAY, Costs, Need, Plan, Point
from spnb.plan.study import AGENTS, plan

__all__ = ["AGENTS", "TODAY", "Costs", "Need", "Plan", "Point", "plan"]
