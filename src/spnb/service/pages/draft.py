"""A campaign as it was typed into the form: what is meant, and what it would look like."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from starlette.datastructures import FormData, UploadFile

from spnb.bandits.agents import Seq
from spnb.bandits.described import literal
from spnb.bandits.spec import agent as parse_agent
from spnb.base.errors import DataError, SpecError
from spnb.live import clock
from spnb.live.campaign.beginning import WEIGHT, check_not_over, new_config
from spnb.live.campaign.config import Config, check_name
from spnb.live.campaign.rewards import RewardRule
from spnb.live.schedule import Schedule, length_text, time_text
from spnb.problems.readers import ProblemData
from spnb.service.pages.frame import field

_SHOWN = 6  # offers of a preview


@dataclass(frozen=True, slots=True)
class Draft:
    """The fields of the form, as they were typed."""

    name: str = ""
    kind: str = "slots"  # or arms
    slots: str = ""
    zone: str = ""
    days: str = ""
    window: str = ""
    start: str = ""
    arms: str = ""
    agent: str = "Seq(TS)"
    goal: str = "regret"
    rounds: str = ""
    rule: str = "binary"
    low: str = ""
    high: str = ""
    lost_after: str = ""
    record: str = ""  # what a problem file knows of the arms, as such a file
    warm: str = ""  # "yes": begin with it
    weight: str = str(WEIGHT)

    @classmethod
    def typed(cls, form: FormData) -> "Draft":
        """What the form holds."""
        names = [each.name for each in fields(cls)]
        return cls(**{name: field(form, name) for name in names if name in form})

    def arguments(self) -> dict[str, Any]:
        """As ``Campaign.create`` takes them."""
        check_name("the name of a campaign", self.name)
        by_clock = self.kind == "slots"
        return {
            "arms": None if by_clock else self._labels(),
            "schedule": self._schedule() if by_clock else None,
            "agent": self.agent,
            "rounds": _whole("rounds", self.rounds),
            "goal": self.goal,
            "reward": self._reward(),
            "lost_after": self.lost_after or None,
            **self._warm_start(),
        }

    def _warm_start(self) -> dict[str, Any]:
        if not self.warm:
            return {}
        weight = _whole("the weight of the record", self.weight)
        return {
            "problem": _problem(self.record),
            "warm_start": WEIGHT if weight is None else weight,
        }

    def _schedule(self) -> Schedule:
        if not self.slots:
            raise SpecError("slots are wanted: times such as 08:00, 12:30 or 00:00/2h")
        rest = (self.zone, self.days, self.window, self.start)
        return Schedule.parse(self.slots, *(text or None for text in rest))

    def _labels(self) -> list[str]:
        parts = self.arms.splitlines() if "\n" in self.arms else self.arms.split(",")
        labels = [part.strip() for part in parts if part.strip()]
        if not labels:
            raise SpecError("arms are wanted: a name for each, one a line")
        return labels

    def _reward(self) -> str:
        numbers = {"above": (self.low,), "below": (self.low,), "range": (self.low, self.high)}
        given = [text.replace(",", ".") for text in numbers.get(self.rule, ())]
        if not all(given):
            missing = "both ends of the range" if self.rule == "range" else "the limit"
            raise SpecError(f"{missing} must be given, for a reward of this kind")
        return " ".join([self.rule, *given])


@dataclass(frozen=True, slots=True)
class Preview:
    """What a campaign would be like."""

    config: Config
    offers: tuple[tuple[str, datetime, datetime], ...]  # arm, from, until; with a schedule
    lost_after: str | None
    blocks: bool  # whether one reward that never comes would stop it


def preview_of(draft: Draft) -> Preview:
    """The campaign that the draft asks for, checked, and begun nowhere."""
    rest = {"pulls": None, "seed": None, "hardness": None, "problem": None, "warm_start": False}
    config = new_config(**rest | draft.arguments())
    check_not_over(config)
    if draft.warm and not config.warm:
        raise SpecError("the record knows none of these arms: begin without it")
    limit, schedule = config.lost_after, config.schedule
    return Preview(
        config=config,
        offers=() if schedule is None else tuple(_offers(config, schedule)),
        lost_after=None if limit is None else length_text(limit),
        blocks=isinstance(parse_agent(config.agent), Seq) and limit is None,
    )


def _offers(config: Config, schedule: Schedule) -> list[tuple[str, datetime, datetime]]:
    """What is on offer now and next."""

    def slots(_: int) -> tuple[int, ...]:
        return schedule.slots

    found: list[tuple[str, datetime, datetime]] = []
    now = clock.now()
    while len(found) < _SHOWN:
        offer = schedule.offer(now, slots)
        if offer is None:
            later = schedule.coming(now, slots)
            if later is None:
                break
            now = later
            continue
        label = config.arms[offer.arm].label
        found.append((label, schedule.local(offer.start), schedule.local(offer.until)))
        now = offer.until
    return found


async def filled(draft: Draft, form: FormData) -> Draft:
    """The draft with the arms of a problem file."""
    file = form.get("problem")
    if not isinstance(file, UploadFile) or not file.filename:
        raise DataError("choose a problem file first: 'spnb problem' makes one of your data")
    data = _problem(await file.read())
    rounds = "" if data.table is None else str(len(data.table))
    name = draft.name or data.name[:200].strip()
    known = replace(draft, name=name, rounds=rounds, record=_record(data), warm="")
    if data.reward is not None:
        rule = RewardRule.parse(data.reward)
        low, high = ("" if x is None else literal(x) for x in (rule.low, rule.high))
        known = replace(known, rule=rule.kind, low=low, high=high)
    if data.slots is None:
        return replace(known, kind="arms", arms="\n".join(data.arms))
    times = ",".join(map(time_text, data.slots))
    return replace(known, kind="slots", slots=times, zone=data.zone or draft.zone)


def _record(data: ProblemData) -> str:
    """What the file knows of each arm, as the form will call it; nothing if nobody counted."""
    labels = data.arms if data.slots is None else tuple(map(time_text, data.slots))
    known = [each for each in zip(labels, data.means, data.seen() or (), strict=False) if each[2]]
    if not known:
        return ""
    arms, means, trials = zip(*known, strict=True)
    return json.dumps(ProblemData(data.name, arms, means=means, trials=trials).to_dict())


def _problem(body: bytes | str) -> ProblemData:
    try:
        data: Mapping[str, Any] = json.loads(body)
    except (ValueError, RecursionError):
        raise DataError("this is no problem file: it is not JSON") from None
    return ProblemData.from_dict(data)


def _whole(what: str, text: str) -> int | None:
    if not text:
        return None
    if not text.isdecimal() or len(text) > 10:
        raise DataError(f"{what} must be a whole number, got {text!r}")
    return int(text)
