"""Exports changed at random: imported only if it can have happened, else refused with a sentence.

1,500 of them always run, 10,000 with SPNB_SOAK=1.
"""

import json
import os
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from live.helpers import resealed
from live.mutations import mutated
from spnb.base.errors import DataError, SpnbError
from spnb.cli import app as cli
from spnb.live import clock
from spnb.live.campaign import Campaign
from spnb.live.learner import FORM
from spnb.live.schedule import Schedule
from spnb.live.store import Event, Store
from spnb.problems.readers import ProblemData

MANY = 10_000 if os.environ.get("SPNB_SOAK") else 1500
SLOWEST = 1.0  # seconds


def lived(agent: str, seed: int) -> list[str]:
    """A campaign to which everything has happened."""
    record = ProblemData("record", ("a", "b", "c"), means=(0.2, 0.5, 0.7), trials=(4, 9, 30))
    campaign = Campaign.create(
        "sqlite://", "c", problem=record, agent=agent, seed=seed, reward="range 0 2", pulls=40,
        warm_start=seed % 3 != 0,
    )  # fmt: skip
    for round_ in range(1, 4):
        for arm in ("a", "b", "c"):
            decision = campaign.ask(arm, at=round_)
            if decision.pull and round_ < 3 and arm == "b":
                campaign.tell(decision, wins=round_, trials=5)
            elif decision.pull and round_ < 3:
                campaign.tell(decision, value=round_ / 2)
    told = [int(e.decision or 0) for e in campaign.events() if e.kind == "tell"]
    campaign.correct(told[0], reward=0.25)
    campaign.correct(told[0], wins=1, trials=4)
    campaign.correct(told[0], wins=1, trials=3)
    campaign.correct(told[0], value=0.5)
    campaign.correct(told[1], lost=True)
    campaign.tell(told[1], wins=3, trials=6)
    for pull in campaign.pending():
        campaign.lost(pull.decision)
    campaign.pause()
    campaign.resume()
    campaign.add_arm("d", before="b")
    campaign.retire_arm("c")
    leap = campaign.ask("a", at=60, ahead=True)
    if not leap.pull:
        campaign.void()
    campaign.ask("d", at=campaign.outline().round + 1)
    return list(campaign.export(move=seed % 2 == 0))


def lived_by_clock(seed: int) -> list[str]:
    """The same with a schedule, and rewards that are given up."""
    plan = Schedule.parse("08:00,18:00", "Europe/Rome", days="mon-fri", start="2026-05-01")
    campaign = Campaign.create(
        "sqlite://", "c", schedule=plan, agent="Uniform+", seed=seed, lost_after="1d"
    )
    for day in (1, 4, 5, 6):
        for hour in (9, 19):
            decision = campaign.ask(at=f"2026-05-0{day}T{hour:02d}:00")
            if day % 2:
                campaign.tell(decision, reward=1)
    campaign.add_arm("12:00")
    campaign.give_up_after("2d")
    campaign.ask(at="2026-05-07T13:00")
    return list(campaign.export())


def as_told(event: Event) -> dict[str, Any]:
    value = event.extra().get("value")
    if event.trials > 1:
        return {"wins": event.reward, "trials": event.trials}
    return {"value": value} if value is not None else {"reward": event.reward}


PLAIN: dict[str, Callable[[Campaign, Event], object]] = {
    "pause": lambda campaign, _: campaign.pause(),
    "resume": lambda campaign, _: campaign.resume(),
    "close": lambda campaign, _: campaign.close(),
    "void": lambda campaign, _: campaign.void(),
    "retire": lambda campaign, event: campaign.retire_arm(str(event.arm)),
    "limit": lambda campaign, event: campaign.give_up_after(f"{event.extra()['lost_after']}m"),
}


def by_hand(campaign: Campaign, events: Iterator[Event]) -> None:
    """Let the same happen live, step by step: whatever a log may say, people can have done."""
    for event in events:
        given = as_told(event)
        if event.kind == "ask":
            decision = campaign.ask(event.arm, at=event.round, ahead=True)
            assert (decision.id, decision.pull) == (event.seq, event.pull)
        elif event.kind in ("tell", "found"):
            assert campaign.tell(event.decision, **given).new
        elif event.kind == "correct":
            lost = event.reward is None
            assert campaign.correct(event.decision or 0, **({} if lost else given), lost=lost).new
        elif event.kind == "lost":
            assert campaign.lost(event.decision).new
        elif event.kind in ("pause", "resume", "close", "void", "limit", "retire"):
            PLAIN[event.kind](campaign, event)
        elif event.kind == "add":
            arms = [arm.label for arm in campaign._read(campaign.snapshot()).coming or ()]
            arms = arms or [arm.label for arm in campaign._read(campaign.snapshot()).arms]
            place = event.extra()["place"]
            campaign.add_arm(str(event.arm), before=arms[place] if place < len(arms) else None)
        elif event.kind == "move":
            list(campaign.export(move=True))
            return  # it goes on elsewhere


