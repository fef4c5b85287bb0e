"""From a problem made of data to a campaign: what it takes over, and how it begins warm."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from live.helpers import resealed
from spnb.bandits.registry import agent_samples
from spnb.base.errors import DataError, SpecError
from spnb.live.campaign import Campaign
from spnb.live.learner import Learner
from spnb.live.schedule import Schedule
from spnb.live.store import Store
from spnb.problems.readers import ProblemData

TABLE = np.array([[1, 0, 0.5], [0, np.nan, 0.5], [1, 0, 1.0], [1, 1, 0.0]])
WATER = ProblemData(
    "water", ("06:00", "12:00", "18:00"), TABLE, slots=(360, 720, 1080), zone="Europe/Rome",
    reward="above 0.3",
)  # fmt: skip


def test_a_campaign_takes_over_what_a_problem_says(tmp_path: Path) -> None:
    WATER.save(tmp_path / "water.json")
    for problem in (WATER, tmp_path / "water.json", str(tmp_path / "water.json")):
        config = Campaign.create("sqlite://", "c", problem=problem).config
        assert [(arm.label, arm.slot) for arm in config.arms] == [
            ("06:00", 360), ("12:00", 720), ("18:00", 1080),
        ]  # fmt: skip
        assert config.schedule is not None
        assert config.schedule.zone == "Europe/Rome"
        assert (str(config.reward), config.rounds, config.warm) == ("above 0.3", 4, ())


def test_what_is_said_counts_more_than_the_problem() -> None:
    plan = Schedule.parse("07:00,19:00", "UTC")
    config = Campaign.create(
        "sqlite://", "c", problem=WATER, schedule=plan, reward="below 2", rounds=90
    ).config
    assert [arm.label for arm in config.arms] == ["07:00", "19:00"]
    assert (str(config.reward), config.rounds) == ("below 2", 90)
    named = Campaign.create("sqlite://", "c", problem=WATER, arms=["18:00", "x"], warm_start=True)
    assert named.config.schedule is None
    assert named.config.warm == (("18:00", 2.0, 4),), "what the record knows of these arms"


def test_a_warm_start_is_the_record_at_a_weight() -> None:
    def warm(weight: int | bool) -> dict[str, tuple[float, int]]:
        config = Campaign.create("sqlite://", "c", problem=WATER, warm_start=weight).config
        return {label: (total, count) for label, total, count in config.warm}

    assert warm(True) == {"06:00": (3, 4), "12:00": (pytest.approx(1), 3), "18:00": (2, 4)}
    assert warm(2) == {
        "06:00": (1.5, 2), "12:00": (pytest.approx(2 / 3), 2), "18:00": (1, 2),
    }  # fmt: skip
    shows = np.where(np.isnan(TABLE), np.nan, 100.0)
    counted = ProblemData("clicks", WATER.arms, np.round(TABLE, 2), shows=shows)
    config = Campaign.create("sqlite://", "c", problem=counted, warm_start=True).config
    assert [count for _, _, count in config.warm] == [10, 10, 10], "ten rewards an arm at most"


@pytest.mark.parametrize("spec", agent_samples())
def test_every_agent_may_begin_warm(spec: str) -> None:
    """It knows the record as so many rewards, waits for nothing, and its log verifies."""
    store = Store("sqlite://")
    campaign = Campaign.create(
        store, "c", problem=WATER, schedule=None, arms=WATER.arms, agent=spec, rounds=40,
        hardness=30.0, seed=3, warm_start=True, reward="unit",
    )  # fmt: skip
    body = json.loads(campaign.snapshot().body)
    learner = Learner.from_dict(body["learner"])
    assert list(learner.state.policy.pulls) == [4, 3, 4]
    assert sum(arm.pulls for arm in campaign.status().arms) == 0
    for round_ in range(1, 6):
        for place, arm in enumerate(WATER.arms):
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, reward=float(place == 0))
    if any(event.kind == "tell" for event in campaign.events()):
        first = next(e.decision for e in campaign.events() if e.kind == "tell")
        campaign.correct(int(first or 0), reward=0.5)
        campaign.ask(WATER.arms[0], at=7)  # taught anew, warm again
    campaign.retire_arm("12:00")
    campaign.ask(WATER.arms[0], at=8)
    assert campaign.verify().problem is None
    again = Campaign.import_("sqlite://", list(campaign.export()))
    assert again.snapshot().body == campaign.snapshot().body
    store.close()


@pytest.mark.parametrize(
    "spec", ["Worth(TS, cost=0.3)", "Pack(TS, rounds=90, pulls=90)", "Challenge(TS)"]
)
def test_agents_that_draw_know_the_record_on_the_first_day(spec: str) -> None:
    config = Campaign.create("sqlite://", "c", arms=["a", "b"], agent=spec, rounds=90).config
    pulls = np.zeros(2)
    for seed in range(60):
        warm = replace(config, seed=seed, warm=(("a", 0.0, 1000), ("b", 900.0, 1000)))
        learner = warm.learner(config.arms)
        pulls += [learner.ask(0), learner.ask(1)]
    assert pulls.tolist() == [0, 60], "a draw from the posterior of 0 of 1000 is near 0"


def test_a_warm_start_is_sealed_and_checked() -> None:
    campaign = Campaign.create("sqlite://", "c", problem=WATER, warm_start=True, seed=1)
    lines = list(campaign.export())
    first = json.loads(lines[1])
    odd_ones: list[Any] = [
        {"06:00": [5.0, 4]}, {"06:00": [1, 4]}, {"x": [1.0, 4]}, {"06:00": [1.0]}, [], "warm",
        {"06:00": [1.0, 4.0]}, {"06:00": [1.0, True]}, {"06:00": [float("nan"), 4]},
    ]  # fmt: skip
    for odd in odd_ones:
        changed = first | {"note": first["note"] | {"warm": odd}}
        text = json.dumps(changed) + "\n"
        with pytest.raises(DataError, match=r"event 1|is not JSON|no event of a campaign"):
            Campaign.import_("sqlite://", resealed([lines[0], text, lines[2]]))
    other = first | {"note": first["note"] | {"warm": {"06:00": [1.0, 4]}}}
    with pytest.raises(DataError, match="not what its hash seals"):
        Campaign.import_("sqlite://", [lines[0], json.dumps(other) + "\n", lines[2]])


def test_reasons_and_status_tell_the_record_from_rewards() -> None:
    campaign = Campaign.create(
        "sqlite://", "c", arms=WATER.arms, problem=WATER, agent="Uniform+", warm_start=True, seed=1
    )
    decision = campaign.ask("06:00", at=1)
    assert decision.reason.endswith("never pulled, the record says mean 0.75")
    campaign.tell(decision, reward=1)
    assert campaign.ask("06:00", at=2).reason.endswith("1 pull and the record, mean 0.80")
    arm = campaign.status().arms[0]
    assert (arm.rewards, arm.trials, arm.earned, arm.record) == (1, 1, 1.0, 4)
    assert arm.mean == 5 / 7


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"warm_start": True, "arms": ["a"]}, "a warm start needs a problem"),
        ({"warm_start": 0, "problem": WATER}, "must be a whole number >= 1, got 0"),
        ({"warm_start": 2.5, "problem": WATER}, "must be a whole number >= 1, got 2.5"),
        ({"warm_start": True, "problem": ProblemData("m", ("a", "b"), means=(0.1, 0.2))},
         "nobody knows how many rewards"),
        ({}, "a campaign needs arms .a list of names., a schedule or a problem"),
        ({"problem": "nowhere.json"}, "cannot read nowhere.json"),
        ({"problem": WATER, "pulls": 0}, "Config.pulls must be a whole number >= 1, got 0"),
    ],
)  # fmt: skip
def test_beginnings_that_make_no_sense_are_refused(given: dict[str, object], said: str) -> None:
    with pytest.raises((SpecError, DataError), match=said):
        Campaign.create("sqlite://", "c", **given)  # type: ignore[arg-type]


def test_a_budget_of_pulls_ends_a_campaign() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+", pulls=3)
    asked = [campaign.ask(arm, at=round_) for round_ in (1, 2) for arm in ("a", "b")]
    assert [decision.pull for decision in asked] == [True, True, True, False]
    assert asked[-1].reason == "all 3 pulls are made"
    assert campaign.verify().ok
    lines = list(campaign.export())
    more = json.loads(lines[2]) | {"seq": 5, "round": 2, "arm": "b"}
    with pytest.raises(DataError, match="'b' was not on offer in round 2"):
        Campaign.import_("sqlite://", resealed([*lines[:5], json.dumps(more) + "\n", lines[-1]]))
