"""What asking and telling mean, on every database."""

import json
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from spnb import clock
from spnb.campaign import Campaign, Decision
from spnb.campaign.course import Course
from spnb.campaign.learning import History
from spnb.errors import ConflictError, DataError, SpecError, StoreError
from spnb.schedule import Schedule
from spnb.store import Store, Transaction

ARMS = ["a", "b", "c"]


@pytest.fixture
def campaign(store: Store) -> Campaign:
    """Everything is pulled: what is tested is not the agent."""
    return Campaign.create(store, "c", arms=ARMS, agent="Uniform+", seed=1)


@pytest.fixture
def seq(store: Store) -> Campaign:
    return Campaign.create(store, "s", arms=ARMS, agent='Seq(UCB1(ties="first"))', seed=1)


def kinds(campaign: Campaign) -> list[str]:
    return [event.kind for event in campaign.events()]


def test_asking_again_gives_the_same_decision(campaign: Campaign) -> None:
    first = campaign.ask("a")
    assert campaign.ask("a") == first
    campaign.ask("c")
    assert campaign.ask("a", at=1) == first
    again = Campaign.open(campaign.store, "c")
    assert again.ask("a", at=1) == first
    assert kinds(campaign) == ["create", "ask", "ask"]


def test_the_round_moves_on_by_itself(campaign: Campaign) -> None:
    rounds = [campaign.ask(arm).round for arm in ("a", "c", "b", "c", "a", "a", "b")]
    assert rounds == [1, 1, 2, 2, 3, 3, 3]
    assert campaign.ask("b", at=7).round == 7
    assert campaign.ask("b", at=8).round == 8
    assert campaign.verify().ok


def test_an_offer_from_the_past_is_refused_unless_it_was_asked_before(campaign: Campaign) -> None:
    campaign.ask("b", at=3)
    for arm, round_ in (("a", 3), ("c", 2), ("b", 1), ("nobody", 1)):
        with pytest.raises(DataError, match="is past and was never asked about"):
            campaign.ask(arm, at=round_)
    assert campaign.ask("b", at=3).id == 2


def test_odd_asks_are_refused_and_change_nothing(campaign: Campaign) -> None:
    for arm, at, said in (
        ("z", None, "has no arm 'z'; it has a, b, c"),
        (None, None, "say which arm is on offer"),
        ("a", 0, "counted from 1"),
        ("a", True, "counted from 1"),
        ("a", 20_000, "too far ahead"),
        ("a", datetime(2026, 1, 1, tzinfo=UTC), "has no schedule"),
    ):
        with pytest.raises(DataError, match=said):
            campaign.ask(arm, at=at)
    assert kinds(campaign) == ["create"]


