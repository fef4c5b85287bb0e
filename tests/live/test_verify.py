"""A log that was tampered with is found out, and the event that was changed is named."""

import random
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from live.helpers import COLUMNS, reseal
from spnb.base.errors import DataError
from spnb.live.campaign import Campaign
from spnb.problems.readers import ProblemData

ARMS = ["a", "b", "c"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store whose campaign has 4 rounds behind it; events 2, 3 are the first ask and tell."""
    campaign = Campaign.create(
        f"sqlite:///{tmp_path}/s.db", "c", agent='Challenge(KLUCB(ties="first"))', seed=1,
        problem=ProblemData("r", tuple(ARMS), means=(0.5, 0.5, 0.5), trials=(2, 2, 2)),
        warm_start=True,
    )  # fmt: skip
    for round_ in range(1, 5):
        for arm, reward in zip(ARMS, (1, 0, 0), strict=True):
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, reward=reward)
    campaign.ask("a", at=5)
    campaign.store.close()
    return tmp_path / "s.db"


def verdict(path: Path) -> tuple[str, int | None]:
    found = Campaign.open(f"sqlite:///{path}", "c").verify()
    assert not found.ok
    assert found.problem is not None
    return found.problem, found.event


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for statement in statements:
            assert database.execute(statement).rowcount > 0


def tampered(path: Path, *statements: str) -> tuple[str, int | None]:
    """By somebody who knows how to seal it again."""
    change(path, *statements)
    reseal(path)
    return verdict(path)


def test_an_untouched_log_verifies(path: Path) -> None:
    found = Campaign.open(f"sqlite:///{path}", "c").verify()
    assert (found.ok, found.problem, found.event) == (True, None, None)
    assert found.events > 15


@pytest.mark.parametrize(
    ("seq", "what"),
    [
        (2, "pull = 0"), (3, "reward = 0.5"), (3, "reward = 'x'"), (3, "reward = x'00'"),
        (2, "at = at + 1"), (2, "at = 'noon'"), (2, "note = replace(note, 'never', 'often')"),
        (2, "note = 'x'"), (4, "round = 30"), (4, "arm = 'z'"), (3, "kind = 'found'"),
        (3, "decision = NULL"), (2, "actor = 'somebody else'"), (2, "hash = ''"),
        (1, "note = replace(note, '\"seed\": 1', '\"seed\": 2')"), (1, "note = '{}'"),
        (1, "kind = 'ask'"), (2, "seq = 1000"), (1, "note = replace(note, '[1.0, 2]', '[2.0, 2]')"),
    ],
)  # fmt: skip
def test_whatever_is_changed_the_event_is_named(path: Path, seq: int, what: str) -> None:
    change(path, f"UPDATE spnb_events SET {what} WHERE seq = {seq}")
    problem, event = verdict(path)
    assert event == seq
    assert problem.startswith(f"event {seq} (")


def _other(name: str, value: Any, luck: random.Random) -> Any:
    """Another value for a field."""
    if name in ("seq", "at", "decision", "round"):
        return luck.choice([(value or 0) + 1, -1, 2**40, "x"])
    if name in ("pull", "reward"):
        return luck.choice([other for other in (None, 0, 1, 0.5, "x") if other != value])
    return luck.choice([f"{value}x", "\x1b[2J"])


def test_any_field_of_any_event_changed_is_found(path: Path, seed: int) -> None:
    luck = random.Random(seed)
    campaign = Campaign.open(f"sqlite:///{path}", "c")
    campaign.correct(2, reward=0.5)
    campaign.correct(2, wins=3, trials=20)
    campaign.lost()
    campaign.tell(None, wins=7, trials=120)
    campaign.give_up_after("2d")
    campaign.pause()
    campaign.resume()
    campaign.add_arm("d")
    campaign.retire_arm("b")
    campaign.store.close()
    names = COLUMNS.split(", ")
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute(f"SELECT {COLUMNS} FROM spnb_events ORDER BY seq").fetchall()
    for row in rows:
        for name, value in zip(names, row, strict=True):
            other = _other(name, value, luck)
            try:
                with closing(sqlite3.connect(path)) as database, database:
                    change = f"UPDATE spnb_events SET {name} = ? WHERE seq = ?"
                    database.execute(change, (other, row[0]))
            except sqlite3.IntegrityError:
                continue  # the database itself knew better
            problem, event = verdict(path)
            assert event == row[0], (row, name, other, problem)
            key = other if name == "seq" else row[0]
            with closing(sqlite3.connect(path)) as database, database:
                database.execute(f"UPDATE spnb_events SET {name} = ? WHERE seq = ?", (value, key))
    assert Campaign.open(f"sqlite:///{path}", "c").verify().ok


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
    assert "its reward must be in [0, 1], got 7.0" in problem


@pytest.mark.parametrize("value", ["1" + "0" * 400, '"a lot"', '"1e999"'])
def test_a_value_that_is_no_number(path: Path, value: str) -> None:
    said, event = tampered(
        path, f"UPDATE spnb_events SET note = '{{\"value\": {value}}}' WHERE seq = 3"
    )
    assert "value cannot be" in said
    assert event == 3


def test_an_event_taken_out(path: Path) -> None:
    problem, event = tampered(path, "DELETE FROM spnb_events WHERE seq = 4")
    assert event == 4
    assert "expected event 4, found 5" in problem


def test_an_event_taken_from_the_end(path: Path) -> None:
    last = "SELECT MAX(seq) FROM spnb_events"
    problem, _ = tampered(path, f"DELETE FROM spnb_events WHERE seq = ({last})")
    assert "the log ends at event" in problem


def test_a_reward_told_twice(path: Path) -> None:
    columns = f"campaign, {COLUMNS.removeprefix('seq, ')}"
    problem, event = tampered(
        path,
        "UPDATE spnb_events SET seq = 1000 + seq WHERE seq > 3",
        f"INSERT INTO spnb_events (seq, {columns}) SELECT 4, {columns} FROM spnb_events "
        "WHERE seq = 3",
    )
    assert event == 4
    assert "the reward of pull 2 was told, not open" in problem


def test_an_arm_that_was_not_on_offer(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET arm = 'x' WHERE seq = 2")
    assert event == 2
    assert "'x' was not on offer in round 1" in problem


def test_a_round_too_far_ahead(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET round = 90000 WHERE seq = 4")
    assert event == 4
    assert "round 90000 is too far ahead of round 1" in problem


def test_a_snapshot_touched(path: Path) -> None:
    change(path, """UPDATE spnb_snapshots SET body = REPLACE(body, '"round":5', '"round":6')""")
    assert "the snapshot is not what event" in verdict(path)[0]


def test_a_snapshot_damaged_is_told(path: Path) -> None:
    change(path, "UPDATE spnb_snapshots SET body = '{}'")
    with pytest.raises(DataError, match="the snapshot is damaged"):
        Campaign.open(f"sqlite:///{path}", "c").ask("b")


def test_a_pending_pull_forgotten(path: Path) -> None:
    change(path, "DELETE FROM spnb_pending")
    assert "the pulls noted as pending" in verdict(path)[0]


def test_an_ask_during_a_pause(path: Path) -> None:
    nothing = "decision = NULL, round = NULL, arm = NULL, reward = NULL"
    problem, event = tampered(
        path, f"UPDATE spnb_events SET kind = 'pause', {nothing} WHERE seq = 3"
    )
    assert event == 4
    assert "'b' was not on offer" in problem


def test_a_find_of_what_was_not_lost(path: Path) -> None:
    problem, event = tampered(path, "UPDATE spnb_events SET kind = 'found' WHERE seq = 3")
    assert event == 3
    assert "the reward of pull 2 was open, not lost" in problem
