"""Live: what a policy that forgets, or starts anew, says of itself."""

from pathlib import Path

import spnb
from spnb.engine.dice import generator
from spnb.live.campaign.story import Cell
from spnb.live.campaign.watch import shifts


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


def test_status_tells_of_changes_that_a_forgetful_policy_does_not_look_for(tmp_path: Path) -> None:
    campaign = spnb.Campaign.create(
        f"sqlite:///{tmp_path}/c.db", "ads", arms=["09:00", "13:00"],
        agent="Challenge(DTS(discount=0.9))", seed=3,
    )  # fmt: skip
    play(campaign, 25, "09:00")
    assert "showed" not in campaign.status().advice
    play(campaign, 25, "13:00")
    assert "The rewards showed a change of 09:00 in round " in campaign.status().advice
    # It is what the log says now: a reward that was entered wrongly shows nothing.
    for event in list(campaign.events()):
        if event.kind == "tell" and (event.round or 0) > 25:
            campaign.correct(event.decision or 0, reward=float(event.arm == "09:00"))
    assert "showed" not in campaign.status().advice


def cells(rewards: dict[str, list[float]]) -> list[Cell]:
    return [
        Cell(round_ + 1, arm, "told", reward)
        for arm, paid in rewards.items()
        for round_, reward in enumerate(paid)
    ]


def test_false_alarms_are_as_rare_as_promised(seed: int) -> None:
    luck = generator(seed, "rewards")
    steady = {f"arm {i}": list(1.0 * (luck.random(200) < luck.random())) for i in range(100)}
    assert len(shifts(cells(steady))) <= 9  # each with probability 0.01, at the most


def test_a_change_is_seen_soon_and_once() -> None:
    often, seldom = [1.0, 1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 1.0]
    found = shifts(cells({"a": 12 * often + 12 * seldom, "b": 24 * often}))
    assert [shift.arm for shift in found] == ["a"]
    assert 60 < found[0].round <= 100
    assert shifts([Cell(round_, "a", "lost") for round_ in range(50)]) == []