def test_telling_again_does_no_harm_and_otherwise_is_a_conflict(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    assert campaign.tell(decision, reward=0.25).new
    again = campaign.tell(decision.id, reward=0.25)
    assert not again.new
    assert again.reward == 0.25
    with pytest.raises(ConflictError, match=r"was told 0\.25 before, now 0\.5"):
        campaign.tell(decision, reward=0.5)
    assert kinds(campaign) == ["create", "ask", "tell"]


def test_rewards_come_late_and_in_any_order(campaign: Campaign) -> None:
    decisions = [campaign.ask(arm, at=round_) for round_ in (1, 2) for arm in ARMS]
    for decision in reversed(decisions):
        campaign.tell(decision, reward=1)
    assert campaign.status().pending == ()
    assert campaign.verify().ok


def test_a_tell_without_a_number_means_the_latest_pull(campaign: Campaign) -> None:
    with pytest.raises(DataError, match="nothing was pulled yet"):
        campaign.tell(reward=1)
    campaign.ask("a")
    latest = campaign.ask("b")
    assert campaign.tell(reward=1).decision == latest.id
    assert not campaign.tell(reward=1).new


def test_only_pulls_can_be_told(seq: Campaign) -> None:
    passed = seq.ask("b")
    assert not passed.pull
    with pytest.raises(DataError, match="was to pass"):
        seq.tell(passed, reward=1)
    for number in (1, 99, -5):
        with pytest.raises(DataError, match=f"there is no decision {number}"):
            seq.tell(number, reward=1)
    seq.pause()
    with pytest.raises(DataError, match="nothing was decided"):
        seq.tell(seq.ask("c"), reward=1)


def test_a_correction_replaces_the_reward_and_past_decisions_stand(seq: Campaign) -> None:
    first = seq.ask("a")
    seq.tell(first, reward=1)
    second = seq.ask("b")
    seq.tell(second, reward=0)
    assert seq.correct(first, reward=0).new
    assert not seq.correct(first, reward=0).new
    third = seq.ask("c")
    seq.tell(third, reward=1)
    assert seq.ask("a", at=1) == first
    assert seq.recommend() == "c"
    arms = {arm.arm: arm for arm in seq.status().arms}
    assert arms["a"].mean == 0.0
    with pytest.raises(ConflictError):
        seq.tell(first, reward=1)
    assert seq.verify().ok


def test_a_corrected_campaign_knows_what_it_would_have_known(store: Store) -> None:
    """Wrong, then corrected, is the same as right from the beginning."""
    right = Campaign.create(store, "right", arms=ARMS, agent="Uniform+", seed=3)
    wrong = Campaign.create(store, "wrong", arms=ARMS, agent="Uniform+", seed=3)
    for round_ in (1, 2):
        for place, arm in enumerate(ARMS):
            right.tell(right.ask(arm, at=round_), reward=place / 2)
            wrong.tell(wrong.ask(arm, at=round_), reward=1 - place / 2)
    for event in list(wrong.events()):
        if event.kind == "tell":
            wrong.correct(int(event.decision or 0), reward=0.125)  # wrong again
            wrong.correct(int(event.decision or 0), reward=1 - (event.reward or 0))
    assert right.ask("a", at=3) != wrong.ask("a", at=3)  # the ids differ
    states = [json.loads(c.snapshot()[1])["learner"] for c in (right, wrong)]
    assert states[0] == states[1]
    assert wrong.verify().ok


def test_taking_back_what_was_found_does_not_end_the_wait_for_another(seq: Campaign) -> None:
    first = seq.ask("a")
    seq.lost(first)
    second = seq.ask("a", at=2)
    assert second.pull
    seq.tell(first, reward=1)
    seq.correct(first, lost=True)
    assert seq.ask("b", at=2).reason == "Seq waits for the reward of a"
    assert seq.verify().ok


@pytest.mark.parametrize("meanwhile", ["tell", "ask", "correct", "retire"])
def test_others_may_go_on_while_a_learner_is_taught_anew(
    store: Store, meanwhile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Challenge", seed=1)
    other = Campaign.open(store, "c")
    decisions = [campaign.ask(arm) for arm in ARMS]
    for decision in decisions[:2]:
        campaign.tell(decision, reward=1)
    campaign.correct(decisions[0], reward=0)
    acts: dict[str, Callable[[], object]] = {
        "tell": lambda: other.tell(decisions[2], reward=1),
        "ask": lambda: other.ask("b", at=2),
        "correct": lambda: other.correct(decisions[1], reward=0),
        "retire": lambda: other.retire_arm("a"),
    }
    relearn, calls = Course.relearn, list[int]()

    def slowly(course: Course, history: History) -> Course:
        calls.append(course.version)
        if len(calls) == 1:
            acts[meanwhile]()
        return relearn(course, history)

    monkeypatch.setattr(Course, "relearn", slowly)
    assert campaign.ask("c", at=2).round == 2
    monkeypatch.undo()
    assert len(calls) > (meanwhile != "tell")
    assert campaign.verify().problem is None


def test_a_change_that_failed_leaves_nothing_behind(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Challenge", seed=1)
    other = Campaign.open(store, "c")
    decisions = [campaign.ask(arm) for arm in ARMS]

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Transaction, "replace_snapshot", refuse)
        with pytest.raises(StoreError):
            campaign.tell(decisions[0], reward=1)
    other.tell(decisions[1], reward=0)  # the same number of events, but not the same ones
    campaign.tell(decisions[2], reward=1)
    assert len(campaign.pending()) == 1
    assert campaign.verify().problem is None


def test_what_was_never_told_cannot_be_corrected(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    with pytest.raises(DataError, match="has no reward to correct"):
        campaign.correct(2, reward=1)
    campaign.lost(decision)
    with pytest.raises(DataError, match="has no reward to correct"):
        campaign.correct(2, lost=True)


def test_seq_waits_for_a_reward_until_it_comes_or_is_lost(seq: Campaign) -> None:
    first = seq.ask("a")
    waits = seq.ask("b")
    assert not waits.pull
    assert waits.reason == "Seq waits for the reward of a"
    assert seq.lost(first).new
    assert not seq.lost(first).new
    assert seq.ask("c").reason == "Seq waits for a"
    second = seq.ask("a")
    assert (second.pull, second.round) == (True, 2)
    seq.tell(first, reward=1)  # it comes after all, while the second one is awaited
    assert seq.ask("b").reason == "Seq waits for the reward of a"
    seq.tell(second, reward=1)
    assert seq.ask("c").reason == "Seq waits for b"
    with pytest.raises(ConflictError, match="was told 1 before"):
        seq.lost(first)
    assert seq.verify().ok


def test_an_entry_can_be_taken_back_and_come_again(seq: Campaign) -> None:
    first = seq.ask("a")
    seq.tell(first, reward=1)
    seq.correct(first, lost=True)
    assert seq.ask("b").reason == "Seq waits for a"  # as if nothing had been learnt
    seq.tell(first, reward=0)
    assert [arm.lost for arm in seq.status().arms] == [0, 0, 0]
    seq.correct(first, reward=1)
    seq.ask("c")
    assert seq.status().arms[0].mean == 1.0
    assert kinds(seq)[-5:] == ["correct", "ask", "found", "correct", "ask"]
    assert seq.verify().ok


def test_rewards_that_do_not_come_in_time_are_given_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = datetime(2026, 5, 1, tzinfo=UTC)
    monkeypatch.setattr(clock, "now", lambda: time)
    campaign = Campaign.create(
        store, "c", arms=["a", "b"], agent='Seq(UCB1(ties="first"))', seed=1, lost_after="2d"
    )
    first = campaign.ask("a")
    time += timedelta(hours=47)
    assert not campaign.ask("b").pull
    time += timedelta(hours=1)
    assert campaign.ask("a").pull  # given up, and tried again in the next round
    assert kinds(campaign) == ["create", "ask", "ask", "lost", "ask"]
    assert campaign.tell(first, reward=1).new
    assert campaign.verify().ok


def test_a_paused_campaign_passes_and_decides_nothing(campaign: Campaign) -> None:
    before = campaign.ask("a")
    campaign.pause()
    campaign.pause()
    paused = campaign.ask("b")
    assert paused == Decision(None, False, "b", 1, "the campaign is paused")
    assert campaign.ask("a", at=1) == before
    campaign.tell(before, reward=1)
    campaign.resume()
    assert campaign.ask("b").pull
    assert kinds(campaign) == ["create", "ask", "pause", "tell", "resume", "ask"]


def test_a_closed_campaign_stays_closed_but_takes_rewards(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    campaign.close()
    campaign.close()
    assert campaign.ask("b").reason == "the campaign is closed"
    campaign.tell(decision, reward=1)
    for change in (campaign.resume, campaign.pause, lambda: campaign.add_arm("d")):
        with pytest.raises(ConflictError, match="closed"):
            change()
    assert campaign.verify().ok


def test_after_the_last_round_everything_is_passed(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", rounds=2, seed=1)
    assert campaign.ask("a", at=2).pull
    over = campaign.ask("a", at=3)
    assert (over.id, over.reason) == (None, "all 2 rounds are over")
    assert campaign.ask("b", at=2).pull


def test_a_search_that_is_over_says_so(store: Store) -> None:
    campaign = Campaign.create(
        store, "c", arms=["a", "b"], agent="SR+", rounds=4, goal="best", seed=1
    )
    for round_ in (1, 2):
        for arm, reward in (("a", 0), ("b", 1)):
            decision = campaign.ask(arm, at=round_)
            if decision.pull:
                campaign.tell(decision, reward=reward)
    last = campaign.ask("b", at=3)
    assert not last.pull
    assert last.reason == "the search is over: b is held for the best"
    assert campaign.status().state == "decided"
    assert campaign.verify().ok


def test_arms_come_and_go_between_rounds(campaign: Campaign) -> None:
    campaign.tell(campaign.ask("a"), reward=1)
    campaign.add_arm("d", before="b")
    campaign.retire_arm("a")
    with pytest.raises(DataError, match="round 1 has no arm 'd'"):
        campaign.ask("d", at=1)
    assert campaign.ask("b").round == 1
    fresh = campaign.ask("d")  # not in this round, so in the next
    assert (fresh.round, fresh.pull) == (2, True)
    with pytest.raises(DataError, match="round 2 has no arm 'a'; it has d, b, c"):
        campaign.ask("a", at=2)
    campaign.tell(fresh, reward=0)
    campaign.add_arm("a")
    campaign.ask("c", at=2)
    campaign.ask("d", at=3)
    back = {arm.arm: arm for arm in campaign.status().arms}
    assert (back["a"].rewards, back["a"].retired) == (1, False)
    assert campaign.verify().ok


def test_the_reward_of_a_retired_arm_is_noted_but_not_learnt(campaign: Campaign) -> None:
    decision = campaign.ask("a")
    campaign.retire_arm("a")
    campaign.ask("b", at=2)
    campaign.tell(decision, reward=1)
    gone = campaign.status().arms[-1]
    assert (gone.arm, gone.rewards, gone.retired) == ("a", 1, True)
    assert campaign.recommend() in ("b", "c")
    assert campaign.verify().ok


def test_odd_changes_of_arms_are_refused(campaign: Campaign) -> None:
    with pytest.raises(ConflictError, match="there is an arm 'a' already"):
        campaign.add_arm("a")
    with pytest.raises(SpecError, match="printable"):
        campaign.add_arm(" ")
    with pytest.raises(SpecError, match="has no schedule"):
        campaign.add_arm("d", slot="08:00")
    with pytest.raises(DataError, match="there is no arm 'z'"):
        campaign.add_arm("d", before="z")
    with pytest.raises(DataError, match="there is no arm 'z'"):
        campaign.retire_arm("z")
    campaign.retire_arm("a")
    campaign.retire_arm("b")
    with pytest.raises(DataError, match="the only arm"):
        campaign.retire_arm("c")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture
def scheduled(store: Store) -> Campaign:
    plan = Schedule.parse("08:00,12:30,18:00", "Europe/Rome", window="4h")
    begun = plan.starting(at("2026-05-01T00:00+02:00"))
    return Campaign.create(store, "c", schedule=begun, agent="Uniform+", seed=1)


def test_the_clock_says_which_arm_is_on_offer(scheduled: Campaign) -> None:
    decision = scheduled.ask(at=at("2026-05-02T13:00"))
    assert (decision.arm, decision.round) == ("12:30", 2)
    assert decision.until is not None
    assert decision.until.isoformat() == "2026-05-02T16:30:00+02:00"
    assert scheduled.ask(at=at("2026-05-02T11:01+00:00")) == decision
    assert scheduled.ask("12:30", at=at("2026-05-02T16:29")) == decision
    nothing = scheduled.ask(at=at("2026-05-02T17:00"))
    assert nothing.reason == "nothing is on offer until 2026-05-02 18:00"
    assert (nothing.id, nothing.arm, nothing.pull) == (None, None, False)


def test_a_clock_set_back_finds_the_old_decision_or_is_refused(scheduled: Campaign) -> None:
    decision = scheduled.ask(at=at("2026-05-02T08:30"))
    scheduled.ask(at=at("2026-05-02T12:30"))
    assert scheduled.ask(at=at("2026-05-02T08:31")) == decision
    with pytest.raises(DataError, match="is past and was never asked about"):
        scheduled.ask(at=at("2026-05-01T18:00"))
    with pytest.raises(DataError, match="is the clock right"):
        scheduled.ask(at=at("2099-05-01T18:00"))


def test_an_arm_that_is_not_on_offer_now_is_refused(scheduled: Campaign) -> None:
    with pytest.raises(DataError, match="'18:00' is not on offer at this time; '12:30' is"):
        scheduled.ask("18:00", at=at("2026-05-02T13:00"))
    with pytest.raises(DataError, match="has no arm '19:00'"):
        scheduled.ask("19:00", at=at("2026-05-02T13:00"))
    with pytest.raises(DataError, match="goes by the clock"):
        scheduled.ask("18:00", at=3)


def test_a_slot_is_added_at_its_time(scheduled: Campaign) -> None:
    scheduled.ask(at=at("2026-05-01T08:00"))
    scheduled.add_arm("15:00")
    scheduled.add_arm("evening", slot="21:00")
    scheduled.retire_arm("08:00")
    assert scheduled.ask(at=at("2026-05-01T15:00")).arm == "12:30"
    assert scheduled.ask(at=at("2026-05-02T15:00")).arm == "15:00"
    assert scheduled.ask(at=at("2026-05-02T21:30")).arm == "evening"
    assert scheduled.verify().ok
    for label, said in (("16:00,17:00", "one time of day"), ("mon", "one time of day")):
        with pytest.raises(SpecError, match=said):
            scheduled.add_arm(label)
    with pytest.raises(SpecError, match="say when the arm comes"):
        scheduled.add_arm("16:00", before="18:00")
    with pytest.raises(ConflictError, match="there is an arm at 18:00 already"):
        scheduled.add_arm("six", slot="18:00")


def test_without_a_time_it_is_now(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "now", lambda: datetime(2026, 5, 1, 9, 30, tzinfo=UTC))
    campaign = Campaign.create(store, "c", schedule="00:00/2h", agent="Uniform+")
    assert campaign.config.schedule is not None
    local = campaign.config.schedule.local(clock.now())
    decision = campaign.ask()
    assert decision.round == 1
    assert decision.arm == f"{local.hour // 2 * 2:02d}:00"


def test_raw_values_are_judged_by_the_campaigns_rule(store: Store) -> None:
    campaign = Campaign.create(store, "c", arms=ARMS, agent="Uniform+", reward="above 0.3")
    assert campaign.tell(campaign.ask("a"), value=0.31).reward == 1.0
    assert campaign.tell(campaign.ask("b"), value=0.3).reward == 0.0
    campaign.correct(campaign.ask("b"), value=7)
    assert list(campaign.events())[-1].extra()["value"] == 7
    with pytest.raises(DataError, match="reward must be 0 or 1"):
        campaign.tell(campaign.ask("c"), reward=0.4)
    assert campaign.verify().ok


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
        campaign.tell(campaign.ask("a", at=round_), reward=1)
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
    assert first == second
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
    assert moved.status() == campaign.status()
    assert moved.verify().ok
    assert moved.ask("b") == campaign.ask("b")
    named = Campaign.import_(campaign.store, lines, name="copy")
    assert named.verify().ok
    with pytest.raises(ConflictError, match="there is a campaign 'c' already"):
        Campaign.import_(campaign.store, lines)


def test_a_broken_export_brings_in_nothing(campaign: Campaign) -> None:
    campaign.tell(campaign.ask("a"), reward=1)
    campaign.ask("b")
    header, *events = campaign.export()
    asked = json.loads(events[1])
    passed = json.dumps(asked | {"pull": False}) + "\n"
    for lines, said in (
        ([], "this is not an exported campaign"),
        (["hello"], "this is not an exported campaign"),
        ([header], "has lost its beginning"),
        ([header, *events[:-1]], "ends after 3 of 4 events"),
        ([header, *events[:-1], "{"], "line 5 of this export is not JSON"),
        ([header, *events[:-1], "{}"], "this is no event of a campaign"),
        ([header, events[0], passed, *events[2:]], r"event 2 .*the log says pass, the agent says"),
        ([header, events[0], *events[2:]], "no pull 2 of 'a' waits for a reward"),
    ):
        with pytest.raises(DataError, match=said):
            Campaign.import_(campaign.store, lines, name="copy")
    with campaign.store.reading() as tx:
        assert tx.names() == ["c"]
