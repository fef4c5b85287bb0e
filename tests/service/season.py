"""A store with campaigns in every state, as a season leaves them; the same whoever makes it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta
from random import Random

from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.schedule import Schedule
from spnb.live.store import Store

SLOTS = ["06:00", "08:00", "10:00", "12:00", "14:00", "16:00", "18:00", "20:00"]
EXCEEDS = [0.15, 0.3, 0.55, 0.75, 0.6, 0.35, 0.2, 0.1]  # how often each slot's value is above 0.3


@contextmanager
def at(moment: datetime) -> Iterator[None]:
    """What happens meanwhile happens at this time."""
    before, clock.now = clock.now, lambda: moment
    try:
        yield
    finally:
        clock.now = before


def water(store: Store, days: int, until: datetime) -> Campaign:
    """Turbidity by the clock: asked at every slot, values told, some lost, one late."""
    dice, first = Random(11), (until - timedelta(days=days)).date()
    with at(datetime.combine(first, time(), UTC)):
        schedule = Schedule.parse(",".join(SLOTS), "UTC")
        campaign = Campaign.create(
            store, "Water works, turbidity", schedule=schedule, agent="Challenge",
            reward="above 0.3", rounds=90, lost_after="3d", seed=5, actor="station B",
        )  # fmt: skip
    for day in range(days + 1):
        for slot, share in zip(SLOTS, EXCEEDS, strict=True):
            hour = time.fromisoformat(slot)
            moment = datetime.combine(first + timedelta(days=day), hour, UTC)
            if moment > until:
                return campaign
            value, lost = (0.42 if dice.random() < share else 0.17), dice.random()
            with at(moment + timedelta(minutes=5)):
                decision = campaign.ask(at=moment)
                late = moment > until - timedelta(hours=5)
                if decision.pull and lost < 0.03:
                    campaign.lost(decision)
                elif decision.pull and not late:
                    campaign.tell(decision, value=value)
    return campaign


def named(store: Store, name: str, days: int, means: dict[str, float], **given: object) -> Campaign:
    """Arms that are named, asked round by round and told at once."""
    dice = Random(3)
    campaign = Campaign.create(
        store,
        name,
        arms=list(means),
        seed=1,
        actor="ads",
        **given,  # type: ignore[arg-type]
    )
    for _ in range(days):
        for arm, mean in means.items():
            decision, reward = campaign.ask(arm), float(dice.random() < mean)
            if decision.pull:
                campaign.tell(decision, reward=reward)
    return campaign


def season(url: str, until: datetime) -> dict[str, str]:
    """Campaigns in every state: their uids by what they show."""
    with Store(url) as store, store.together():  # all of it in one commit
        hours = {"morning": 0.3, "noon": 0.5, "evening": 0.65}
        paused = named(store, "Newsletter", 12, hours, agent="Seq(TS)", reward="binary")
        paused.pause()
        best = {"red": 0.2, "green": 0.4, "blue": 0.8}
        decided = named(
            store, "Which banner?", 60, best, agent="SR+", goal="best", rounds=60, reward="binary"
        )
        closed = named(store, "Old pump", 8, {"a": 0.2, "b": 0.9}, agent="Challenge")
        closed.close()
        waiting = Campaign.create(
            store, "Delivery windows", arms=["early", "late"], agent="Uniform+", reward="range 0 5"
        )
        for arm in ("early", "late"):
            waiting.ask(arm)
        new = Campaign.create(store, "Brand new", arms=["x", "y"], reward="binary")
        hostile = Campaign.create(
            store, '<img src=x onerror=alert(1)> & "quoted"', reward="binary",
            arms=["<script>alert(2)</script>", "</title><b>", "'; DROP TABLE x; --"],
            agent="Uniform+", actor="<i>eve</i>",
        )  # fmt: skip
        hostile.tell(hostile.ask(hostile.config.arms[0].label), reward=1)
        many = named(
            store, "Every half an hour", 3, {f"slot {k:02d}": k / 50 for k in range(48)},
            agent="Uniform+", reward="binary",
        )  # fmt: skip
        return {
            "running": water(store, 44, until).uid,
            "paused": paused.uid,
            "finished": decided.uid,
            "closed": closed.uid,
            "waiting": waiting.uid,
            "new": new.uid,
            "hostile": hostile.uid,
            "many": many.uid,
        }
