"""What a page or a refusal says is true, and of use to whoever reads it."""

from service.conftest import Service
from spnb.live.campaign import Campaign


def test_a_closed_campaign_does_not_praise_an_arm_that_is_hardly_the_best(local: Service) -> None:
    campaign = Campaign.create(local.store, "c", arms=["x", "y"], agent="Challenge")
    campaign.tell(campaign.ask("x"), wins=7, trials=120)
    campaign.tell(campaign.ask("y"), reward=0)
    campaign.close()
    with local.http() as http:
        page = http.get(f"/campaigns/{campaign.uid}").text
    said = "x is held for the best by its average (0.0583 over 120 rewards), but y, with 1 reward"
    assert f"Closed. {said}" in page
    assert "Held for the best, with probability" not in page
