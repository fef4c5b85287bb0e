"""Corrections in long logs: taught anew from a checkpoint, never for long, never twice."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from live.helpers import ARMS
from spnb.base.errors import ConflictError, DataError
from spnb.live.campaign import Campaign, checkpoints, learning
from spnb.live.campaign.config import PATIENCE
from spnb.live.campaign.course import Course
from spnb.live.store import Event, Store


def live(campaign: Campaign, rounds: range) -> None:
    for round_ in rounds:
        for place, arm in enumerate(ARMS):
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, reward=float((round_ * 7 + place) % 3 == 0))


def tells(campaign: Campaign) -> list[int]:
    return [int(e.decision or 0) for e in campaign.events() if e.kind == "tell"]


def kept(campaign: Campaign) -> list[int]:
    with campaign.store.reading() as tx:
        tx._cursor.execute("SELECT seq FROM spnb_checkpoints ORDER BY seq")
        return [row[0] for row in tx._cursor.fetchall()]


@pytest.fixture
def quick() -> Iterator[Store]:
    """Where the database does not matter."""
    with Store("sqlite://") as opened:
        yield opened


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of events that every lesson went through."""
    taught: list[int] = []
    stretch = learning._stretch

    def counted(history: Any, after: int, until: int) -> Any:
        taught.append(until - after)
        return stretch(history, after, until)

    monkeypatch.setattr(learning, "_stretch", counted)
    return taught


