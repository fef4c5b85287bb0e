"""What is sent for each method, and what is made of the answer; who sends it is not known here."""

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

from spnb.base.errors import (
    AccessError,
    ConflictError,
    DataError,
    MissingError,
    SpnbError,
    StoreError,
)
from spnb.live.campaign import ArmStatus, Config, Decision, Offer, Outline, Status, Told, Verdict
from spnb.live.campaign.offers import moment
from spnb.live.store import Event, Pending
from spnb.live.store.events import microseconds

T = TypeVar("T")
_ERRORS: dict[str, type[SpnbError]] = {
    "conflict": ConflictError,
    "not_found": MissingError,
    "unauthorized": AccessError,
    "forbidden": AccessError,
    "too_many_requests": AccessError,
    "unavailable": StoreError,
    "internal": StoreError,
}


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request, and how its answer is read. One that changes something may be repeated."""

    method: str
    path: str
    read: Callable[[Any], T]
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    patient: bool = False  # it may take minutes: then a late answer is no lost one


@dataclass(frozen=True, slots=True)
class AskOf:
    """An ask about an offer of a campaign (its uid), one of many."""

    campaign: str
    arm: str | None = None
    round: int | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class RewardOf:
    """What came of a decision (its uid), one of many."""

    decision: str
    reward: float | None = None
    value: float | None = None
    wins: int | None = None
    trials: int | None = None


def failure(status: int, answer: Any) -> SpnbError:
    """The error that an answer stands for."""
    try:
        said = answer["error"]
        return _ERRORS.get(said["code"], DataError)(said["message"])
    except (KeyError, TypeError):
        return StoreError(f"the service answers with status {status}, and not in its usual form")


def write(
    path: str, read: Callable[[Any], T], body: Any = None, *, method: str = "POST", **query: Any
) -> Call[T]:
    """A call that changes something, once however often it is sent."""
    return Call(method, path, read, body, query, secrets.token_hex(16))


def retire(path: str, label: str) -> Call[Outline]:
    """An arm is offered no longer."""
    return write(f"{path}/arms", outline, method="DELETE", arm=label)


def delete(path: str, seal: str) -> Call[None]:
    """A campaign is taken out of its store."""
    return write(path, lambda _: None, method="DELETE", seal=seal)


def bring_in(lines: Iterable[str], name: str | None) -> Call[dict[str, Any]]:
    """The import of an exported campaign."""
    query = {} if name is None else {"name": name}
    call = write("/v1/imports", dict, "".join(lines).encode(), **query)
    return replace(call, patient=True)


def verification(path: str) -> Call[Verdict]:
    """The replay of a campaign's whole log."""
    return Call("POST", f"{path}/verification", verdict, patient=True)


def which(decision: Decision | int | str | None) -> str:
    """A decision as the API names it."""
    if isinstance(decision, Decision):
        if decision.id is None:
            raise DataError(f"nothing was decided ({decision.reason}): there is nothing to tell")
        return str(decision.uid or decision.id)
    if decision is None:
        raise DataError("nothing was pulled yet, so there is nothing to tell")
    return str(decision)


def when(at: datetime | str | int | None) -> dict[str, Any]:
    """A time or a round as the API names it."""
    found = moment(at)
    if found is None:
        return {}
    return {"at": found.isoformat()} if isinstance(found, datetime) else {"round": found}


def named_by(offer: Offer) -> dict[str, Any]:
    """The time or round that an ask about this offer names."""
    return when(offer.round if offer.at is None else offer.at)


def ask(uid: str, arm: str | None, named: dict[str, Any], *, ahead: bool) -> Call[Decision]:
    """Pull now? The offer is named, so that the question may be repeated."""
    body = {"arm": arm, "ahead": ahead, **named}
    return write(f"/v1/campaigns/{uid}/decisions", decision, body)


def tell(uid: str, kind: str, which: str, worth: dict[str, Any]) -> Call[Told]:
    """A reward, a correction or a loss."""
    given = {name: value for name, value in worth.items() if value is not None}
    return write(f"/v1/campaigns/{uid}/{kind}", told, {"decision": which, **given})


def ask_many(asks: Iterable[AskOf]) -> "Call[list[Decision | SpnbError]]":
    """Many asks in one commit."""
    items = [_given(each) for each in asks]
    return write(
        "/v1/decisions", lambda answer: _each(answer, "decision", decision), {"items": items}
    )


def tell_many(rewards: Iterable[RewardOf]) -> "Call[list[Told | SpnbError]]":
    """Many rewards in one commit."""
    items = [_given(each) for each in rewards]
    return write("/v1/rewards", lambda answer: _each(answer, "told", told), {"items": items})


def _given(item: AskOf | RewardOf) -> dict[str, Any]:
    values = {name: value for name, value in asdict(item).items() if value is not None}
    return {n: v.isoformat() if isinstance(v, datetime) else v for n, v in values.items()}


def _each(answer: Any, name: str, read: Callable[[Any], T]) -> "list[T | SpnbError]":
    return [read(item[name]) if item[name] else failure(200, item) for item in answer["items"]]


def decision(answer: dict[str, Any]) -> Decision:
    """The answer to an ask."""
    return Decision(**{**answer, "until": _time(answer["until"])})


def offer(answer: dict[str, Any]) -> Offer:
    """What is on offer."""
    return Offer(**{**answer, "at": _time(answer["at"]), "until": _time(answer["until"])})


def told(answer: dict[str, Any]) -> Told:
    """What is known of a decision."""
    return Told(**answer)


def outline(answer: dict[str, Any]) -> Outline:
    """A campaign in one line."""
    return Outline(**{each.name: answer[each.name] for each in fields(Outline)})


def config(answer: dict[str, Any]) -> Config:
    """What a campaign was begun with."""
    names = [each.name for each in fields(Config) if each.name in answer]
    return Config.from_dict({name: answer[name] for name in names})


def verdict(answer: dict[str, Any]) -> Verdict:
    """Whether the log says what happened."""
    return Verdict(**answer)


def status(answer: dict[str, Any]) -> Status:
    """Where a campaign stands."""
    arms = tuple(ArmStatus(**arm) for arm in answer["arms"])
    waiting = tuple(
        Pending(**{**pull, "at": microseconds(datetime.fromisoformat(pull["at"]))})
        for pull in answer["pending"]
    )
    return Status(**{**answer, "arms": arms, "pending": waiting})


def events(answer: dict[str, Any]) -> tuple[list[Event], int | None]:
    """Some events, and where the next ones begin."""
    return [Event.from_dict(each) for each in answer["items"]], answer["next"]


def named(answer: dict[str, Any], name: str) -> str:
    """The uid of the campaign of this name."""
    items: Sequence[dict[str, Any]] = answer["items"]
    if not items:
        raise MissingError(f"there is no campaign {name!r}")
    uid: str = items[0]["uid"]
    return uid


def _time(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
