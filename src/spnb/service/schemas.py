"""What requests and answers look like; the API's description is made of this."""

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, Literal, TypeVar

import httpx
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

UID = r"^[0-9a-f]{16}$"
MOST_ITEMS = 1000
Uid = Annotated[str, Field(pattern=UID, examples=["9f2c41d07ab35e68"])]
DecisionUid = Annotated[str, Field(max_length=60, examples=["9f2c41d07ab35e68-2-1c0b7a5d9e3f4826"])]
Round = Annotated[int, Field(ge=1, le=10**9, examples=[1])]
_PORTS = range(1, 65536)
Label = Annotated[str, Field(min_length=1, max_length=200, examples=["08:00"])]


class Body(BaseModel):
    """Whatever is sent: nothing is guessed, nothing unknown is passed over."""

    model_config = ConfigDict(extra="forbid", strict=True)


class NewSchedule(Body):
    """When the arms are offered, by the clock."""

    slots: str = Field(max_length=20_000, examples=["06:00,08:00,10:00", "mon 09:00,thu 15:00"])
    zone: str | None = Field(None, max_length=100, examples=["Europe/Rome"])
    days: str | None = Field(None, max_length=100, examples=["mon-fri"])
    window: str | None = Field(None, max_length=20, examples=["30m"])
    start: str | None = Field(None, max_length=20, examples=["2026-05-01"])


class NewCampaign(Body):
    """A campaign to begin: with arms that are named at each ask, or with a schedule."""

    name: str = Field(min_length=1, max_length=200, examples=["water"])
    arms: list[Label] | None = Field(None, max_length=2500, examples=[["a", "b", "c"]])
    schedule: NewSchedule | None = None
    agent: str = Field("Seq(TS)", max_length=2000, examples=["Seq(TS)", "Challenge"])
    rounds: int | None = Field(None, ge=1, le=10**9, examples=[365])
    goal: Literal["regret", "best"] = "regret"
    seed: int | None = Field(None, ge=0, lt=2**128)
    reward: str = Field("unit", max_length=100, examples=["binary", "above 0.3"])
    lost_after: str | None = Field(None, max_length=20, examples=["2d"])
    hardness: float | None = Field(None, gt=0, allow_inf_nan=False)
    pulls: int | None = Field(None, ge=1, le=10**9)
    config: dict[str, Any] | None = Field(
        None, description="All of the above at once, in the form in which a campaign is shown"
    )


class Limit(Body):
    """How long a reward is waited for."""

    lost_after: str = Field(max_length=20, examples=["2d"])


class Hook(Body):
    """Where alerts about a campaign go."""

    url: str = Field(
        max_length=2000, pattern=r"^https?://[!-~]+$", examples=["https://example.org/alerts"]
    )

    @field_validator("url")
    @classmethod
    def _names_a_host(cls, url: str) -> str:
        try:  # as the one who sends alerts will read it
            parsed = httpx.URL(url)
        except httpx.InvalidURL as error:
            raise ValueError(f"this is no URL: {error}") from None
        if not parsed.host or (parsed.port is not None and parsed.port not in _PORTS):
            raise ValueError("a URL names a host, and a port from 1 to 65535 if any")
        return url


class Ask(Body):
    """An offer, named so that asking again means the same one."""

    arm: Label | None = None
    round: Round | None = None
    at: str | None = Field(None, max_length=40, examples=["2026-05-01T08:00:00+02:00"])
    ahead: bool = False

    @model_validator(mode="after")
    def _named(self) -> "Ask":
        if (self.round is None) == (self.at is None):
            raise ValueError("name the round (without a schedule) or the time (with one)")
        return self

    def arguments(self) -> dict[str, Any]:
        """As ``Campaign.ask`` takes them."""
        when = self.round if self.at is None else self.at
        return {"arm": self.arm, "at": when, "ahead": self.ahead}


class Worth(Body):
    """What came of a pull: a reward, the raw value it is made from, or wins of so many trials."""

    decision: DecisionUid
    reward: float | None = Field(None, ge=0, le=1, allow_inf_nan=False, examples=[1])
    value: float | None = Field(None, allow_inf_nan=False, examples=[0.42])
    wins: int | None = Field(None, ge=0, le=10**15, examples=[7])
    trials: int | None = Field(None, ge=1, le=10**15, examples=[120])

    def arguments(self) -> dict[str, Any]:
        """As ``Campaign.tell`` takes them."""
        return self.model_dump(exclude={"decision"}, exclude_none=True)


class Correction(Worth):
    """The right reward of a pull that was told a wrong one; or there was none (``lost``)."""

    lost: bool = False


