"""Before going live: which agent, how many rounds and pulls, at what cost, against today's way."""

from spnb.plan.answer import TODAY, Costs, Need, Plan, Point
from spnb.plan.certainty import Facts, facts
from spnb.plan.study import AGENTS, plan

__all__ = [
    "AGENTS", "TODAY", "Costs", "Facts", "Need", "Plan", "Point", "facts", "plan",
]  # fmt: skip
