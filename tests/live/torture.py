"""Processes that are killed, and processes that get in each other's way.

    python tests/live/torture.py kill URL TIMES SEED
    python tests/live/torture.py hammer URL PROCESSES SECONDS CAMPAIGNS SEED

Prints what was found as JSON. It forks, so it runs as a process of its own, without threads.
"""

import json
import os
import random
import select
import signal
import sys
import threading
import time
import traceback
from collections import Counter
from contextlib import suppress
from typing import Any

import scipy.special  # noqa: F401 - loaded once here, not in every child

from spnb.base.errors import ConflictError, DataError
from spnb.live.campaign import Campaign
from spnb.live.store import Store
from spnb.problems.readers import ProblemData

ARMS = ["a", "b", "c", "d"]
RECORD = ProblemData("record", tuple(ARMS), means=(0.2, 0.3, 0.3, 0.4), trials=(20, 9, 30, 1))
Note = dict[str, Any]


def work(campaign: Campaign, luck: random.Random, acknowledge: Any, *, move: bool = False) -> None:
    """One random thing that a user may do; what the campaign has answered is acknowledged."""
    open_pulls, dice = campaign.pending(), luck.random()
    if dice < 0.45 or not open_pulls:
        with suppress(DataError):  # "e" comes and goes
            decision = campaign.ask(luck.choice([*ARMS, "e"]))
            acknowledge({"ask": decision.id, "arm": decision.arm, "pull": decision.pull})
    elif dice < 0.8:
        number = luck.choice(open_pulls[-20:]).decision
        # Whoever else picks the same pull must say the same, or it would be a conflict.
        reward, trials = float(number % 3 == 0), 1 + 9 * (number % 2)  # every other one a count
        with suppress(ConflictError):  # somebody has corrected it meanwhile
            told = campaign.tell(number, wins=int(reward), trials=trials)
            acknowledge({"tell": told.decision, "reward": reward, "new": told.new})
    elif move and dice > 0.995:
        list(campaign.export(move=True))
    else:
        seldom(campaign, luck, acknowledge, open_pulls[-1].decision)


def seldom(campaign: Campaign, luck: random.Random, acknowledge: Any, latest: int) -> None:
    """Corrections, losses, arms that come and go, leaps that are taken back."""
    dice = luck.random()
    if dice < 0.6:
        number = luck.choice([latest - luck.randrange(40), luck.randrange(1, latest + 1)])
        with suppress(DataError):  # not a pull, or not told
            told = campaign.correct(number, reward=0.5)
            acknowledge({"correct": told.decision})
            campaign.correct(number, wins=5, trials=20)
    elif dice < 0.75:
        with suppress(DataError, ConflictError):
            campaign.lost(latest)
    elif dice < 0.9:
        with suppress(DataError, ConflictError):
            luck.choice([campaign.add_arm, campaign.retire_arm])("e")
    else:
        with suppress(DataError):  # something was pulled
            campaign.ask("a", at=campaign.outline().round + 20, ahead=True)
            campaign.void()


def checked(campaign: Campaign, notes: list[Note]) -> Note:
    """Everything acknowledged is there, nothing is there twice, and the log verifies."""
    events = {event.seq: event for event in campaign.events()}
    tells = Counter(event.decision for event in events.values() if event.kind == "tell")
    void = [(e.decision or 0, e.seq) for e in events.values() if e.kind == "void"]
    asks = [e for e in events.values() if e.kind == "ask"]
    offers = Counter((e.round, e.arm) for e in asks if not any(a <= e.seq < b for a, b in void))
    said = {
        (e.kind, e.decision, e.reward)
        for e in events.values()
        if e.kind in ("tell", "found", "correct")
    }
    missing = [note for note in notes if not _is_there(note, events, said)]
    new = Counter(note["tell"] for note in notes if note.get("new"))
    found = Counter(e.decision for e in events.values() if e.kind == "found")
    verdict = campaign.verify()
    return {
        "acknowledged": len(notes),
        "events": len(events),
        "kinds": Counter(event.kind for event in events.values()),
        "missing": missing[:5],
        "twice": [
            *(each for counts in (tells, offers) for each, n in counts.items() if n > 1),
            *(number for number, n in new.items() if n > tells[number] + found[number]),
        ][:5],
        "verify": verdict.problem or "ok",
    }


