"""A campaign day by day: asks, rewards, corrections, losses; one at a time, or many at once."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fastapi.responses import Response
from pydantic_core import ErrorDetails

from spnb.base.errors import SpnbError
from spnb.live.campaign.reference import campaign_of, campaign_part
from spnb.service import schemas
from spnb.service.desk import Caller
from spnb.service.errors import Refused, error_body, refusal, sentence
from spnb.service.metrics import metrics
from spnb.service.routes.common import (
    AtDesk,
    Author,
    CampaignUid,
    Repeatable,
    api,
    links_of_a_decision,
    refusals,
)

router = api("/v1", "days")
_REFUSED = refusals(404, 409, 413, 415)
_PULLS, _PASSES = (metrics.asks.labels(answer) for answer in ("pull", "pass"))
_TELLS = metrics.tells.labels("tell")


def asked(caller: Caller, campaign: str, ask: schemas.Ask) -> dict[str, Any]:
    """The answer to an ask."""
    decision = caller.campaign(campaign).ask(**ask.arguments())
    (_PULLS if decision.pull else _PASSES).inc()
    return decision.to_dict()


def told(caller: Caller, campaign: str, worth: schemas.Worth) -> dict[str, Any]:
    """What is known after a reward was told."""
    found = caller.campaign(campaign).tell(worth.decision, **worth.arguments())
    _TELLS.inc()
    return found.to_dict()


@router.post(
    "/campaigns/{campaign}/decisions",
    response_model=schemas.Decision,
    responses={200: {"description": "decided", "links": links_of_a_decision()}, **_REFUSED},
)
async def ask(
    campaign: CampaignUid, body: schemas.Ask, who: Author, desk: AtDesk, key: Repeatable
) -> Response:
    """Pull now? The same offer always gets the same answer."""
    return await desk.write(
        who, lambda caller: asked(caller, campaign, body), campaigns=[campaign], key=key
    )


@router.post("/campaigns/{campaign}/rewards", response_model=schemas.Told, responses=_REFUSED)
async def tell(
    campaign: CampaignUid, body: schemas.Worth, who: Author, desk: AtDesk, key: Repeatable
) -> Response:
    """What came of a pull; late or twice does no harm."""
    about = {"campaigns": [campaign], "decisions": [body.decision]}
    return await desk.write(who, lambda caller: told(caller, campaign, body), key=key, **about)


@router.post("/campaigns/{campaign}/corrections", response_model=schemas.Told, responses=_REFUSED)
async def correct(
    campaign: CampaignUid, body: schemas.Correction, who: Author, desk: AtDesk, key: Repeatable
) -> Response:
    """Replace a wrong reward, or take it back. Past decisions stand."""

    def do(caller: Caller) -> dict[str, Any]:
        found = caller.campaign(campaign).correct(body.decision, **body.arguments())
        metrics.tells.labels("correct").inc()
        return found.to_dict()

    about = {"campaigns": [campaign], "decisions": [body.decision]}
    return await desk.write(who, do, key=key, **about)


@router.post("/campaigns/{campaign}/losses", response_model=schemas.Told, responses=_REFUSED)
async def lose(
    campaign: CampaignUid, body: schemas.Loss, who: Author, desk: AtDesk, key: Repeatable
) -> Response:
    """The reward of this pull will never come; if it does, it is still welcome."""

    def do(caller: Caller) -> dict[str, Any]:
        found = caller.campaign(campaign).lost(body.decision)
        metrics.tells.labels("lost").inc()
        return found.to_dict()

    about = {"campaigns": [campaign], "decisions": [body.decision]}
    return await desk.write(who, do, key=key, **about)


@router.post("/decisions", response_model=schemas.Outcomes, responses=refusals(413, 415))
async def ask_many(body: schemas.EachAsk, who: Author, desk: AtDesk, key: Repeatable) -> Response:
    """Many asks in one commit, each answered or refused by itself."""
    campaigns = [item.campaign for item in body.items]

    def do(caller: Caller) -> dict[str, Any]:
        caller.find_many(campaigns)  # all at once
        return {"items": _each("decision", body, partial(_asked_by_name, caller))}

    return await desk.write(who, do, campaigns=campaigns, key=key)


@router.post("/rewards", response_model=schemas.ToldOutcomes, responses=refusals(413, 415))
async def tell_many(
    body: schemas.EachReward, who: Author, desk: AtDesk, key: Repeatable
) -> Response:
    """Many rewards in one commit, each taken or refused by itself."""
    decisions = [item.decision for item in body.items]

    def do(caller: Caller) -> dict[str, Any]:
        caller.find_many(list(dict.fromkeys(map(campaign_part, decisions))))  # all at once
        return {"items": _each("told", body, partial(_told_by_name, caller))}

    return await desk.write(who, do, decisions=decisions, key=key)


def _asked_by_name(caller: Caller, ask: schemas.AskOf) -> dict[str, Any]:
    return asked(caller, ask.campaign, ask)


def _told_by_name(caller: Caller, worth: schemas.Worth) -> dict[str, Any]:
    return told(caller, campaign_of(worth.decision), worth)


def _each(
    name: str, body: schemas.Many, do: Callable[[Any], dict[str, Any]]
) -> list[dict[str, Any]]:
    return [_one(name, item, do) for item in body.in_place()]


def _one(
    name: str, item: schemas.Body | ErrorDetails, do: Callable[[Any], dict[str, Any]]
) -> dict[str, Any]:
    """One of many: what is refused leaves the others alone."""
    try:
        if not isinstance(item, schemas.Body):
            raise Refused(422, sentence(item, "the item"))
        return {name: do(item), "error": None}
    except (SpnbError, Refused) as error:
        refused = refusal(error)
        return {name: None, **error_body(refused.status, refused.message, refused.hint)}
