"""What tests of campaigns share."""

from spnb.live.campaign import Campaign

ARMS = ["a", "b", "c"]


def kinds(campaign: Campaign) -> list[str]:
    return [event.kind for event in campaign.events()]
