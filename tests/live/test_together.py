"""Many changes in one commit: each by itself all or nothing, none of them half."""

import threading
from collections.abc import Callable
from contextlib import suppress

import pytest

from live.helpers import ARMS
from spnb.base.errors import ConflictError, DataError, GoneError, StoreError
from spnb.live.campaign import Campaign
from spnb.live.store import Store


@pytest.fixture
def many(store: Store) -> list[Campaign]:
    return [Campaign.create(store, f"c{n}", arms=ARMS, agent="Challenge", seed=n) for n in range(4)]


def day(campaign: Campaign, round_: int) -> None:
    for place, arm in enumerate(ARMS):
        decision = campaign.ask(arm, at=round_)
        if decision.pull:
            campaign.tell(decision, reward=float((round_ + place) % 2))


def delete_and_fail(store: Store, campaign: Campaign) -> None:
    with store.writing(campaign.number) as tx:
        tx.forget_checkpoints(campaign.number, since=0)
        tx.delete(campaign.number)
        raise RuntimeError


def live_and_fail(store: Store, campaigns: list[Campaign]) -> None:
    with store.together([campaign.number for campaign in campaigns]):
        for campaign in campaigns:
            day(campaign, 1)
        raise RuntimeError


def test_together_is_the_same_as_one_by_one(store: Store, many: list[Campaign]) -> None:
    alone = [Campaign.create(store, f"d{n}", arms=ARMS, agent="Challenge", seed=n) for n in (0, 1)]
    for round_ in range(1, 40):  # checkpoints are written on the way
        with store.together([campaign.number for campaign in many]):
            for campaign in many:
                day(campaign, round_)
        for campaign in alone:
            day(campaign, round_)
    for ours, theirs in zip(many, alone, strict=False):
        said = [(e.kind, e.arm, e.round, e.pull, e.reward) for e in ours.events()]
        assert said[1:] == [(e.kind, e.arm, e.round, e.pull, e.reward) for e in theirs.events()][1:]
    assert all(Campaign.open(store, f"c{n}").verify().ok for n in range(4))


def test_one_that_fails_leaves_the_others_alone(store: Store, many: list[Campaign]) -> None:
    first = many[1].ask("a", at=1)
    many[1].tell(first, reward=1)
    with store.together([campaign.number for campaign in many]):
        day(many[0], 1)
        with pytest.raises(ConflictError):
            many[1].tell(first, reward=0)
        with pytest.raises(DataError):
            many[2].ask("nobody", at=1)
        many[1].correct(first, reward=0)  # writes at once: what was written before goes out first
        with pytest.raises(ConflictError):
            Campaign.create(store, "c0", arms=ARMS)
        with pytest.raises(RuntimeError):
            delete_and_fail(store, many[3])
        Campaign.create(store, "new", arms=ARMS)
        day(many[3], 1)
    kinds = [[event.kind for event in campaign.events()] for campaign in many]
    assert kinds[0][:2] == ["create", "ask"]
    assert kinds[1] == ["create", "ask", "tell", "correct"]
    assert kinds[2] == ["create"]
    assert "ask" in kinds[3]
    assert all(campaign.verify().ok for campaign in many)
    assert Campaign.open(store, "new").verify().ok


def test_nothing_has_happened_if_the_commit_fails(store: Store, many: list[Campaign]) -> None:
    before = [campaign.snapshot() for campaign in many]
    with pytest.raises(RuntimeError):
        live_and_fail(store, many)
    assert [campaign.snapshot() for campaign in many] == before
    for campaign in many:  # and they go on from where they were
        day(campaign, 1)
        assert campaign.verify().ok


def test_what_was_changed_is_seen_in_the_same_transaction(
    store: Store, many: list[Campaign]
) -> None:
    campaign = many[0]
    with store.together([campaign.number]):
        decision = campaign.ask("a", at=1)
        assert campaign.ask("a", at=1) == decision
        campaign.tell(decision, reward=1)
        assert not campaign.tell(decision, reward=1).new
        campaign.correct(decision, reward=0)
        assert campaign.pending() == []
        assert campaign.status().events == 4
        assert [event.kind for event in campaign.events()][-1] == "correct"
        campaign.ask("b", at=1)
    assert campaign.verify().ok


