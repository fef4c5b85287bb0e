"""Offers as a Gymnasium environment, ``spnb/Offers-v0``, and Gymnasium's agents among spnb's."""

# ruff: noqa: E402 - what follows needs Gymnasium

from spnb.base.extras import need

need("gym")

import gymnasium

from spnb.gym.agent import acting
from spnb.gym.env import Offers
from spnb.gym.vector import ManyOffers

__all__ = ["ManyOffers", "Offers", "acting"]

gymnasium.register(
    "spnb/Offers-v0",
    entry_point="spnb.gym.env:Offers",
    vector_entry_point="spnb.gym.vector:ManyOffers",
)