class Loss(Body):
    """A pull whose reward will never come."""

    decision: DecisionUid


class NewArm(Body):
    """One more arm, from the next round on."""

    arm: Label
    before: Label | None = None
    slot: str | None = Field(None, max_length=40, examples=["14:00"])


class AskOf(Ask):
    """An ask that says of which campaign."""

    campaign: Uid


class Many(Body):
    """Items that are dealt with in one commit, each by itself."""

    items: list[Any]
    _flaws: dict[int, ErrorDetails] = PrivateAttr(default_factory=dict)

    def in_place(self) -> "Iterator[Body | ErrorDetails]":
        """The items as they were sent; in the place of one that makes no sense, what is wrong."""
        good = iter(self.items)
        for place in range(len(self.items) + len(self._flaws)):
            flaw = self._flaws.get(place)
            yield next(good) if flaw is None else flaw


class Asks(Many):
    """Offers of many campaigns, answered in one commit."""

    items: list[AskOf] = Field(min_length=1, max_length=MOST_ITEMS)


class Rewards(Many):
    """Rewards of many campaigns, written in one commit; the decision names its campaign."""

    items: list[Worth] = Field(min_length=1, max_length=MOST_ITEMS)


M = TypeVar("M", bound=Many)


def _one_by_one(kind: type[M], given: Any, whole: ValidatorFunctionWrapHandler) -> M:
    """What is wrong with some items is not held against the others."""
    try:
        found: M = whole(given)
    except ValidationError as error:
        flaws: dict[int, ErrorDetails] = {}
        for finding in error.errors(include_url=False, include_context=False, include_input=False):
            match finding["loc"]:
                case ("items", int(place), *within):
                    flaws.setdefault(place, {**finding, "loc": tuple(within)})
                case _:  # of the whole body
                    raise
        rest = [item for place, item in enumerate(given["items"]) if place not in flaws]
        found = whole({"items": rest}) if rest else kind.model_construct(items=[])
        found._flaws = flaws
    return found


# Only the usual way goes item by item: the short one (quick.py) takes what is right as a whole.
EachAsk = Annotated[Asks, WrapValidator(partial(_one_by_one, Asks))]
EachReward = Annotated[Rewards, WrapValidator(partial(_one_by_one, Rewards))]


class Answer(BaseModel):
    """Whatever is answered."""


class Error(Answer):
    """What went wrong: a word for programs, a sentence, and what to do."""

    code: str = Field(examples=["not_found"])
    message: str
    hint: str


class Failure(Answer):
    """The one shape of an error."""

    error: Error


class Decision(Answer):
    """The answer to an ask; ``uid`` is what to tell the reward to."""

    id: int | None
    pull: bool
    arm: str | None
    round: int | None
    reason: str
    until: str | None
    uid: str | None


class CurrentHook(Answer):
    """Where alerts about a campaign go, if anywhere."""

    url: str | None


class NewHook(Answer):
    """A hook, and the secret that its alerts are signed with."""

    url: str
    secret: str


class Offer(Answer):
    """What is on offer; ``why`` if nothing is."""

    arm: str | None
    round: int | None
    at: str | None
    until: str | None
    past: bool
    why: str | None


class Told(Answer):
    """What is now known of a decision; ``new`` unless it was known before."""

    decision: int
    arm: str
    round: int
    reward: float | None
    new: bool
    trials: int


class Outline(Answer):
    """A campaign in a few words."""

    uid: str
    name: str
    state: str
    agent: str
    round: int
    rounds: int | None
    events: int


class Page(Answer):
    """Some campaigns; ``next`` is where the following page begins."""

    items: list[Outline]
    next: str | None


class Recommendation(Answer):
    """The arm taken to be the best."""

    arm: str


class Verdict(Answer):
    """Whether the log says what happened."""

    ok: bool
    events: int
    problem: str | None
    event: int | None
    hash: str | None
    stands: int


class Events(Answer):
    """Some events of a log; ``next`` is the event after which the following page begins."""

    items: list[dict[str, Any]]
    next: int | None


class Outcome(Answer):
    """One answer of many: a decision, or what was refused."""

    decision: Decision | None = None
    error: Error | None = None


class Outcomes(Answer):
    """Answers in the order of the asks."""

    items: list[Outcome]


class ToldOutcome(Answer):
    """One answer of many: what is now known, or what was refused."""

    told: Told | None = None
    error: Error | None = None


class ToldOutcomes(Answer):
    """Answers in the order of the rewards."""

    items: list[ToldOutcome]
