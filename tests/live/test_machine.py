"""Any interleaving of asks, tells, losses, corrections, pauses and restarts keeps the laws."""

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    multiple,
    precondition,
    rule,
)

from spnb.base.errors import ConflictError, DataError
from spnb.live.campaign import Campaign, Decision, course
from spnb.live.store import Store
from spnb.problems.readers import ProblemData

AGENTS = ["Seq(TS)", "TS", "Challenge", "Challenge(TS)", "UCBrev+", "Pack(TS)", "Seq(SR)"]
ARMS = ["a", "b", "c"]
RECORD = ProblemData("record", tuple(ARMS), means=(0.2, 0.55, 0.7), trials=(1, 9, 30))
REWARDS = st.sampled_from([(0.0, 1), (0.25, 1), (1.0, 1), (1.0, 2), (7.0, 120), (0.0, 3)])
Reward = tuple[float, int]


def given(reward: Reward) -> dict[str, Any]:
    """A reward, or wins of trials, as they are told."""
    wins, trials = reward
    return {"reward": wins} if trials == 1 else {"wins": wins, "trials": trials}


class Interleaving(RuleBasedStateMachine):
    """A campaign beside the simplest account of what it must know."""

    decisions: Bundle[Any] = Bundle("decisions")

    def __init__(self) -> None:
        super().__init__()
        self.store, self.patch = Store("sqlite://"), pytest.MonkeyPatch()
        self.offers: dict[tuple[int, str], Decision] = {}
        self.rewards: dict[int, Reward | None] = {}  # None: given up
        self.pulls: dict[int, Decision] = {}
        self.running = True

    @initialize(
        agent=st.sampled_from(AGENTS),
        seed=st.integers(0, 2**32),
        weight=st.integers(0, 12),
        allowance=st.sampled_from([course.ALLOWANCE, -700]),  # corrections are learnt late
    )
    def begin(self, agent: str, seed: int, weight: int, allowance: int) -> None:
        self.patch.setattr(course, "ALLOWANCE", allowance)
        self.campaign = Campaign.create(
            self.store, "c", problem=RECORD, agent=agent, rounds=200, seed=seed,
            warm_start=weight or False,
        )  # fmt: skip

    @rule(target=decisions, arm=st.sampled_from([*ARMS, "d"]))
    def ask(self, arm: str) -> Any:
        try:
            decision = self.campaign.ask(arm)
        except DataError:
            return multiple()  # retired, or not there yet
        if decision.id is None:
            assert not self.running
            return multiple()
        assert decision.round is not None
        known = self.offers.setdefault((decision.round, arm), decision)
        assert known == decision
        assert self.running or known is not decision
        if decision.pull:
            self.pulls[decision.id] = decision
        return decision

    @rule(decision=decisions)
    def ask_again(self, decision: Decision) -> None:
        assert self.campaign.ask(decision.arm, at=decision.round) == decision

    @rule(decision=decisions, reward=REWARDS)
    def tell(self, decision: Decision, reward: Reward) -> None:
        number = decision.id
        assert number is not None
        if not decision.pull:
            self.refused(DataError, lambda: self.campaign.tell(decision, **given(reward)))
        elif self.rewards.get(number) not in (None, reward):
            self.refused(ConflictError, lambda: self.campaign.tell(decision, **given(reward)))
        else:
            told = self.campaign.tell(decision, **given(reward))
            assert told.new == (self.rewards.get(number) is None)
            self.rewards[number] = reward

    @rule(decision=decisions, reward=st.none() | REWARDS)
    def correct(self, decision: Decision, reward: Reward | None) -> None:
        number = decision.id
        assert number is not None

        def change() -> None:
            if reward is None:
                self.campaign.correct(number, lost=True)
            else:
                self.campaign.correct(number, **given(reward))

        if self.rewards.get(number) is None:
            self.refused(DataError, change)
        else:
            change()
            self.rewards[number] = reward

    @rule(decision=decisions)
    def lose(self, decision: Decision) -> None:
        number = decision.id
        assert number is not None
        if not decision.pull:
            self.refused(DataError, lambda: self.campaign.lost(decision))
        elif self.rewards.get(number) is not None:
            self.refused(ConflictError, lambda: self.campaign.lost(decision))
        else:
            self.campaign.lost(decision)
            self.rewards[number] = None

    @rule()
    def pause(self) -> None:
        self.campaign.pause()
        self.running = False

    @rule()
    def resume(self) -> None:
        self.campaign.resume()
        self.running = True

    @rule()
    def restart(self) -> None:
        self.campaign = Campaign.open(self.store, "c")

    @rule(arm=st.sampled_from(["a", "d"]), here=st.booleans())
    def change_arms(self, arm: str, here: bool) -> None:
        try:
            if here:
                self.campaign.add_arm(arm)
            else:
                self.campaign.retire_arm(arm)
        except (ConflictError, DataError):
            pass  # it is there already, or it is not

    @rule(arm=st.sampled_from(ARMS))
    def leap(self, arm: str) -> None:
        """Far ahead, and back again unless something was pulled there."""
        try:
            far = self.campaign.outline().round + 20
            decision = self.campaign.ask(arm, at=far, ahead=True)
        except DataError:
            return
        if decision.id is None:
            return
        if decision.pull:
            self.offers[far, arm] = self.pulls[decision.id] = decision
        else:
            self.campaign.void()

    @rule(for_good=st.booleans())
    def move(self, for_good: bool) -> None:
        lines = list(self.campaign.export(move=for_good))
        self.store = Store("sqlite://")
        self.campaign = Campaign.import_(self.store, lines)

    @precondition(lambda self: hasattr(self, "campaign"))
    @invariant()
    def what_was_said_is_known(self) -> None:
        waiting = {pull.decision for pull in self.campaign.pending()}
        assert waiting == set(self.pulls) - set(self.rewards)

    def teardown(self) -> None:
        if hasattr(self, "campaign"):
            assert self.campaign.verify().problem is None
            status = self.campaign.status()
            told = [reward for reward in self.rewards.values() if reward is not None]
            assert sum(arm.rewards for arm in status.arms) == len(told)
            assert sum(arm.trials for arm in status.arms) == sum(trials for _, trials in told)
            earned = sum(arm.earned for arm in status.arms)
            assert earned == pytest.approx(sum(wins for wins, _ in told))
            assert sum(arm.pulls for arm in status.arms) == len(self.pulls)
            assert sum(arm.lost for arm in status.arms) == len(self.rewards) - len(told)
            assert sum(arm.offers for arm in status.arms) == len(self.offers)
        self.store.close()
        self.patch.undo()

    @staticmethod
    def refused(kind: type[Exception], change: Callable[[], Any]) -> None:
        with pytest.raises(kind):
            change()


TestInterleaving = Interleaving.TestCase
TestInterleaving.settings = settings(
    max_examples=400 if os.environ.get("SPNB_SOAK") else 40, stateful_step_count=40, deadline=None
)
