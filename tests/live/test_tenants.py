"""What a service with many users stands on: owners, actors, ids, retries, stores that change."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from live.helpers import ARMS, kinds
from spnb.base.errors import ConflictError, DataError, SpecError, StoreError
from spnb.live.campaign import Campaign, Decision
from spnb.live.store import Store


def test_owners_do_not_see_each_other(store: Store) -> None:
    mine, yours = store.owned_by("me"), store.owned_by("you")
    first = Campaign.create(mine, "ads", arms=ARMS, agent="Uniform+", seed=1)
    second = Campaign.create(yours, "ads", arms=["x", "y"], agent="Uniform+", seed=1)
    Campaign.create(yours, "secret plan", arms=ARMS)
    assert Campaign.open(mine, "ads").uid == first.uid
    assert Campaign.open(yours, "ads").uid == second.uid
    with pytest.raises(DataError, match="there is no campaign 'secret plan'; the store has: ads$"):
        Campaign.open(mine, "secret plan")
    with pytest.raises(ConflictError, match="there is a campaign 'ads' already"):
        Campaign.create(mine, "ads", arms=ARMS)
    decision = first.ask("a")
    assert decision.uid is not None
    assert Campaign.of_decision(mine, decision.uid).name == "ads"
    for opened in (yours, store):
        with pytest.raises(DataError, match="there is no decision"):
            Campaign.of_decision(opened, decision.uid)
    with store.reading() as tx:
        assert tx.names() == []


def test_the_id_of_a_decision_names_its_campaign_and_cannot_be_guessed(store: Store) -> None:
    # The same seed, the same arms, the same asks: nothing that may be known tells the ids.
    one, two = (Campaign.create(store, name, arms=ARMS, agent="Uniform+", seed=1) for name in "xy")
    first, second = one.ask("a"), two.ask("a")
    assert first.uid is not None
    assert second.uid is not None
    assert re.fullmatch(r"[0-9a-f]{16}-2-[0-9a-f]{16}", first.uid)
    assert first.uid.split("-")[2] != second.uid.split("-")[2]
    assert Campaign.of_decision(store, first.uid).tell(first.uid, reward=1).new
    assert not one.tell(first, reward=1).new
    assert not one.tell("2", reward=1).new
    with pytest.raises(DataError, match="is one of another campaign"):
        one.tell(second.uid, reward=1)
    with pytest.raises(DataError, match="is one of another campaign"):
        one.tell(second, reward=1)
    guess = first.uid[:-1] + ("0" if first.uid[-1] != "0" else "1")
    with pytest.raises(DataError, match=f"there is no decision {guess}"):
        one.tell(guess, reward=1)
    with pytest.raises(DataError, match="this is no id of a decision"):
        Campaign.of_decision(store, "2")


def test_asks_and_tells_that_name_what_they_mean_may_be_repeated(campaign: Campaign) -> None:
    answers = [campaign.ask("a", at=3) for _ in range(3)]
    later = campaign.ask("b", at=4)
    answers.append(campaign.ask("a", at=3))
    assert len(set(answers)) == 1
    told = [campaign.tell(answers[0].uid, reward=0.5) for _ in range(3)]
    assert [each.new for each in told] == [True, False, False]
    campaign.tell(later, reward=1)
    assert not campaign.tell(answers[0].uid, reward=0.5).new
    assert kinds(campaign) == ["create", "ask", "ask", "tell", "tell"]


def test_every_event_has_its_actor(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", actor="ann")
    Campaign.open(store, "c", actor="bob").ask("a")
    Campaign.open(store, "c").pause()
    actors = [event.actor for event in campaign.events()]
    assert actors[:2] == ["ann", "bob"]
    assert actors[2]
    with pytest.raises(SpecError, match="an actor must be"):
        Campaign.open(store, "c", actor="\x1b[31m")
    assert campaign.verify().ok


@pytest.mark.parametrize("name", ["\x1b[31m", "-x", "x" * 500, " "])
def test_an_odd_user_is_an_actor_all_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", name)
    campaign = Campaign.create("sqlite://", "c", arms=ARMS)
    assert campaign.actor
    assert campaign.verify().ok


def test_seeds_have_128_bits(store: Store) -> None:
    seeds = [Campaign.create(store, f"c{i}", arms=ARMS).config.seed for i in range(8)]
    assert max(seeds) > 2**100
    big = Campaign.create(store, "big", arms=ARMS, seed=2**128 - 1)
    big.ask("a")
    assert Campaign.open(store, "big").config.seed == 2**128 - 1
    assert big.verify().ok


def test_a_moved_campaign_refuses_everything_and_goes_on_elsewhere(
    campaign: Campaign, tmp_path: Path
) -> None:
    first, second = campaign.ask("a"), campaign.ask("b")
    campaign.tell(first, reward=1)
    campaign.pause()
    lines = list(campaign.export(move=True))
    for change in (
        lambda: campaign.tell(second, reward=1),
        lambda: campaign.ask("c"),
        lambda: campaign.correct(first, reward=0),
        campaign.resume,
        campaign.close,
        lambda: campaign.add_arm("d"),
    ):
        with pytest.raises(ConflictError, match="was moved: it goes on where it was imported"):
            change()
    assert campaign.outline().state == "moved"
    assert campaign.verify().ok
    assert list(campaign.export(move=True)) == lines  # the first file may have been lost
    there = Campaign.import_(f"sqlite:///{tmp_path}/new.db", lines)
    assert there.outline().state == "paused"
    there.resume()
    assert there.tell(second.uid, reward=1).new  # an id from before the move
    assert kinds(there)[-5:] == ["pause", "move", "arrive", "resume", "tell"]
    assert there.verify().ok
    again = Campaign.import_("sqlite://", list(there.export(move=True)))
    assert again.outline().state == "running"


def test_a_store_put_back_beneath_a_living_process_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    url = f"sqlite:///{path}"
    living = Campaign.create(url, "c", arms=ARMS, agent="Uniform+", seed=1)
    living.tell(living.ask("a"), reward=1)
    living.store.close()
    shutil.copy(path, tmp_path / "backup.db")
    lost = living.ask("b")
    living.store.close()
    shutil.copy(tmp_path / "backup.db", path)
    other = Campaign.open(url, "c")
    kept = other.ask("c")  # as many events as the living process knows of, but other ones
    other.store.close()
    with pytest.raises(DataError, match="there is no decision"):
        living.tell(lost, reward=1)
    living.tell(kept, reward=0)
    assert living.ask("c", at=1) == kept
    assert living.verify().ok


def test_another_store_beneath_a_living_process_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    living = Campaign.create(f"sqlite:///{path}", "c", arms=ARMS, seed=1)
    living.store.close()
    for file in tmp_path.iterdir():
        file.unlink()
    Store(f"sqlite:///{path}").close()
    with pytest.raises(StoreError, match="no longer there: was the store replaced"):
        living.ask("a")
    Campaign.create(f"sqlite:///{path}", "other", arms=["x"]).store.close()
    for step in (lambda: living.ask("a"), living.status):
        with pytest.raises(StoreError, match="the store was replaced: open the campaign 'c' anew"):
            step()


def test_numbers_of_any_kind_are_converted_or_refused(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", reward="range 0 10")
    decision = campaign.ask("a", at=np.int64(1))  # type: ignore[arg-type]
    assert decision.round == 1
    told = campaign.tell(np.int64(decision.id or 0), value="4.2")  # type: ignore[arg-type]
    assert told.reward == pytest.approx(0.42)
    campaign.tell(campaign.ask("b"), value=np.float32(5))  # type: ignore[arg-type]
    campaign.tell(campaign.ask("c"), reward=np.bool_(True))  # type: ignore[arg-type]
    notes = [json.loads(event.note or "{}") for event in campaign.events() if event.kind == "tell"]
    assert [note.get("value") for note in notes] == [4.2, 5.0, None]
    assert [type(note["value"]) for note in notes[:2]] == [float, float]
    campaign.correct(decision, reward=-0.0)
    assert str(list(campaign.events())[-1].reward) == "0.0"
    assert campaign.verify().problem is None
    odd = (True, 2.0, b"2", [2], "two", 10**30, 10**5000, -1, 0)
    for number in odd:
        with pytest.raises(DataError):
            campaign.tell(number, reward=1)  # type: ignore[arg-type]
    for value in (np.array([0.4]), [1], b"1", "x", 10**5000, float("nan"), object()):
        with pytest.raises(DataError, match="value must be a"):
            campaign.tell(decision, value=value)  # type: ignore[arg-type]
    for at in (True, 1.0, "noon", 0, -1, 10**5000, b"1", [1]):
        with pytest.raises(DataError):
            campaign.ask("a", at=at)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="there is nothing to tell"):
        campaign.tell(Decision(None, False, "a", 1, "the campaign is paused"), reward=1)


def test_times_may_be_text(store: Store) -> None:
    campaign = Campaign.create(store, "c", schedule="06:00,12:00", agent="Uniform+")
    schedule = campaign.config.schedule
    assert schedule is not None
    assert schedule.start is not None
    asked = campaign.ask(at=f"{schedule.start}T06:30")
    assert (asked.round, asked.arm) == (1, "06:00")
    with pytest.raises(DataError, match="a time is written"):
        campaign.ask(at="half past six")


@pytest.mark.parametrize(
    "options", [{"lost_after": 5}, {"reward": 5}, {"agent": 5}, {"rounds": 2.5}, {"schedule": 5}]
)
def test_odd_arguments_are_refused(options: dict[str, object]) -> None:
    arms = {} if "schedule" in options else {"arms": ARMS}
    with pytest.raises(SpecError):
        Campaign.create("sqlite://", "c", **(arms | options))  # type: ignore[arg-type]