def same(found: Event, lived: Event) -> bool:
    """Equal but for who and when, and for the words of a reason."""
    plain = [replace(each, at=0, actor="", hash="") for each in (found, lived)]
    if found.kind == "ask":
        old = found.actor == ""  # an older spnb did not note where a leap came from
        plain = [replace(each, note=str(old or each.extra().get("from"))) for each in plain]
    if found.kind == "lost":
        plain = [replace(each, note=None) for each in plain]
    extras = [each.extra() for each in (found, lived)]
    if "value" in extras[0]:  # an older spnb kept values as they were given: 1, "1"
        values = [float(extra.pop("value")) for extra in extras]
        plain = [replace(each, note=None) for each in plain]
        return plain[0] == plain[1] and values[0] == values[1] and extras[0] == extras[1]
    return plain[0] == plain[1]


def possible(campaign: Campaign) -> None:
    """An accepted log verifies, and the same can be done by hand."""
    assert campaign.verify().problem is None
    config = campaign.config
    if config.schedule is not None or config.lost_after is not None:
        return  # needs a clock set for every step
    again = Campaign.begin("sqlite://", "c", replace(config, form=FORM))
    events = list(campaign.events())
    by_hand(again, iter(events))
    for found, one in zip(again.events(), events, strict=False):
        assert found.kind == "create" or same(one, found), (one, found)
    again.store.close()


@pytest.mark.parametrize("part", range(4))
def test_an_export_changed_at_random_is_refused_or_possible(part: int, seed: int) -> None:
    luck = random.Random(seed * 4 + part)
    agents = ["Uniform+", "Seq(TS)", "Challenge"]
    if part == len(agents):
        bases = [lived_by_clock(seed)]
    else:
        bases = [lived(agents[part], seed * 2 + number) for number in range(2)]
    found: Counter[str] = Counter()
    with Store("sqlite://") as store:
        for number in range(MANY // 4):
            lines = mutated(luck.choice(bases), luck)
            start = perf_counter()
            campaign: Campaign | None = None
            try:
                campaign = Campaign.import_(store, lines, name=f"c{number}")
            except SpnbError as refusal:
                found[_sentence(refusal)] += 1
            assert perf_counter() - start < SLOWEST, lines
            if campaign is not None:
                found["imported"] += 1
                possible(campaign)
    assert 0 < found["imported"] < MANY // 8
    print(found.most_common(40))  # noqa: T201 - shown when it fails


def _sentence(refusal: SpnbError) -> str:
    said = str(refusal)
    assert said.isprintable(), said
    assert len(said) < 500
    return " ".join(word for word in said.split() if word.isalpha())[:60]


def test_the_command_says_so_with_exit_code_2(
    tmp_path: Path,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    luck, base, path = random.Random(seed), lived("Seq(TS)", seed), tmp_path / "export"
    monkeypatch.setenv("SPNB_STORE", f"sqlite:///{tmp_path}/s.db")
    Store(f"sqlite:///{tmp_path}/s.db").close()
    codes: Counter[int] = Counter()
    for number in range(MANY // 20):
        path.write_text("".join(mutated(base, luck)), encoding="utf-8", errors="replace")
        words = ["campaign", "import", str(path), "--name", f"c{number}"]
        monkeypatch.setattr(sys, "argv", ["spnb", *words])
        with pytest.raises(SystemExit) as left:
            cli.main()
        codes[left.value.code] += 1  # type: ignore[index]
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert "unforeseen" not in said.err, said.err
        assert left.value.code == 0 or said.err.startswith("spnb: ")
    assert set(codes) <= {0, 2}
    assert codes[2] > 0


def test_a_log_made_to_take_for_ever_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = Campaign.create("sqlite://", "c", arms=["a", "b"], agent="Challenge", seed=1)
    campaign.tell(campaign.ask("a"), reward=1)
    for number in range(40):
        campaign.correct(2, reward=number / 100)
        campaign.ask("b", at=2 + number)
    monkeypatch.setattr("spnb.live.campaign.portable._PATIENCE", 100)
    with pytest.raises(SpnbError, match=r"event \d+ .*it would take for ever"):
        Campaign.import_("sqlite://", list(campaign.export()))
    far = Campaign.create("sqlite://", "c", arms=["a"], agent="Uniform+", seed=1)
    for number in range(1, 4):
        far.ask("a", at=number * 9000, ahead=True)
    with pytest.raises(SpnbError, match=r"event \d+ .*it would take for ever"):
        Campaign.import_("sqlite://", list(far.export()))


def test_the_clock_of_this_machine_means_nothing_to_an_import(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = lived("Seq(TS)", 1)
    monkeypatch.setattr(clock, "now", lambda: datetime.fromisoformat("1999-01-01T00:00+00:00"))
    assert Campaign.import_("sqlite://", lines).verify().ok


def test_a_log_without_its_seed_is_refused() -> None:
    lines = lived("Uniform+", 1)
    first = json.loads(lines[1])
    first["note"]["seed"] = None
    with pytest.raises(DataError, match="seed"):
        Campaign.import_("sqlite://", resealed([lines[0], json.dumps(first) + "\n", *lines[2:]]))
