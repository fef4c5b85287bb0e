"""A live campaign: ask at each offer, tell each reward, and never lose one."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from spnb.bandits.agents import Agent
from spnb.bandits.policies import Policy
from spnb.base.errors import ConflictError, DataError, MissingError
from spnb.base.words import listed
from spnb.engine.blocks import Progress
from spnb.live import clock
from spnb.live.campaign import ledger
from spnb.live.campaign.alerts import Alert, alerts_of
from spnb.live.campaign.arms import arm_added, arm_retired
from spnb.live.campaign.asking import decide, give_up_late, known, with_a_hint
from spnb.live.campaign.beginning import ProblemLike, new_config
from spnb.live.campaign.change import Change
from spnb.live.campaign.checkpoints import caught_up
from spnb.live.campaign.config import Config, Goal, check_name
from spnb.live.campaign.course import Course
from spnb.live.campaign.doors import opened_store, who_acts
from spnb.live.campaign.ledger import Told
from spnb.live.campaign.offers import Decision, Offer, meant, moment
from spnb.live.campaign.opened import OpenedCampaign
from spnb.live.campaign.portable import exported, imported
from spnb.live.campaign.reference import campaign_of, reference
from spnb.live.campaign.rewards import RewardRule
from spnb.live.campaign.status import Status, status_of
from spnb.live.campaign.story import Story
from spnb.live.campaign.verify import Verdict, verify
from spnb.live.campaign.watch import Shift, shifts
from spnb.live.learner import FORM
from spnb.live.schedule import Schedule, minutes_of
from spnb.live.store import Event, Identity, Store, Transaction


class Campaign(OpenedCampaign):
    """A campaign in a store. Any number of processes may use it at the same time.

    ``actor`` is who acts here, noted with every event; the user of this process if left out.
    """

    @classmethod
    def create(
        cls,
        store: Store | str | None,
        name: str,
        *,
        arms: Sequence[str] | None = None,
        agent: str | Agent | Policy = "Seq(TS)",
        rounds: int | None = None,
        pulls: int | None = None,
        goal: Goal = "regret",
        seed: int | None = None,
        schedule: Schedule | str | None = None,
        reward: RewardRule | str | None = None,
        lost_after: str | None = None,
        hardness: float | None = None,
        problem: ProblemLike | None = None,
        warm_start: bool | int = False,
        actor: str | None = None,
    ) -> "Campaign":
        """Begin a campaign; a store is a ``Store`` or its URL.

        ``rounds`` is the horizon: after it, and after so many ``pulls``, every answer is to pass.
        ``lost_after`` (``"2d"``) gives up on a reward that has not come by then. ``hardness`` is
        H1, if you know it. A ``problem`` (or its file) says what is not given: arms, slots, zone,
        reward rule, and as many rounds as were recorded. With ``warm_start`` the learner begins
        with what its record says, as at most ten live rewards an arm, or as many as it is given.
        """
        check_name("the name of a campaign", name)
        config = new_config(
            arms=arms, agent=agent, rounds=rounds, pulls=pulls, goal=goal, seed=seed,
            schedule=schedule, reward=reward, lost_after=lost_after, hardness=hardness,
            problem=problem, warm_start=warm_start,
        )  # fmt: skip
        return cls.begin(store, name, config, actor=actor)

    @classmethod
    def begin(
        cls, store: Store | str | None, name: str, config: Config, *, actor: str | None = None
    ) -> "Campaign":
        """Begin a campaign of this configuration."""
        opened, doer = opened_store(store), who_acts(actor)
        with opened.writing() as tx:
            who = tx.create(name, "")
            change = Change(tx, who.number, Course.new(config, who.salt), doer)
            first = change.record("create", note=config.to_dict())
            change.save()
        return cls(opened, who, first, doer)

    @classmethod
    def open(cls, store: Store | str | None, name: str, *, actor: str | None = None) -> "Campaign":
        """The campaign of this name."""
        check_name("the name of a campaign", name)
        opened = opened_store(store, create=False)
        with opened.reading() as tx:
            who = tx.find(name)
            if who is None:
                raise MissingError(
                    f"there is no campaign {name!r}; the store has: {listed(tx.names())}"
                )
            return cls(opened, who, _first(tx, who), actor)

    @classmethod
    def of_decision(
        cls, store: Store | str | None, decision: str, *, actor: str | None = None
    ) -> "Campaign":
        """The campaign that the ``uid`` of a decision names."""
        opened, uid = opened_store(store, create=False), campaign_of(decision)
        with opened.reading() as tx:
            who = tx.named(uid)
            if who is None:
                raise MissingError(f"there is no decision {decision}")
            return cls(opened, who, _first(tx, who), actor)

    def ask(
        self,
        arm: str | None = None,
        at: datetime | str | int | None = None,
        *,
        ahead: bool = False,
    ) -> Decision:
        """Pull now? The same offer always gets the same answer.

        With a schedule the offer is the one on at the time ``at`` (now, if left out). Without one
        the arm is named; ``at`` may name the round, else an arm that lies behind the last one
        asked about begins the next round, and the same arm again means the same offer. An offer
        many rounds ahead of the campaign and of the clock must be confirmed with ``ahead``.

        An ask that names arm and round (or time) may be repeated: it never means another offer.
        """
        when, however_long = moment(at), False
        while True:
            time = self._time(when)
            with self._changing() as change:
                offer = meant(change.course, arm, when, time, ahead=ahead)
                if isinstance(offer, Decision):
                    return offer
                if not offer.past and change.course.status == "running":
                    give_up_late(change, time)
                answer = known(change, offer, self.uid)
                if answer is not None:
                    return with_a_hint(change.course, answer) if when is None else answer
                if change.course.form != FORM:
                    change.record("adopt", time, note={"form": FORM})
                stale = change.course.must_relearn(offer.round)
                if not stale or change.relearn(offer.round, however_long=however_long):
                    return decide(change, offer, time, self.uid)
            # Long logs take a while to learn from: nobody need wait for it. But it is tried only
            # once like that, or who keeps correcting rewards would keep others from asking.
            self.store.step_aside()
            caught_up(self.store, self._who.number, change.course, offer.round)
            however_long = True

    def offer(self, arm: str | None = None, at: datetime | str | int | None = None) -> Offer:
        """What an ask would be about, now or at another time; nothing is decided."""
        when, course = moment(at), self._read(self.snapshot())
        time = self._time(when)
        found = meant(course, arm, when, time, ahead=True)
        clock_ = time if self.config.schedule else None
        if isinstance(found, Decision):
            return Offer(None, None, clock_, None, past=False, why=found.reason)
        return Offer(found.label, found.round, clock_, found.until, past=found.past)

    def tell(
        self,
        decision: Decision | int | str | None = None,
        *,
        reward: float | None = None,
        value: float | None = None,
        wins: int | None = None,
        trials: int | None = None,
    ) -> Told:
        """What came of a pull, the latest one if none is named; late or twice does no harm.

        A reward, a raw value, or ``wins`` of so many ``trials`` (7 clicks of 120 impressions),
        which is to the learner as so many rewards of 0 and 1. A tell that names its decision may
        be repeated.
        """
        worth = self.config.reward.worth(reward, value, wins, trials)
        meant_ = reference(decision, self.uid)
        with self._changing() as change:
            return ledger.tell(change, meant_, worth)

    def correct(
        self,
        decision: Decision | int | str,
        *,
        reward: float | None = None,
        value: float | None = None,
        wins: int | None = None,
        trials: int | None = None,
        lost: bool = False,
    ) -> Told:
        """Replace a wrong reward, or take it back (``lost``). Past decisions stand."""
        if decision is None:
            raise DataError("say which decision is to be corrected")
        if lost and not (reward is None and value is None and wins is None and trials is None):
            raise DataError("a reward that was lost has no value: give one of the two")
        worth = None if lost else self.config.reward.worth(reward, value, wins, trials)
        meant_ = reference(decision, self.uid)
        with self._changing() as change:
            return ledger.correct(change, meant_, worth)

    def lost(self, decision: Decision | int | str | None = None) -> Told:
        """The reward of this pull will never come; if it does, it is still welcome."""
        meant_ = reference(decision, self.uid)
        with self._changing() as change:
            return ledger.lose(change, meant_)

    def void(self) -> int:
        """Undo a jump many rounds ahead, if nothing was pulled since; the round it returns to."""
        with self._changing() as change:
            leap = change.course.leap
            if leap is None:
                raise DataError(
                    "there is no jump to undo: none was made, or something was pulled since"
                )
            seq, round_, last = leap
            since = change.tx.history(self._who.number, seq - 1)
            asked = Counter(str(event.arm) for event in since if event.kind == "ask")
            note = {"last": last, "asked": dict(asked)}
            change.record("void", decision=seq, round=round_, note=note)
            return round_

    def give_up_after(self, lost_after: str) -> None:
        """From now on give up on a reward that has not come by then: ``"2d"``."""
        minutes = minutes_of(lost_after)
        with self._changing() as change:
            if change.course.lost_after != minutes:
                change.record("limit", note={"lost_after": minutes})

    def pause(self) -> None:
        """Answer every new offer with pass, until resumed; rewards are still welcome."""
        self._turn_to("paused", "pause")

    def resume(self) -> None:
        """Go on after a pause."""
        self._turn_to("running", "resume")

    def close(self) -> None:
        """No more pulls, ever; rewards are still welcome."""
        self._turn_to("closed", "close")

    def _turn_to(self, status: str, kind: str) -> None:
        with self._changing() as change:
            if change.course.status == "closed" and status != "closed":
                raise ConflictError(f"campaign {self.name!r} is closed")
            if change.course.status != status:
                change.record(kind)

    def add_arm(self, label: str, *, before: str | None = None, slot: str | None = None) -> None:
        """Offer one more arm from the next round on; a retired one comes back with its history.

        With a schedule its ``slot`` (its name, if left out) says when; else it comes last, or
        ``before`` another one.
        """
        with self._changing() as change:
            arm_added(change, label, before, slot)

    def retire_arm(self, label: str) -> None:
        """Offer an arm no longer, from the next round on."""
        with self._changing() as change:
            arm_retired(change, label)

    def recommend(self) -> str:
        """The arm taken to be the best."""
        course = self._up_to_date()
        return course.arms[course.learner.recommend()].label

    def status(self) -> Status:
        """Where the campaign stands."""
        course = self._up_to_date()
        found, now = self._shifts(course), clock.now()

        def last_pull() -> int:
            """Its round; asks may go on after the end, and the rounds with them."""
            number = course.latest_pull or 0
            pulls = self.store.history(self._who.number, number - 1, number) if number else ()
            return next((pull.round or 0 for pull in pulls), 0)

        return status_of(self.name, course, self.pending(), now, last_pull, found)

    def _shifts(self, course: Course) -> list[Shift]:
        """Changes that the log shows; only for a policy that forgets and does not say when."""
        policy, state = course.learner.agent.policy, course.learner.state.policy
        if not policy.forgets or hasattr(state, "restarts"):
            return []
        log = self.store.history(self._who.number, 0, course.version)
        return shifts(Story.of(log).cells.values())

    def _repr_html_(self) -> str:
        """Where it stands, for a notebook."""
        return self.status()._repr_html_()

    def alerts(self) -> list[Alert]:
        """What somebody who does not look at the campaign should hear of."""
        return alerts_of(self._up_to_date(), self.pending(), clock.now())

    def verify(self, progress: Progress | None = None) -> Verdict:
        """Replay the whole log from the seed and compare every decision and the snapshot."""
        return verify(self.store, self._who, progress)

    def export(self, *, move: bool = False) -> Iterator[str]:
        """The campaign as lines of JSON, the whole log.

        With ``move`` it goes on where it is imported, and here nothing is asked or told any more.
        """
        if move and self.outline().state != "moved":
            with self._changing() as change:
                change.record("move")
        return exported(self.store, self._who)

    def delete(self, seal: str) -> None:
        """Take the campaign out of its store for good.

        ``seal`` is the hash that an export ends with: who has the whole log may delete it.
        """
        with self._turn, self.store.writing(self._who.number) as tx:
            if self._ours(tx.snapshot(self._who.number, lock=True)).hash != seal:
                raise ConflictError(
                    f"campaign {self.name!r} goes on after that export: export it again"
                )
            tx.delete(self._who.number)

    @classmethod
    def import_(
        cls,
        store: Store | str | None,
        lines: Iterable[str],
        name: str | None = None,
        progress: Progress | None = None,
        *,
        actor: str | None = None,
    ) -> "Campaign":
        """Bring in what was exported, verified on the way; ``name`` gives it another name."""
        opened, doer = opened_store(store), who_acts(actor)
        called = imported(opened, lines, name, progress, doer)
        return cls.open(opened, called, actor=doer)


def _first(tx: Transaction, who: Identity) -> Event | None:
    return next(iter(tx.events(who.number, until=1)), None)
