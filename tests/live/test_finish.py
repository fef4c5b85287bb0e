"""The end is an answer: finished, the best arm, how sure, what it cost; and a page to keep."""

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import spnb
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.campaign.story import Story
from spnb.live.schedule import Schedule
from spnb.report.campaign_page import campaign_page
from spnb.report.campaigns import status_lines, status_table


def lived(**given: object) -> Campaign:
    campaign = Campaign.create(
        "sqlite://", "water & <wine>", arms=["a", "b"], agent="Uniform+", seed=1,
        **{"rounds": 4, **given},  # type: ignore[arg-type]
    )  # fmt: skip
    for round_ in range(1, 5):
        for arm in ("a", "b"):
            decision = campaign.ask(arm, at=round_)
            if not decision.pull:
                continue
            if (round_, arm) == (2, "b"):
                campaign.lost(decision)
            elif round_ < 4:
                campaign.tell(decision, reward=float(arm == "a"))
    return campaign


def test_after_the_last_round_status_is_an_answer() -> None:
    campaign = lived()
    status = campaign.status()
    assert status.state == "finished"
    assert re.fullmatch(
        r"Finished: a is taken to be the best, mean 0\.8, best with probability 0\.9\d\. It took "
        r"4 rounds and 8 pulls \(1 reward lost, 2 rewards still to come\); they earned 3 in all\.",
        str(status.answer),
    )
    assert campaign.outline().state == "finished"
    assert status_lines(status)[0] == status.answer
    for pull in campaign.pending():
        campaign.tell(pull.decision, wins=3, trials=10)
    assert "still to come" not in str(campaign.status().answer)
    assert "earned 9 in all" in str(campaign.status().answer)


def test_a_campaign_of_so_many_pulls_is_finished_with_the_last() -> None:
    campaign = lived(pulls=3, rounds=None)
    status = campaign.status()
    assert (status.state, sum(arm.pulls for arm in status.arms)) == ("finished", 3)


@pytest.mark.parametrize(("rounds", "goal", "horizon"), [(None, "best", 60), (9, "best", 60),
                                                         (9, "regret", 9)])  # fmt: skip
def test_a_search_is_as_long_as_its_pulls(rounds: int | None, goal: Any, horizon: int) -> None:
    """As in a simulation, where a policy for identification is told the budget of pulls."""
    campaign = Campaign.create(
        "sqlite://", "c", arms=["a", "b", "c", "d"], agent="Pack(early)", goal=goal, rounds=rounds,
        pulls=60, seed=1,
    )  # fmt: skip
    learner = spnb.Learner("Pack(early)", 4, horizon=horizon, seed=1)
    for round_ in range(1, 9):
        for arm in range(4):
            decision = campaign.ask("abcd"[arm], at=round_)
            assert decision.pull == learner.ask(arm)
            if decision.pull:
                learner.pulled(arm)
                learner.observe(arm, float(arm % 2))
                campaign.tell(decision, reward=float(arm % 2))
        learner.next_round()
    campaign.verify()


def test_a_search_is_finished_when_it_is_decided() -> None:
    campaign = Campaign.create(
        "sqlite://", "c", arms=["a", "b"], agent="SR+", goal="best", rounds=20, seed=1
    )
    assert campaign.status().state == "running"
    for round_ in range(1, 21):
        for arm in ("a", "b"):
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, reward=float(arm == "b"))
    assert str(campaign.status().answer).startswith("Finished: b is taken to be the best")


def test_a_finished_campaign_without_a_reward_claims_nothing() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a"], agent="Uniform+", rounds=1)
    campaign.ask("a")
    assert campaign.status().answer == (
        "Finished, but no reward of the arms on offer is known: nothing can be said of them."
    )


@pytest.mark.parametrize(
    ("moment", "state"),
    [
        ("2026-05-02T19:59", "running"),  # the last slot stands until 06:00 of the next day
        ("2026-05-03T03:59", "running"),
        ("2026-05-03T04:01", "finished"),
        ("2026-06-01T00:00", "finished"),
    ],
)
def test_the_clock_ends_the_last_round(
    moment: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Schedule.parse("06:00,18:00", "Europe/Rome", start="2026-05-01")
    campaign = Campaign.create("sqlite://", "c", schedule=plan, agent="Uniform+", rounds=2)
    campaign.ask(at="2026-05-01T06:00")
    campaign.ask(at="2026-05-02T06:00")
    monkeypatch.setattr(clock, "now", lambda: datetime.fromisoformat(moment).replace(tzinfo=UTC))
    assert campaign.status().state == state
    campaign.close()
    assert campaign.status().state == "closed"


def test_a_story_knows_what_became_of_every_offer() -> None:
    campaign = lived()
    told = next(int(e.decision or 0) for e in campaign.events() if e.kind == "tell")
    campaign.correct(told, reward=0.5)
    story = Story.of(campaign.events())
    became = [cell.became for cell in story.cells.values()]
    assert (became.count("told"), became.count("lost"), became.count("open")) == (5, 1, 2)
    assert story.cells[told].reward == 0.5
    assert not story.forgot
    late = Story.of(campaign.events(), rounds=2)
    assert {cell.round for cell in late.cells.values()} == {3, 4}
    assert late.forgot
    assert late.kinds == story.kinds


class _Page(HTMLParser):
    """Open and closed tags, and whatever is fetched from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.fetched += [str(v) for name, v in attrs if name in ("src", "href")]
        if tag not in ("meta", "circle", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("circle", "path"):
            assert self.open.pop() == tag


def test_the_report_is_one_page_that_needs_nothing_else() -> None:
    text = campaign_page(lived())
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert page.fetched == []
    assert "url(" not in text
    assert "<wine>" not in text
    assert "water &amp; &lt;wine&gt;" in text
    assert page.seen.count("g") == 8  # pulls in the picture
    assert "Finished: a is taken to be the best" in text
    assert "5 rewards told" in text
    assert "1 rewards given up" not in text


def test_the_report_of_a_campaign_that_has_not_begun() -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Seq(TS)")
    text = campaign_page(campaign)
    assert "Nothing was asked yet." in text


def test_every_sign_of_the_status_is_explained() -> None:
    campaign = lived()
    said = status_table(campaign.status()).explained()
    for sign in ("* ", "█", "─", "P(best)", "open", "earned", "lost"):
        assert sign in said
    assert "record" not in said


def test_the_page_is_written_by_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sys

    from spnb.cli import main

    url = f"sqlite:///{tmp_path}/s.db"
    Campaign.create(url, "c", arms=["a", "b"]).store.close()
    page = tmp_path / "r.html"
    words = ["spnb", "campaign", "report", "c", "-o", str(page), "--store", url]
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 0, capsys.readouterr().err
    assert page.read_text().startswith("<!doctype html>")
