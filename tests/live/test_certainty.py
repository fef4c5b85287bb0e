"""You may stop: said under the proven rule, and wrong no more often than it claims."""

from math import log

import numpy as np
import pytest
from scipy.special import rel_entr

from spnb.live.campaign import Campaign
from spnb.live.campaign.certainty import Certainty, Left, _until


def evidence(n: int, better: float, worse: float) -> float:
    """Z of two arms of n rewards each: both means against the mean of all."""
    both = (better + worse) / (2 * n)

    def divergence(sum_: float) -> float:
        return float(rel_entr(sum_ / n, both) + rel_entr(1 - sum_ / n, 1 - both))

    return n * (divergence(better) + divergence(worse))


def fill(campaign: Campaign, rewards: dict[str, list[float]]) -> None:
    for round_ in range(1, 1 + max(map(len, rewards.values()))):
        for arm, paid in rewards.items():
            if round_ <= len(paid):
                told(campaign, round_, arm, paid[round_ - 1])


def told(campaign: Campaign, round_: int, arm: str, reward: float) -> None:
    """Whatever is pulled is told."""
    decision = campaign.ask(arm, at=round_)
    if decision.pull:
        campaign.tell(decision, reward=reward)


def test_stop_is_advised_when_the_evidence_passes_the_proven_threshold() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b", "c"], agent="Uniform+")
    rounds = 0
    while campaign.status().certainty.best is None:
        rounds += 1
        assert rounds < 60
        fill_round(campaign, rounds, {"a": 0.0, "b": 1.0, "c": 0.5})
    assert evidence(rounds, rounds, 0.5 * rounds) > log(2 * 3 * rounds * 2 / 0.05)
    before = rounds - 1
    assert evidence(before, before, 0.5 * before) <= log(2 * 3 * before * 2 / 0.05)
    said = campaign.status().advice
    assert "You may stop: b is best with 95 % confidence." in said


@pytest.mark.parametrize("agent", ["Challenge(DTS(discount=0.98))", "Challenge(GLRKLUCB)"])
def test_nothing_is_said_where_means_may_change(agent: str) -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent=agent, seed=1)
    for round_ in range(1, 41):
        fill_round(campaign, round_, {"a": 1.0, "b": 0.0})
    assert campaign.status().certainty == Certainty(0.95)
    assert "stop" not in campaign.status().advice


def fill_round(campaign: Campaign, round_: int, pays: dict[str, float]) -> None:
    for arm, reward in pays.items():
        told(campaign, round_, arm, reward)


def test_the_confidence_is_the_agents_own() -> None:
    campaign = Campaign.create(
        "sqlite://", "c", arms=["a", "b"], agent="Race(delta=0.001)", goal="best"
    )
    fill(campaign, {"a": [1.0] * 14, "b": [0.0] * 14})
    assert campaign.status().certainty.confidence == 0.999
    assert "99.9 %" in campaign.status().advice
    said = "probability over 0.99 and with 99.9 % confidence. It took"
    assert said in str(campaign.status().answer)


def test_arms_that_came_or_went_cost_evidence() -> None:
    """With 3 arms ever seen any of 3 pairs may be told apart wrongly, not 1 of 2 arms."""
    paid = {"a": [1.0] * 5, "b": [0.0] * 5}
    plain = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+")
    fill(plain, paid)
    changed = Campaign.create("sqlite://", "d", arms=["a", "b", "c"], agent="Uniform+")
    fill_round(changed, 1, {"a": 1.0, "b": 0.0, "c": 0.0})
    changed.retire_arm("c")
    for round_ in range(2, 6):
        fill_round(changed, round_, {"a": 1.0, "b": 0.0})
    least = evidence(5, 5, 0)
    assert log(2 * 10 * 1 / 0.05) < least < log(2 * 10 * 3 / 0.05)
    assert plain.status().certainty.best == "a"
    assert changed.status().certainty.best is None


