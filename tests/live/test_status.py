"""What a campaign says of itself."""

import re
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import betainc, betaincinv

from spnb.bandits.registry import agent_samples
from spnb.live.campaign import Campaign
from spnb.live.campaign.posterior import chance_of_best
from spnb.live.store import Store


def test_the_chance_of_being_best_is_that_of_the_posteriors() -> None:
    rng = np.random.default_rng()
    told = rng.integers(0, 40, size=5).astype(float)
    sums = np.floor(told * rng.random(5))
    draws = 200_000
    samples = rng.beta(1 + sums, 1 + told - sums, size=(draws, 5))
    measured = np.bincount(samples.argmax(axis=1), minlength=5) / draws
    # Hoeffding: the measured share is off by more with a chance below 1e-7, each.
    slack = np.sqrt(np.log(2 / 1e-8) / (2 * draws)) + 2e-3
    assert np.abs(chance_of_best(told, sums) - measured).max() < slack


def test_the_chance_is_sharp_where_there_is_much_data() -> None:
    chance = chance_of_best(np.array([1e6, 1e6]), np.array([0.500e6, 0.505e6]))
    assert chance[1] > 0.999
    assert chance.sum() == pytest.approx(1)
    assert chance_of_best(np.zeros(1), np.zeros(1)).tolist() == [1.0]


def test_status_counts_what_happened() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+", rounds=50)
    assert campaign.status().advice == "Nothing was asked yet."
    for round_ in range(1, 11):
        campaign.tell(campaign.ask("a", at=round_), reward=1)
        decision = campaign.ask("b", at=round_)
        if round_ == 1:
            campaign.lost(decision)
        elif round_ < 10:
            campaign.tell(decision, reward=0)
    status = campaign.status()
    first, second = status.arms
    assert (first.offers, first.pulls, first.rewards, first.earned) == (10, 10, 10, 10)
    assert first.mean == 11 / 12, "the mean of the posterior, inside its interval"
    assert (second.offers, second.pulls, second.rewards, second.lost) == (10, 10, 8, 1)
    assert first.low < first.mean < first.high
    assert status.recommended == "a"
    assert status.state == "running"
    assert len(status.pending) == 1
    assert re.fullmatch(
        r"a is best with probability over 0\.99\. You may stop: a is best with 95 % confidence\. "
        r"1 pull without a reward yet\.",
        status.advice,
    )
    assert status.to_dict()["pending"][0]["at"].startswith("20")


def test_advice_while_things_are_open() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=list("abcdefg"), agent="Uniform+")
    for arm in "ab":
        campaign.tell(campaign.ask(arm), reward=1)
    assert campaign.status().advice == "No reward yet of c, d, e, f, g."
    for arm in "cdefg":
        campaign.tell(campaign.ask(arm), reward=0)
    assert campaign.status().advice == "a, b are level so far."
    for arm, reward in zip("ab", (1, 0), strict=True):
        campaign.tell(campaign.ask(arm), reward=reward)
    assert "a leads (best with probability" in campaign.status().advice
    assert "may still be better" in campaign.status().advice


def test_an_arm_that_leads_but_is_hardly_the_best_is_told_as_such() -> None:
    campaign = Campaign.create(
        "sqlite://", "c", arms=["x", "y"], agent="Challenge", reward="binary", rounds=1
    )
    campaign.tell(campaign.ask("x"), wins=7, trials=120)
    campaign.tell(campaign.ask("y"), reward=0)
    status = campaign.status()
    first, second = (f"{arm.chance:.2f}" for arm in status.arms)
    assert float(first) < 0.2 < 0.8 < float(second)
    said = (
        "x is taken to be the best by its average (0.0583 over 120 rewards), but y, with 1 reward, "
        f"is likelier to be: probability {second}, against {first}."
    )
    assert status.doubt == said
    assert status.advice.startswith(said)
    assert str(status.answer).startswith(f"Finished: {said} It took 1 round and 2 pulls")


def test_an_arm_that_was_never_tried_may_be_the_likelier_one() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["x", "y"], agent="Uniform+", rounds=1)
    campaign.tell(campaign.ask("x"), wins=1, trials=10)
    campaign.lost(campaign.ask("y"))
    said = (
        "x is taken to be the best by its average (0.1 over 10 rewards), but y, with no reward yet,"
    )
    assert said in str(campaign.status().answer)
    assert not Campaign.create("sqlite://", "c", arms=["x", "y"]).status().doubt