def _is_there(note: Note, events: dict[int, Any], said: set[Any]) -> bool:
    if "correct" in note:
        return ("correct", note["correct"], 0.5) in said
    if "tell" in note:
        number, reward = note["tell"], note["reward"]
        return bool({("tell", number, reward), ("found", number, reward)} & said)
    event = events.get(note["ask"])
    return event is not None and (event.kind, event.arm, event.pull) == (
        "ask",
        note["arm"],
        note["pull"],
    )


def spawn(task: Any) -> tuple[int, int]:
    """A child process and the end of the pipe on which it acknowledges."""
    here, there = os.pipe()
    child = os.fork()
    if child:
        os.close(there)
        return child, here
    code = 1
    try:
        os.close(here)
        task(lambda note: os.write(there, (json.dumps(note) + "\n").encode()))
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


def heard(pipe: int) -> list[Note]:
    with os.fdopen(pipe) as stream:
        return [json.loads(line) for line in stream if line.endswith("\n")]


def kill(url: str, times: int, seed: int) -> Note:
    """Kill a process that asks and tells, at so many random moments."""
    with Store(url) as store:
        Campaign.create(store, "k", problem=RECORD, agent="Challenge", seed=seed, warm_start=True)
    notes: list[Note] = []
    luck = random.Random(seed)
    silent, name, moves = 0, "k", 0
    for life in range(times):

        def task(acknowledge: Any, life: int = life, name: str = name) -> None:
            campaign = Campaign.open(url, name)
            mind = random.Random(seed * 1000 + life)
            with suppress(ConflictError):  # it was moved
                while True:
                    work(campaign, mind, acknowledge, move=True)
            time.sleep(60)

        child, pipe = spawn(task)
        if life % 4:  # most die at work, some while they open the store
            select.select([pipe], [], [], 30)
        time.sleep(luck.uniform(0, 0.08))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        said = heard(pipe)
        silent += not said
        notes += said
        campaign = Campaign.open(url, name)
        if campaign.outline().state == "moved":  # whoever moved it died before it arrived
            moves, name = moves + 1, f"k{life}"
            Campaign.import_(url, list(campaign.export(move=True)), name=name).store.close()
        campaign.store.close()
    campaign = Campaign.open(url, name)
    decision = campaign.ask("a")  # work goes on
    more = {"kills": times, "killed early": silent, "moves": moves, "next": decision.id}
    return checked(campaign, notes) | more


def hammer(url: str, processes: int, seconds: float, campaigns: int, seed: int) -> Note:
    """Let processes work on the same campaigns at the same time."""
    names = [f"h{number}" for number in range(campaigns)]
    with Store(url) as store:
        for name in names:
            Campaign.create(store, name, problem=RECORD, agent="Challenge", seed=seed, warm_start=5)
    end = time.monotonic() + seconds

    def task_of(number: int) -> Any:
        def task(acknowledge: Any) -> None:
            luck = random.Random(seed * 1000 + number)
            with Store(url) as store:
                opened = [Campaign.open(store, name) for name in names]
                while time.monotonic() < end:
                    one = luck.choice(opened)
                    work(one, luck, lambda note, c=one: acknowledge(note | {"campaign": c.name}))

        return task

    children = [spawn(task_of(number)) for number in range(processes)]
    notes: list[Note] = []
    readers = [
        threading.Thread(target=lambda pipe=pipe: notes.extend(heard(pipe))) for _, pipe in children
    ]
    for reader in readers:
        reader.start()
    codes = [os.waitpid(child, 0)[1] for child, _ in children]
    for reader in readers:
        reader.join()
    found = [
        checked(Campaign.open(url, name), [note for note in notes if note["campaign"] == name])
        for name in names
    ]
    return {
        "acknowledged": len(notes),
        "missing": [each for report in found for each in report["missing"]],
        "twice": [each for report in found for each in report["twice"]],
        "verify": sorted({report["verify"] for report in found}),
        "failed": sum(code != 0 for code in codes),
    }


if __name__ == "__main__":
    what, url, *numbers = sys.argv[1:]
    if what == "kill":
        report = kill(url, int(numbers[0]), int(numbers[1]))
    else:
        counts = int(numbers[0]), float(numbers[1]), int(numbers[2]), int(numbers[3])
        report = hammer(url, *counts)
    print(json.dumps(report))  # noqa: T201