def test_checkpoints_are_dense_of_late_and_sparse_before(
    quick: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("learning", "change", "checkpoints", "replay"):
        monkeypatch.setattr(f"spnb.live.campaign.{module}.LASTING", 256)
    campaign = Campaign.create(quick, "c", arms=ARMS, agent="Seq(TS)", seed=1)
    live(campaign, range(1, 300))
    seqs, last = kept(campaign), campaign.outline().events
    recent = [seq for seq in seqs if seq > last - 256]
    assert len(recent) >= 3
    assert len(seqs) - len(recent) <= last / 256 + 2
    assert campaign.verify().problem is None


def test_a_recent_correction_costs_little_and_an_old_one_is_paid_once(
    store: Store, steps: list[int]
) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Seq(TS)", seed=1)
    live(campaign, range(1, 400))
    told = tells(campaign)
    campaign.correct(told[-2], reward=0.5)
    live(campaign, range(400, 402))
    assert steps
    assert max(steps) < 2 * learning.DENSE
    del steps[:]
    campaign.correct(told[0], reward=0.5)
    campaign.status()
    campaign.recommend()
    Campaign.open(store, "c").status()
    live(campaign, range(402, 403))
    assert steps[0] > 1000  # the oldest one: all of the log, once
    assert max(steps[1:]) < 2 * learning.DENSE
    assert campaign.verify().problem is None


@pytest.mark.parametrize("allowance", [250_000, -9_000])
def test_what_is_learnt_does_not_depend_on_checkpoints(
    quick: Store, seed: int, allowance: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two campaigns live alike, but from one the checkpoints are taken away again and again."""
    monkeypatch.setattr("spnb.live.campaign.course.ALLOWANCE", allowance)
    luck = random.Random(seed)
    pair = [
        Campaign.create(quick, name, arms=ARMS, agent="Challenge", seed=seed) for name in ("x", "y")
    ]
    round_ = 1
    for turn in range(25):
        for campaign in pair:
            live(campaign, range(round_, round_ + 12))
        round_ += 12
        told, what = tells(pair[0]), luck.random()
        again = luck.choice(told[-30:] if what < 0.7 else told)
        value = luck.choice([0.0, 0.25, 1.0, None])
        for campaign in pair:
            try:
                campaign.correct(again, reward=value, lost=value is None)
            except DataError:
                campaign.tell(again, reward=0.75)  # it was taken back before
            if turn == 12:
                campaign.add_arm("d")
            if turn == 18:
                campaign.retire_arm("d")
        with quick.writing() as tx:
            tx.forget_checkpoints(pair[1]._who.number, since=luck.randrange(1, 2000))
    for campaign in pair:
        live(campaign, range(round_, round_ + 1))
    states = [json.loads(campaign.snapshot().body) for campaign in pair]
    assert states[0] == states[1]
    assert [campaign.verify().problem for campaign in pair] == [None, None]


def test_what_is_learnt_anew_is_in_proportion_to_what_happened(
    quick: Store, steps: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The oldest rewards corrected again and again: live and replayed, the work stays linear."""
    monkeypatch.setattr("spnb.live.campaign.course.ALLOWANCE", 0)
    campaign = Campaign.create(quick, "c", arms=ARMS, agent="Uniform+", seed=1)
    live(campaign, range(1, 2))
    first = tells(campaign)[0]
    for round_ in range(2, 301):
        live(campaign, range(round_, round_ + 1))
        campaign.correct(first, reward=round_ / 1000)
    events = campaign.outline().events
    del steps[:]
    assert campaign.verify().problem is None
    assert events < sum(steps) <= PATIENCE * 2 * events
    assert len(steps) < 200  # of 299: the others waited


def test_old_corrections_wait_when_they_are_many_and_are_learnt_in_the_end(
    quick: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.create(quick, "c", arms=ARMS, agent="Uniform+", seed=1)
    other = Campaign.create(quick, "right", arms=ARMS, agent="Uniform+", seed=1)
    live(campaign, range(1, 20))
    live(other, range(1, 20))
    first = tells(campaign)[0]
    size = campaign.outline().events + 40
    monkeypatch.setattr("spnb.live.campaign.course.ALLOWANCE", -PATIENCE * size)
    campaign.correct(first, reward=0.25)
    campaign.correct(first, lost=True)
    campaign.tell(first, reward=0.5)  # found again, while the learner still has the first one
    waits = campaign._read(campaign.snapshot()).lesson_in()
    assert waits > 0
    assert f"after {waits} more event" in campaign.status().advice
    with pytest.raises(ConflictError, match="more events"):
        campaign.add_arm("d")
    live(campaign, range(20, 21))
    assert campaign._read(campaign.snapshot()).behind is not None
    assert campaign.verify().problem is None
    live(campaign, range(21, 40))
    assert "more event" not in campaign.status().advice
    other.correct(first, lost=True)
    other.tell(first, reward=0.5)
    monkeypatch.undo()
    live(other, range(20, 40))
    learners = [json.loads(c.snapshot().body)["learner"] for c in (campaign, other)]
    assert learners[0] == learners[1]
    monkeypatch.setattr("spnb.live.campaign.course.ALLOWANCE", -PATIENCE * size)
    assert campaign.verify().problem is None


def test_an_ask_does_not_starve_under_steady_corrections(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Challenge", seed=1)
    live(campaign, range(1, 30))
    other, told = Campaign.open(store, "c"), tells(campaign)
    monkeypatch.setattr("spnb.live.campaign.change.LASTING", 1)  # every log is a long one
    history, corrected = Store.history, list[int]()

    def slowly(store: Store, *bounds: int) -> Iterator[Event]:
        if len(corrected) < 50:  # whoever reads the log outside a transaction is overtaken
            corrected.append(1)
            other.correct(told[0], reward=len(corrected) / 100)
        return history(store, *bounds)

    campaign.correct(told[0], reward=0.5)
    monkeypatch.setattr(Store, "history", slowly)
    assert campaign.ask("a", at=30).round == 30
    monkeypatch.undo()
    assert 1 <= len(corrected) < 10
    assert campaign.verify().problem is None


def test_a_damaged_checkpoint_does_no_harm(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Seq(TS)", seed=1)
    live(campaign, range(1, 60))
    told = tells(campaign)
    for body in ("{}", "x", '{"seq": 5, "round": 1, "arms": ["a", "b", "c"], "learner": {}}'):
        with store.writing() as tx:
            tx.keep_checkpoint(campaign._who.number, 5, body, lasting=False)
        campaign.correct(told[-1], reward=len(body) / 100)
        campaign.ask("a", at=campaign.outline().round + 1)
        assert campaign.verify().problem is None


def test_who_may_only_read_learns_for_himself(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from spnb.base.errors import StoreError

    campaign = Campaign.create(store, "c", arms=ARMS, agent="Seq(TS)", seed=1)
    live(campaign, range(1, 60))
    campaign.correct(tells(campaign)[0], reward=0.5)

    def refuse(*_: object) -> None:
        raise StoreError("it is read-only")

    monkeypatch.setattr(checkpoints, "_keep_all", refuse)
    assert campaign.recommend() in ARMS


def test_relearning_from_a_checkpoint_is_relearning(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Challenge(TS)", seed=3)
    live(campaign, range(1, 60))
    told = tells(campaign)
    campaign.correct(told[-3], reward=0.125)
    snapshot = campaign.snapshot()

    def history(after: int, until: int) -> Iterator[Event]:
        return store.history(campaign._who.number, after, until)

    def course() -> Course:
        args = (campaign.config, snapshot.version, snapshot.hash, snapshot.body)
        return Course.from_json(*args).successor(60)

    with store.reading() as tx:
        start = checkpoints.latest(tx, campaign._who.number)
    assert start is not None
    found = [course().relearn(history, each).learner.to_dict() for each in (None, start)]
    assert found[0] == found[1]
