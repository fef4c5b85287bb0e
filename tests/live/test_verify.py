"""A log that was tampered with is found out, and the first event that differs is named."""

import sqlite3
from pathlib import Path

import pytest

from spnb.live.campaign import Campaign

ARMS = ["a", "b", "c"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store whose campaign has 4 rounds behind it; events 2, 3 are the first ask and tell."""
    campaign = Campaign.create(
        f"sqlite:///{tmp_path}/s.db", "c", arms=ARMS, agent='Challenge(KLUCB(ties="first"))', seed=1
    )
    for round_ in range(1, 5):
        for arm, reward in zip(ARMS, (1, 0, 0), strict=True):
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, reward=reward)
    campaign.ask("a", at=5)
    campaign.store.close()
    return tmp_path / "s.db"


def tampered(path: Path, *statements: str) -> tuple[str, int | None]:
    database = sqlite3.connect(path)
    with database:
        for statement in statements:
            assert database.execute(statement).rowcount > 0
    database.close()
    verdict = Campaign.open(f"sqlite:///{path}", "c").verify()
    assert not verdict.ok
    assert verdict.problem is not None
    return verdict.problem, verdict.event


def test_an_untouched_log_verifies(path: Path) -> None:
    verdict = Campaign.open(f"sqlite:///{path}", "c").verify()
    assert (verdict.ok, verdict.problem, verdict.event) == (True, None, None)
    assert verdict.events > 15


def test_a_decision_turned_round(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET pull = 0 WHERE seq = 2")
    assert event == 2
    assert problem.startswith("event 2 (ask of ")
    assert problem.endswith("the log says pass, the agent says pull")


def test_a_reward_changed_shows_in_what_it_led_to(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET reward = 0.5 WHERE seq = 3")
    assert event is not None
    assert "snapshot" in problem or event > 3


def test_a_reward_that_makes_no_sense(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET reward = 7 WHERE seq = 3")
    assert event == 3
    assert "makes no sense here (reward of arm 0 must lie in [0, 1]" in problem


def test_an_event_taken_out(path: Path) -> None:
    problem, event = tampered(path, "DELETE FROM spnb_events WHERE seq = 4")
    assert event == 5
    assert "no pull 4 of 'b' waits for a reward" in problem


def test_an_event_taken_from_the_end(path: Path) -> None:
    last = "SELECT MAX(seq) FROM spnb_events"
    problem, _ = tampered(path, f"DELETE FROM spnb_events WHERE seq = ({last})")
    assert "the log ends at event" in problem


def test_a_reward_told_twice(path: Path) -> None:
    columns = "campaign, at, kind, decision, round, arm, pull, reward, note"
    problem, event = tampered(
        path,
        "UPDATE spnb_events SET seq = 1000 + seq WHERE seq > 3",
        f"INSERT INTO spnb_events (seq, {columns}) SELECT 4, {columns} FROM spnb_events "
        "WHERE seq = 3",
    )
    assert event == 4
    assert "no pull 2 of 'a' waits for a reward" in problem


def test_an_arm_that_was_not_on_offer(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET arm = 'x' WHERE seq = 2")
    assert event == 2
    assert "'x' was not on offer in round 1" in problem


def test_the_order_of_a_round_turned_round(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET round = 30 WHERE seq = 4")
    assert event == 5
    assert "no pull 4 of 'b' waits for a reward" in problem


def test_a_snapshot_touched(path: Path) -> None:
    problem, _ = tampered(
        path, """UPDATE spnb_snapshots SET body = REPLACE(body, '"round":5', '"round":6')"""
    )
    assert "the snapshot is not what event" in problem


def test_a_snapshot_damaged_is_told(path: Path) -> None:
    from spnb.base.errors import DataError

    database = sqlite3.connect(path)
    with database:
        database.execute("UPDATE spnb_snapshots SET body = '{}'")
    database.close()
    with pytest.raises(DataError, match="the snapshot is damaged"):
        Campaign.open(f"sqlite:///{path}", "c").ask("b")


def test_a_pending_pull_forgotten(path: Path) -> None:
    problem, _ = tampered(path, "DELETE FROM spnb_pending")
    assert "the pulls noted as pending" in problem


def test_an_ask_during_a_pause(path: Path) -> None:
    problem, event = tampered(
        path, "UPDATE spnb_events SET kind = 'pause', decision = NULL WHERE seq = 3"
    )
    assert event == 4
    assert "'b' was not on offer" in problem


def test_a_loss_that_was_none_and_a_find_of_what_was_not_lost(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET kind = 'found' WHERE seq = 3")
    assert (event, "pull 2 was not given up" in problem) == (3, True)