def test_an_answer_is_kept_with_what_was_done(store: Store, many: list[Campaign]) -> None:
    def fail() -> None:
        with store.writing() as tx:
            tx.keep_answer("gone", "mark", 200, "{}", 1)
            raise RuntimeError

    def answer_twice() -> None:
        with store.together(), store.writing() as tx:
            tx.keep_answer("new", "mark", 200, "{}", 1)
            tx.keep_answer("k0", "other", 200, "{}", 1)

    with store.together([campaign.number for campaign in many]):
        for n, campaign in enumerate(many):
            campaign.ask("a", at=1)
            with store.writing() as tx:
                tx.keep_answer(f"k{n}", "mark", 200, f"[{n}]", 1)
        with pytest.raises(RuntimeError):
            fail()
        with store.reading() as tx:  # nobody need wait for the commit
            assert tx.answer("k3") == ("mark", 200, "[3]")
            assert tx.answer("gone") is None
    with store.reading() as tx:
        assert [tx.answer(f"k{n}") for n in (0, 3)] == [("mark", 200, f"[{n}]") for n in (0, 3)]
        assert tx.answer("gone") is None
    with pytest.raises(ConflictError):
        answer_twice()
    with store.reading() as tx:
        assert tx.answer("new") is None


def test_what_was_deleted_is_gone_for_the_others(store: Store, many: list[Campaign]) -> None:
    gone, stays = many[:2]
    with store.together([gone.number, stays.number]):
        gone.ask("a", at=1)
        gone.delete(gone.snapshot().hash)
        with pytest.raises(GoneError):
            gone.ask("b", at=1)
        day(stays, 1)
    assert stays.verify().ok
    with store.reading() as tx:
        assert tx.find("c0") is None


def day_and_error(store: Store, campaign: Campaign) -> None:
    with store.together([campaign.number]):
        day(campaign, 1)
        with pytest.raises(Exception, match="nowhere"), store.reading() as tx:
            tx._do("SELECT 1 FROM nowhere")
        with suppress(Exception):  # a server answers nothing any more
            day(campaign, 2)


def day_and_clash(store: Store, campaign: Campaign) -> None:
    with store.together([campaign.number]):
        day(campaign, 1)
        with store.writing() as tx:
            tx.keep_answer("taken", "mark", 200, "{}", 1)
        with pytest.raises(ConflictError):  # writes at once, with what the others wrote before
            Campaign.create(store, "new", arms=ARMS)


@pytest.mark.parametrize("fail", [day_and_error, day_and_clash])
def test_what_cannot_be_taken_back_lets_nothing_happen(
    store: Store, many: list[Campaign], fail: Callable[[Store, Campaign], None]
) -> None:
    with store.writing() as tx:
        tx.keep_answer("taken", "mark", 200, "{}", 1)
    before = many[0].snapshot()
    with pytest.raises((StoreError, ConflictError)):
        fail(store, many[0])
    assert many[0].snapshot() == before
    day(many[0], 1)
    assert many[0].verify().ok


def test_groups_in_any_order_do_not_wait_in_a_circle(shared_url: str) -> None:
    with Store(shared_url) as store, Store(shared_url) as other:
        names = [f"c{n}" for n in range(6)]
        for name in names:
            Campaign.create(store, name, arms=ARMS, agent="Uniform+", seed=1)
        failed: list[BaseException] = []

        def work(here: Store, order: list[str], arm: str) -> None:
            try:
                campaigns = [Campaign.open(here, name) for name in order]
                for _ in range(10):
                    with here.together([campaign.number for campaign in campaigns]):
                        for campaign in campaigns:
                            campaign.ask(arm)
            except BaseException as error:  # told to the test
                failed.append(error)

        threads = [
            threading.Thread(target=work, args=(here, order, arm))
            for here, order in ((store, names), (other, names[::-1]), (store, names[::-1]))
            for arm in ("a", "c")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failed == []
        assert all(Campaign.open(store, name).verify().ok for name in names)
