"""How a campaign is made, kept and moved."""

import json
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from live.helpers import ARMS, resealed
from spnb.base.errors import ConflictError, DataError, SpecError
from spnb.live.campaign import Campaign
from spnb.live.store import Store


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"arms": []}, "at least 1 arm"),
        ({"arms": None}, "needs arms"),
        ({"arms": "abc"}, "needs arms"),
        ({"arms": ["a", "a"]}, "got 'a' twice"),
        ({"arms": ["a", ""]}, "printable"),
        ({"arms": ["a", "-b"]}, "printable"),
        ({"arms": ["a"], "schedule": "08:00,09:00"}, "2 slots need as many arms"),
        ({"agent": "Sequence(TS)"}, "unknown policy or agent"),
        ({"agent": "SR+"}, "needs to know the horizon"),
        ({"rounds": 0}, "rounds must be a whole number >= 1"),
        ({"goal": "fame"}, "goal must be one of"),
        ({"seed": -1}, "seed must be"),
        ({"reward": "good"}, "a reward rule is"),
        ({"lost_after": "soon"}, "a length of time"),
        ({"hardness": -1.0}, "hardness must be"),
    ],
)
def test_odd_campaigns_are_refused(options: dict[str, object], said: str) -> None:
    store = Store("sqlite://")
    with pytest.raises(SpecError, match=said):
        Campaign.create(store, "c", **({"arms": ARMS} | options))  # type: ignore[arg-type]
    with store.reading() as tx:
        assert tx.names() == []


@pytest.mark.parametrize("name", ["", " x", "-x", "a\nb", "x" * 201, 5])
def test_odd_names_are_refused(name: str) -> None:
    with pytest.raises(SpecError, match="the name of a campaign must be"):
        Campaign.create("sqlite://", name, arms=ARMS)


def test_a_campaign_that_is_not_there_is_told_with_those_that_are(campaign: Campaign) -> None:
    with pytest.raises(DataError, match="there is no campaign 'x'; the store has: c"):
        Campaign.open(campaign.store, "x")


def test_the_seed_is_always_recorded(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS)
    assert Campaign.open(store, "c").config == campaign.config
    assert campaign.config.seed >= 0


def test_the_snapshot_does_not_grow(campaign: Campaign) -> None:
    sizes = []
    for round_ in (10, 11, 99):
        campaign.tell(campaign.ask("a", at=round_, ahead=True), reward=1)
        sizes.append(len(campaign.snapshot()[1]))
    assert max(sizes) == min(sizes)


def test_a_learner_written_by_another_version_is_taught_anew(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/s.db"
    campaigns = [
        Campaign.create(url, name, arms=ARMS, agent="Challenge", seed=1) for name in ("x", "y")
    ]
    for campaign in campaigns:
        for round_, arm in ((1, "a"), (1, "b"), (2, "a")):
            campaign.tell(campaign.ask(arm, at=round_), reward=0.5)
        campaign.store.close()
    with sqlite3.connect(tmp_path / "s.db") as database:
        old = """UPDATE spnb_snapshots SET body = REPLACE(body, '"sums"', '"totals"')"""
        assert database.execute(old + " WHERE campaign = 1").rowcount == 1
    database.close()
    first, second = (Campaign.open(url, name).ask("b", at=2) for name in ("x", "y"))
    assert replace(first, uid=None) == replace(second, uid=None)
    assert Campaign.open(url, "x").verify().ok


def test_a_campaign_moves_to_another_store(campaign: Campaign, tmp_path: Path) -> None:
    campaign.tell(campaign.ask("a"), reward=0.1)
    campaign.correct(2, reward=1 / 3)
    campaign.ask("b")
    campaign.retire_arm("c")
    campaign.ask("a")
    lines = list(campaign.export())
    moved = Campaign.import_(f"sqlite:///{tmp_path}/other.db", lines)
    assert list(moved.events()) == list(campaign.events())
    assert moved.snapshot() == campaign.snapshot()
    assert moved.uid == campaign.uid
    assert moved.status() == campaign.status()
    assert moved.verify().ok
    assert replace(moved.ask("b"), uid=None) == replace(campaign.ask("b"), uid=None)
    named = Campaign.import_(campaign.store, lines, name="copy")
    assert named.verify().ok
    assert named.uid != campaign.uid
    with pytest.raises(ConflictError, match="there is a campaign 'c' already"):
        Campaign.import_(campaign.store, lines)


def test_a_broken_export_brings_in_nothing(campaign: Campaign) -> None:
    campaign.tell(campaign.ask("a"), reward=1)
    campaign.ask("b")
    header, *events, end = campaign.export()
    asked = json.loads(events[1])
    passed = json.dumps(asked | {"pull": False}) + "\n"
    noted = json.dumps(asked | {"note": {"reason": "\x1b[2J"}}) + "\n"
    turned = resealed([header, events[0], passed, *events[2:], end])
    short = resealed([header, events[0], *events[2:], end])
    for lines, said in (
        ([], "this is not an exported campaign"),
        (["hello"], "this is not an exported campaign"),
        (["[" * 100_000], "this is not an exported campaign"),
        ([header], "event 1: the log has lost its beginning"),
        ([header, *events[:-1]], "ends after 3 of 4 events"),
        ([header, *events], "does not end with the hash of its last event"),
        ([header, *events, end, "more"], "goes on after its 4 events"),
        ([header, *events[:-1], "{", end], "line 5 of this export is not JSON"),
        ([header, *events[:-1], "{}", end], "line 5 of this export: this is no event"),
        ([header, *events[:-1], "[" * 100_000, end], "line 5 of this export is not JSON"),
        ([header, *events[:-1], "9" * 5000, end], "line 5 of this export is not JSON"),
        ([header, *events[:-1], "x" * 9_000_000, end], "line 5 of this export is too long"),
        ([header, events[0], passed, *events[2:], end], "event 2 .*: it was changed"),
        (turned, r"event 2 .*the log says pass, the agent says pull"),
        (resealed([header, events[0], noted, *events[2:], end]), "event 2 .*its reason cannot be"),
        ([header, events[0], *events[2:], end], "event 2 .*: expected event 2, found 3"),
        (short, "event 2 .*: expected event 2, found 3"),
    ):
        with pytest.raises(DataError, match=said):
            Campaign.import_(campaign.store, lines, name="copy")
    with campaign.store.reading() as tx:
        assert tx.names() == ["c"]


def test_an_export_of_the_first_format_is_sealed_as_it_comes_in(campaign: Campaign) -> None:
    campaign.tell(campaign.ask("a"), reward=1)
    _, *events, _ = campaign.export()
    old = {"format": "spnb campaign 1", "name": "old", "events": len(events)}
    plain = [json.loads(line) for line in events]
    for event in plain:
        del event["hash"], event["actor"]
    lines = [json.dumps(old), *(json.dumps(event) for event in plain)]
    moved = Campaign.import_(campaign.store, lines)
    assert moved.verify().ok
    assert moved.uid != campaign.uid
    assert [event.kind for event in moved.events()] == ["create", "ask", "tell"]
    assert all(event.hash for event in moved.events())
