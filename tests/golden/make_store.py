"""Write the golden store of the current schema: ``python tests/golden/make_store.py``.

Every file here stays for good once released: it is what an older spnb has left on somebody's
disk. Make a new one, beside the old ones, whenever the schema or a snapshot changes.
"""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.store import Store
from spnb.live.store.tables import HEAD
from spnb.problems.readers import ProblemData

TIME = datetime(2026, 11, 1, 8, tzinfo=UTC)
ARMS = ("06:00", "12:00", "18:00")


def later(hours: float = 6) -> None:
    global TIME  # noqa: PLW0603
    TIME += timedelta(hours=hours)


def water(store: Store) -> None:
    """Late and missing rewards, a correction, arms that come and go."""
    campaign = Campaign.create(
        store, "water", arms=ARMS, agent="Challenge", seed=5, reward="above 0.3", lost_after="2d"
    )
    for round_ in range(1, 8):
        for place, arm in enumerate(ARMS):
            later()
            decision = campaign.ask(arm, at=round_)
            if decision.pull and (round_ + place) % 4:
                campaign.tell(decision, value=0.1 * place + 0.05 * round_)
    wrong = next(e.decision for e in campaign.events() if e.kind == "tell" and e.reward == 1)
    campaign.correct(int(wrong or 0), value=0.0)
    campaign.ask("06:00", at=8)
    campaign.retire_arm("12:00")
    campaign.add_arm("21:00")
    campaign.ask("18:00", at=9)


def pages(store: Store) -> None:
    """Rewards inside (0, 1), a search for the best arm, a pull still open, a pause."""
    campaign = Campaign.create(
        store, "pages", arms=["red", "green"], agent="Seq(TS)", seed=6, rounds=1000, goal="best"
    )
    for round_ in range(1, 6):
        for arm in ("red", "green"):
            later()
            decision = campaign.ask(arm, at=round_)
            if decision.pull and round_ < 5:
                campaign.tell(decision, reward=1 / 3)
    campaign.pause()
    campaign.resume()
    campaign.ask("green", at=500, ahead=True)
    campaign.void()


def ads(store: Store) -> None:
    """Counts, a warm start, a first round that began late, another time to wait."""
    record = ProblemData("record", ARMS, means=(0.1, 0.3, 0.2), trials=(40, 7, 12))
    campaign = Campaign.create(
        store,
        "ads",
        problem=record,
        agent="Seq(TS)",
        seed=7,
        rounds=1000,
        warm_start=True,
        pulls=900,
    )
    for round_ in range(1, 6):
        for place, arm in enumerate(ARMS):
            later()
            if (round_, place) == (1, 0):
                continue
            decision = campaign.ask(arm, at=round_)
            if decision.pull and round_ != 3:
                campaign.tell(decision, wins=place + round_, trials=20)
            elif decision.pull:
                campaign.give_up_after("2d")
    wrong = next(e.decision for e in campaign.events() if e.kind == "tell")
    campaign.correct(int(wrong or 0), wins=9, trials=30)


if __name__ == "__main__":
    clock.now = lambda: TIME
    path = Path(__file__).parent / f"store-{HEAD}.db"
    path.unlink(missing_ok=True)
    with Store(f"sqlite:///{path}") as golden:
        water(golden)
        pages(golden)
        ads(golden)
    database = sqlite3.connect(path)
    database.execute("PRAGMA journal_mode = DELETE")  # one file, without its companions
    database.execute("VACUUM")
    database.close()