def test_of_arms_that_are_level_the_likelier_one_is_told() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["x", "y", "z"], agent="Uniform+")
    for arm, trials in zip("xyz", (50, 50, 1), strict=True):
        campaign.tell(campaign.ask(arm), wins=0, trials=trials)
    status = replace(campaign.status(), recommended="x")  # any of them, by chance
    said = (
        "x is taken to be the best by its average (0 over 50 rewards), level with 2 others, but z"
    )
    assert status.doubt.startswith(said)
    assert status.advice.startswith("x, y, z are level so far.")


def test_arms_that_come_and_go_are_told_before_they_do() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+")
    campaign.tell(campaign.ask("a"), reward=1)
    campaign.add_arm("new")
    campaign.retire_arm("b")
    status = campaign.status()
    assert [arm.arm for arm in status.arms] == ["a", "b"]
    assert "From round 2 on new is on offer too and b no longer is." in status.advice
    campaign.ask("b")
    campaign.ask("a")
    status = campaign.status()
    assert [arm.arm for arm in status.arms] == ["a", "new", "b"]
    assert [arm.retired for arm in status.arms] == [False, False, True]
    assert "on offer" not in status.advice


@pytest.mark.parametrize("spec", agent_samples())
def test_every_agent_gives_its_reasons(spec: str) -> None:
    store = Store("sqlite://")
    arms = ["08:00", "12:00", "18:00"]
    campaign = Campaign.create(store, "c", arms=arms, agent=spec, rounds=30, seed=1, hardness=50.0)
    reasons = set()
    for round_ in range(1, 7):
        for place, arm in enumerate(arms):
            decision = campaign.ask(arm, at=round_)
            reasons.add(decision.reason)
            if decision.pull:
                campaign.tell(decision, reward=float(place == 1))
    store.close()
    assert len(reasons) > 1
    for reason in reasons:
        assert 5 < len(reason) < 100
        assert "\n" not in reason
        assert "nan" not in reason


def test_challenge_says_what_it_thinks() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Challenge", seed=1)
    said = []
    for round_ in range(1, 30):
        for arm, reward in (("a", 1.0), ("b", round_ % 2)):
            decision = campaign.ask(arm, at=round_)
            said.append(decision.reason)
            if decision.pull:
                campaign.tell(decision, reward=reward)
    text = "\n".join(said)
    assert "never pulled" in text
    assert re.search(r"leader: \d+ pulls?, mean 1\.00", text)
    assert re.search(r"unlikely to beat a: \d+ pulls?, mean 0\.\d\d", text)
    assert re.search(r"could still be best: \d+ pulls?, up to [01]\.\d\d", text)


def test_a_day_of_minutes_takes_little_memory(seed: int) -> None:
    campaign = Campaign.create(
        "sqlite://", "c", schedule="00:00/1m", agent="Challenge", seed=seed % 2**32
    )
    assert len(campaign.config.arms) == 1440
    rng = np.random.default_rng(seed)
    told = rng.integers(0, 50, size=1440).astype(float)
    campaign.status()  # what it loads is not counted
    tracemalloc.start()
    chance = chance_of_best(told, np.floor(told * rng.random(1440)))
    status = campaign.status()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    assert chance.sum() == pytest.approx(1)
    assert status.arms[0].chance == pytest.approx(1 / 1440, rel=0.01)


def test_the_chance_is_right_on_every_scale(seed: int) -> None:
    """Much and little data beside each other, means that nearly agree: a plain sum agrees."""
    rng = np.random.default_rng(seed)
    for _ in range(10):
        told = np.floor(10 ** rng.uniform(0, 6, size=4))
        means = 0.4 + rng.normal(0, 10 ** rng.uniform(-4, -1), size=4)
        sums = np.floor(told * np.clip(means, 0, 1))
        at = np.stack(
            [betaincinv(1 + s, 1 + n - s, LEVELS) for n, s in zip(told, sums, strict=True)]
        )
        below = betainc(1 + sums[:, None, None], 1 + (told - sums)[:, None, None], at)
        below[np.arange(4), np.arange(4)] = 1.0
        plain = below.prod(axis=0).mean(axis=1)
        assert np.abs(chance_of_best(told, sums) - plain / plain.sum()).max() < 0.005


LEVELS = (np.arange(2000) + 0.5) / 2000
