"""What is said is true: reasons, answers, advice, and what is shown as the best."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from live.helpers import kinds
from spnb.base.errors import DataError, SpecError
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.campaign.beginning import check_not_over, new_config
from spnb.live.campaign.certainty import Certainty, Left
from spnb.live.campaign.looking import look
from spnb.live.schedule import Schedule, until_text
from spnb.problems.readers import ProblemData
from spnb.report.campaign_page import campaign_page
from spnb.report.campaigns import status_lines, status_table

WATER = ProblemData("water", ("a", "b"), np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 1.0]]))


def play(campaign: Campaign, means: dict[str, float], rounds: range) -> None:
    for round_ in rounds:
        for arm, mean in means.items():
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, reward=mean)


def search(agent: str, means: dict[str, float], **given: Any) -> Campaign:
    return Campaign.create(
        "sqlite://", "c", arms=list(means), agent=agent, goal="best", seed=1,
        **given,
    )  # fmt: skip


@pytest.mark.parametrize("agent", ["Race", "Seq(T3C)", "Above(level=0.5)"])
def test_a_search_took_as_long_as_it_pulled_however_long_one_asks(agent: str) -> None:
    means = {"a": 1.0, "b": 0.0}
    campaign, round_ = search(agent, means), 0
    while campaign.status().state == "running":
        round_ += 1
        play(campaign, means, range(round_, round_ + 1))
        assert round_ < 200
    answer = str(campaign.status().answer)
    assert f"It took {round_} rounds" in answer
    play(campaign, means, range(round_ + 1, round_ + 9))
    assert campaign.status().round == round_ + 8
    assert campaign.status().answer == answer


@pytest.mark.parametrize("agent", ["Pack", "Pack(early)"])
def test_pack_promises_no_more_pulls_than_offers_and_keeps_its_promise(
    agent: str, seed: int
) -> None:
    luck, labels = np.random.default_rng(seed), [f"{hour:02d}:00" for hour in range(12)]
    campaign = search(agent, dict.fromkeys(labels, 0.0), pulls=120, rounds=60)
    said = set()
    for round_ in range(1, 21):
        promised, pulled = 0, []
        for place, label in enumerate(labels):
            decision = campaign.ask(label, at=round_)
            ahead = len(labels) - place
            found = re.search(r"(\d+) of the next (\d+) are to be pulled", decision.reason)
            if found:
                assert int(found[2]) == ahead
                promised = int(found[1])
                assert 0 < promised < ahead
            elif decision.reason.startswith("every offer left in this round is to be pulled"):
                assert decision.pull
                promised = ahead
            elif campaign.status().state == "running":
                assert (decision.pull, decision.reason) == (False, "this round's pulls are made")
                promised = 0
            said.add(decision.reason.partition(" (")[0])
            if decision.pull:
                pulled.append(decision)
                promised -= 1
        assert promised == 0, "what was still to be pulled was"
        for decision in pulled:  # at the end of the day: nothing changes the ranks meanwhile
            campaign.tell(decision, reward=float(luck.random() < 0.5))
    assert not any("best" in words or "better" in words for words in said)
    assert campaign.verify().ok


def test_an_arm_that_is_passed_may_come_back_so_nothing_is_said_for_good() -> None:
    """Its bound rises with the rounds."""
    means = {"a": 0.9, "b": 0.5}
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Challenge", seed=1)
    reasons, passed, came_back = [], False, False
    for round_ in range(1, 120):
        for arm, mean in means.items():
            decision = campaign.ask(arm, at=round_)
            reasons.append(decision.reason)
            passed |= not decision.pull
            came_back |= passed and decision.pull and arm == "b"
            if decision.pull:
                campaign.tell(decision, reward=mean)
    assert came_back
    assert not any("any more" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("left", "end"),
    [
        (Left(rounds=35, pulls=6, pace=2.0), ", but 6 pulls are left."),
        (Left(pulls=1, pace=2.0), ", but 1 pull is left."),
        (Left(rounds=2, pulls=60, pace=2.0), ", but 2 are left."),
        (Left(rounds=12, pulls=24, pace=2.0), "so far."),
        (Left(), "so far."),
    ],
)
def test_how_long_still_counts_pulls_too(left: Left, end: str) -> None:
    assert Certainty(0.95, None, 12).in_words(left).endswith(end)


def test_a_budget_of_pulls_is_shown_and_counts_for_advice() -> None:
    means = {"a": 0.5, "b": 0.4}
    campaign = search("Uniform+", means, rounds=44, pulls=44)
    play(campaign, means, range(1, 20))
    status = campaign.status()
    assert "at the pace so far, but 6 pulls are left." in status.advice
    assert (status.to_dict()["pulled"], status.to_dict()["pulls"]) == (38, 44)
    assert "round 19 of 44, 38 of 44 pulls" in status_table(status).title
    assert "38 of 44 pulls" in repr(status)
    assert "<dd>38 of 44</dd>" in campaign_page(campaign)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> dict[str, datetime]:
    now = {"is": datetime(2026, 5, 1, 4, tzinfo=UTC)}
    monkeypatch.setattr(clock, "now", lambda: now["is"])
    return now


def test_a_reward_past_its_limit_blocks_nothing(time: dict[str, datetime]) -> None:
    plan = Schedule.parse("06:00,12:00", "Europe/Rome", start="2026-05-01")
    campaign = Campaign.create(
        "sqlite://", "c", schedule=plan, agent='Seq(UCB1(ties="first"))', seed=1, lost_after="1d"
    )
    assert campaign.ask().pull
    time["is"] += timedelta(hours=23)
    assert "it is given up 1d after it was asked" in str(campaign.status().blocked)
    time["is"] += timedelta(days=3, hours=1)
    status = campaign.status()
    assert status.blocked is None
    assert status_lines(status) == [
        "Overdue: decision 2, 06:00 in round 1, asked 2026-05-01 06:00 CEST (4 days ago), past the "
        "limit of 1d: the next ask gives it up."
    ]
    assert [alert.kind for alert in campaign.alerts()] == ["overdue"]
    campaign.pause()
    assert campaign.status().overdue == (), "asks give nothing up before it is resumed"
    campaign.resume()
    assert campaign.ask().pull
    assert kinds(campaign)[-2:] == ["lost", "ask"]


@pytest.mark.parametrize(
    ("until", "now", "text"),
    [
        ("2026-05-04T18:00", "2026-05-04T08:00", "18:00 CEST"),
        ("2026-05-07T18:00", "2026-05-04T08:00", "thu 18:00 CEST"),
        ("2026-05-05T00:00", "2026-05-04T23:59", "tue 00:00 CEST"),
        ("2026-05-11T08:00", "2026-05-04T08:00", "2026-05-11 08:00 CEST"),
        ("2026-05-05T06:00", "2026-05-04T22:30+00:00", "06:00 CEST"),
    ],
)
def test_an_end_that_is_not_today_has_its_day(until: str, now: str, text: str) -> None:
    schedule = Schedule.parse("08:00", "Europe/Rome")
    end = schedule.local(schedule.at(datetime.fromisoformat(until)))
    assert until_text(end, datetime.fromisoformat(now)) == text


def test_asks_by_name_while_paused_do_not_count_and_say_so() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b", "c"], agent="Uniform+")
    campaign.pause()
    assert campaign.ask("a").reason == "the campaign is paused"  # the first round is still to come
    campaign.resume()
    first = campaign.ask("a")
    campaign.pause()
    assert campaign.ask("c").reason == (
        "the campaign is paused: asks are not counted, so name the round when you ask after it is "
        "resumed"
    )
    assert campaign.ask("c", at=1).reason == "the campaign is paused"
    assert look(campaign).quiet == "the campaign is paused"
    campaign.resume()
    assert campaign.ask("a") == first
    assert campaign.ask("a", at=2).round == 2
    assert campaign.verify().ok


def test_rounds_that_are_all_over_are_not_begun_by_hand(time: dict[str, datetime]) -> None:
    def begun(start: str, rounds: int | None, slots: str = "08:00,18:00", **days: str) -> None:
        plan = Schedule.parse(slots, "UTC", start=start, **days)
        rest = dict.fromkeys(("arms", "pulls", "seed", "reward", "lost_after", "hardness"))
        config = new_config(
            agent="Seq(TS)", rounds=rounds, goal="regret", schedule=plan, problem=None,
            warm_start=False, **rest,
        )  # fmt: skip
        check_not_over(config)

    with pytest.raises(SpecError, match="the last of the 90 rounds was on 2025-07-29: is the firs"):
        begun("2025-05-01", 90)
    with pytest.raises(SpecError, match="last of the 6 rounds was on 2026-04-27: .* 2026-04-20"):
        begun("2026-04-20", 6, days="mon-fri")
    with pytest.raises(SpecError, match="only round was on 2026-04-20: .* day right, 2026-04-20"):
        begun("2026-04-21", 1, "mon 08:00,thu 18:00")
    begun("2025-05-01", None)
    begun("2026-04-30", 1)  # its last slot is on until 08:00
    begun("2026-06-01", 1)


def test_the_day_of_a_round_is_the_first_on_which_it_is_counted(seed: int) -> None:
    luck = np.random.default_rng(seed)
    for days in (None, "mon-fri", "sun", "tue,sat"):
        start = f"2026-05-{luck.integers(1, 29):02d}"
        plan = Schedule.parse("08:00", "UTC", days, start=start)
        for round_ in luck.integers(1, 400, size=9).tolist():
            noon = datetime.combine(plan.day_of(round_), datetime.min.time(), UTC)
            noon += timedelta(hours=12)
            assert plan.round_at(noon) == round_
            assert plan.round_at(noon - timedelta(days=1)) == round_ - 1


def test_a_search_for_a_set_of_arms_names_no_best_one() -> None:
    means = {"a": 0.0, "b": 0.1}
    campaign = search("Above(level=0.5)", means)
    play(campaign, means, range(1, 60))
    status = campaign.status()
    assert (status.state, status.best) == ("finished", None)
    (alert,) = campaign.alerts()
    assert alert.message == campaign.ask("a", at=60).reason
    assert alert.message.startswith("the search is over: Above 0.5 with 95 % confidence: none; not")
    assert "*" not in status_table(status).explained()
    page = campaign_page(campaign)
    assert "class=best" not in page
    assert "bold" not in page
    assert "best with probability" not in status.advice


def test_the_answer_of_arms_with_long_names_fits_into_the_log() -> None:
    means = {f"{number} {'x' * 190}": 0.0 for number in range(8)}
    campaign = search("Above(level=0.5)", means)
    play(campaign, means, range(1, 60))
    assert campaign.status().state == "finished"
    assert campaign.verify().problem is None


def test_nothing_is_shown_as_the_best_before_anything_is_known() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+")
    for _ in range(2):
        assert campaign.status().best is None
        assert not campaign.status().known
        page = campaign_page(campaign)
        assert "class=best" not in page
        assert 'font-weight="bold"' not in page
        decision = campaign.ask("a")
    campaign.tell(decision, reward=1)
    assert campaign.status().best == "a"
    page = campaign_page(campaign)
    assert page.count("class=best") == page.count('font-weight="bold"') == 1
    warm = Campaign.create("sqlite://", "w", problem=WATER, warm_start=True)
    assert warm.status().best == "a", "the record is known"


@pytest.mark.parametrize("by_clock", [False, True])
def test_nothing_comes_next_once_the_search_is_over(
    by_clock: bool, time: dict[str, datetime]
) -> None:
    plan = Schedule.parse("06:00,18:00", "UTC", start="2026-05-01")
    arms, schedule = (None, plan) if by_clock else (["a", "b"], None)
    campaign = Campaign.create(
        "sqlite://", "c", arms=arms, schedule=schedule, agent="SR+", goal="best", rounds=4, seed=1
    )
    labels = [arm.label for arm in campaign.config.arms]
    for day in range(3):
        for label, hour in zip(labels, (6, 18), strict=True):
            time["is"] = datetime(2026, 5, 1 + day, hour, tzinfo=UTC)
            decision = campaign.ask() if by_clock else campaign.ask(label, day + 1)
            if decision.pull:
                campaign.tell(decision, reward=float(label == labels[1]))
    seen = look(campaign)
    assert campaign.status().state == "finished"
    assert seen.quiet == f"the search is over: {labels[1]} is taken to be the best"
    assert (seen.offer, seen.decided) == (None, None)


def test_an_unknown_arm_is_refused_in_the_round_that_is_on() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Uniform+")
    with pytest.raises(DataError, match="round 1 has no arm 'Noon'; it has a, b"):
        campaign.ask("Noon")
    campaign.ask("b")
    with pytest.raises(DataError, match="round 1 has no arm 'Noon'; it has a, b"):
        campaign.ask("Noon")
    campaign.add_arm("Noon")
    assert campaign.ask("Noon").round == 2


def test_a_reward_that_was_taken_back_is_not_said_never_to_have_been_told() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a"], agent="Uniform+", rounds=1)
    campaign.tell(campaign.ask("a"), reward=1)
    campaign.correct(2, lost=True)
    assert campaign.status().answer == (
        "Finished, but no reward of the arms on offer is known: nothing can be said of them."
    )


def test_after_a_warm_start_the_leader_is_named() -> None:
    campaign = Campaign.create(
        "sqlite://", "c", problem=WATER, warm_start=True, agent="Uniform+", arms=["a", "b", "new"]
    )
    campaign.ask("a")
    assert campaign.status().advice.startswith("No reward yet of new. ")
    known = Campaign.create("sqlite://", "k", problem=WATER, warm_start=True, agent="Uniform+")
    known.ask("a")
    assert known.status().advice.startswith("a leads (best with probability")


def test_the_report_says_what_is_blank_and_what_its_dates_are(time: dict[str, datetime]) -> None:
    plan = Schedule.parse("06:00,12:00", "Europe/Rome", start="2026-05-01")
    campaign = Campaign.create("sqlite://", "c", schedule=plan, agent="Uniform+", pulls=2)
    time["is"] = datetime(2026, 11, 18, 12, 34, tzinfo=UTC)
    for at in ("2026-05-01T06:00", "2026-05-02T12:30", "2026-05-03T06:00"):
        campaign.ask(at=at)
    campaign.tell(2, reward=1)
    page = campaign_page(campaign)
    assert "blank: no decision (nobody asked, or the campaign was paused or over)." in page
    assert (
        "The campaign was begun 2026-05-01 06:00 CEST; the last event is dated 2026-11-18 13:34 "
        "CET. Its asks are dated 2026-05-01 06:00 CEST to 2026-05-02 12:30 CEST, by the time asked "
        "about."
    ) in page
