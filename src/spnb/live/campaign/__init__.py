"""Live campaigns: ask at each offer, tell each reward, in a store that never loses one."""

from spnb.live.campaign.campaign import Campaign
from spnb.live.campaign.config import Arm, Config
from spnb.live.campaign.ledger import Told
from spnb.live.campaign.offers import Decision, Offer
from spnb.live.campaign.opened import Outline
from spnb.live.campaign.rewards import RewardRule
from spnb.live.campaign.status import ArmStatus, Status
from spnb.live.campaign.verify import Verdict

__all__ = [
    "Arm", "ArmStatus", "Campaign", "Config", "Decision", "Offer", "Outline", "RewardRule",
    "Status", "Told", "Verdict",
]  # fmt: skip
