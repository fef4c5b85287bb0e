"""Live: what a policy that forgets, or starts anew, says of itself."""

from pathlib import Path

import spnb


def play(campaign: spnb.Campaign, rounds: int, good: str) -> set[str]:
    """One arm always pays, the other never; the reasons that were given."""
    reasons = set()
    for _ in range(rounds):
        for arm in ("09:00", "13:00"):
            decision = campaign.ask(arm)
            reasons.add(decision.reason)
            if decision.pull:
                campaign.tell(decision, reward=float(arm == good))
    return reasons


def test_status_tells_of_a_change(tmp_path: Path) -> None:
    campaign = spnb.Campaign.create(
        f"sqlite:///{tmp_path}/a.db", "ads", arms=["09:00", "13:00"],
        agent="Challenge(GLRKLUCB(alpha=1))", seed=3,
    )  # fmt: skip
    reasons = play(campaign, 25, "09:00")
    assert any(reason.startswith("a look in turn, should it have changed") for reason in reasons)
    assert "showed a change" not in campaign.status().advice
    play(campaign, 40, "13:00")
    advice = campaign.status().advice
    assert "The rewards showed a change" in advice
    assert "13:00 is best by what is remembered" in advice
    assert campaign.verify()


def test_reasons_of_stakes_worth_and_memory_are_true(tmp_path: Path) -> None:
    expected = {
        "Stakes": "not worth another look beside 09:00",
        "Worth(cost=0.6)": "is hardly worth more than 0.60, the cost of a pull",
        "Challenge(DTS(discount=0.9))": "behind 09:00 for now",
    }
    for number, (agent, words) in enumerate(expected.items()):
        campaign = spnb.Campaign.create(
            f"sqlite:///{tmp_path}/b.db", f"n{number}", arms=["09:00", "13:00"], agent=agent, seed=3
        )
        reasons = play(campaign, 30, "09:00")
        assert any(reason.startswith(words) for reason in reasons), reasons