def test_rounds_to_go_are_told_and_about_right(seed: int) -> None:
    """Foretold half way, the end comes within a factor of three."""
    luck = np.random.default_rng(seed)
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+")
    foretold = {}
    for round_ in range(1, 200):
        fill_round(
            campaign, round_, {"a": float(luck.random() < 0.95), "b": float(luck.random() < 0.1)}
        )
        sure = campaign.status().certainty
        if sure.best:
            break
        foretold[round_] = sure.rounds_to_go
    half = foretold[round_ // 2]
    assert half is None or half < 6 * round_
    assert sure.best == "a"


def test_how_long_solves_its_equation() -> None:
    for least, nats in ((2.0, 9.0), (0.01, 12.0), (8.9, 9.0)):
        times = _until(least, nats)
        assert least * times == pytest.approx(nats + log(times), rel=1e-6)
    assert _until(0.0, 9.0) == float("inf")


@pytest.mark.parametrize(
    ("sure", "words"),
    [
        (Certainty(0.95, best="08:00"), "You may stop: 08:00 is best with 95 % confidence."),
        (Certainty(0.9), ""),
        (
            Certainty(0.9, None, 1),
            "To name the best with 90 % confidence, whenever one looks, takes "
            "about 1 more round at the pace so far.",
        ),
        (
            Certainty(0.9, None, 1234),
            "To name the best with 90 % confidence, whenever one looks, takes "
            "about 1,234 more rounds at the pace so far.",
        ),
        (
            Certainty(0.95, None, 10**6),
            "To name the best with 95 % confidence, whenever one looks, takes "
            "more than 100,000 rounds at the pace so far.",
        ),
    ],
)
def test_the_words(sure: Certainty, words: str) -> None:
    assert sure.in_words() == words


@pytest.mark.parametrize(
    ("left", "end"),
    [(12, "so far."), (11, ", but 11 are left."), (1, ", but 1 is left."), (0, "none is left.")],
)
def test_rounds_that_will_not_be_enough_are_not_promised(left: int, end: str) -> None:
    assert Certainty(0.95, None, 12).in_words(Left(left)).endswith(end)


def test_nothing_is_said_before_every_arm_has_a_reward_or_of_one_arm() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+")
    fill(campaign, {"a": [1.0] * 9})
    assert campaign.status().certainty == Certainty(0.95)
    alone = Campaign.create("sqlite://", "d", arms=["a"], agent="Uniform+")
    fill(alone, {"a": [1.0] * 9})
    assert "stop" not in alone.status().advice


def test_a_campaign_for_a_level_says_which_arms_lie_above_it() -> None:
    campaign = Campaign.create(
        "sqlite://", "c", arms=["a", "b", "c"], agent="Above(level=0.5, delta=0.1)", goal="best"
    )
    fill(campaign, {"a": [1.0] * 12, "b": [0.0] * 12, "c": [1.0, 0.0] * 6})
    said = campaign.status().advice
    assert "Above 0.5 with 90 % confidence: a; not above: b. Still open: c." in said
    passed, pulled = campaign.ask("a", at=13), campaign.ask("c", at=13)
    assert not passed.pull
    assert passed.reason.startswith("known to be above 0.5: ")
    assert pulled.pull
    assert pulled.reason.startswith("may lie on either side of 0.5: 12 pulls")
    so_far = Campaign.create(
        "sqlite://", "d", arms=["a", "b"], agent="Seq(APT(level=0.5))", goal="best"
    )
    fill(so_far, {"a": [1.0], "b": [0.0]})
    assert "Above 0.5 so far: a." in so_far.status().advice


def test_a_campaign_for_a_level_ends_when_every_arm_is_placed() -> None:
    campaign = Campaign.create(
        "sqlite://", "c", arms=["a", "b"], agent="Above(level=0.5)", goal="best"
    )
    fill(campaign, {"a": [1.0] * 20, "b": [0.0] * 20})
    status = campaign.status()
    assert status.state == "finished"
    assert "Above 0.5 with 95 % confidence: a; not above: b. You may stop." in status.advice
    over = campaign.ask("a", at=21)
    assert not over.pull
    assert over.reason.startswith("the search is over: Above 0.5 with 95 % confidence: a")


def test_advice_looked_at_after_every_round_is_seldom_wrong(seed: int) -> None:
    """At risk 0.3, looking whenever one likes: a broken threshold errs far more often."""
    from spnb.bandits.policies.confidence import Confident, needed, weighed

    luck, wrong, runs = np.random.default_rng(seed), 0, 300
    for _ in range(runs):
        rewards = luck.random((150, 2)) < (0.5, 0.45)
        sums = np.cumsum(rewards, axis=0)
        for n in range(1, 151):
            verdict = weighed(Confident(0.3), [float(n)] * 2, sums[n - 1].astype(float).tolist())
            if verdict.least > needed(2.0 * n, 1, 0.3):
                wrong += verdict.leader == 1
                break
    # Expected below 0.3 x 300 = 90; the chance of 140 or more would be below 1e-8.
    assert wrong < 140
