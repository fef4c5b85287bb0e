"""Campaigns of a service, from another program: the methods of ``Campaign``, over HTTP."""

from spnb.client.asynchronous import AsyncClient, AsyncRemoteCampaign
from spnb.client.calls import AskOf, RewardOf
from spnb.client.synchronous import Client, RemoteCampaign

__all__ = ["AskOf", "AsyncClient", "AsyncRemoteCampaign", "Client", "RemoteCampaign", "RewardOf"]
