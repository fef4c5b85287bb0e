"""Live campaigns: ask at each offer, tell each reward, in a store that never loses one."""

from spnb.campaign.campaign import Campaign, Outline
from spnb.campaign.config import Arm, Config
from spnb.campaign.ledger import Told
from spnb.campaign.offers import Decision
from spnb.campaign.rewards import RewardRule
from spnb.campaign.status import ArmStatus, Status
from spnb.campaign.verify import Verdict

__all__ = [
    "Arm", "ArmStatus", "Campaign", "Config", "Decision", "Outline", "RewardRule", "Status",
    "Told", "Verdict",
]  # fmt: skip
