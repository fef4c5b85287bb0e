"""What is known of a campaign: status, recommendation, log, export, import, verify."""

from dataclasses import asdict
from itertools import islice
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.responses import Response, StreamingResponse

from spnb.live.campaign import Campaign
from spnb.service import schemas
from spnb.service.desk import Caller
from spnb.service.errors import Refused
from spnb.service.routes.campaigns import outline
from spnb.service.routes.common import (
    Admin,
    AtDesk,
    Author,
    CampaignUid,
    Reader,
    Repeatable,
    api,
    refusals,
)

router = api("/v1", "records")
NDJSON = "application/x-ndjson"
_MOST = 1000


@router.get("/campaigns/{campaign}/status", responses=refusals(404))
async def status(campaign: CampaignUid, who: Reader, desk: AtDesk) -> dict[str, Any]:
    """Every arm with its estimate, and what to make of it."""
    return await desk.read(who, lambda caller: caller.campaign(campaign).status().to_dict())


@router.get("/campaigns/{campaign}/offer", responses=refusals(404))
async def offer(
    campaign: CampaignUid,
    who: Reader,
    desk: AtDesk,
    arm: Annotated[str | None, Query(max_length=200)] = None,
    at: Annotated[str | None, Query(max_length=40, description="Another time than now")] = None,
    round_: Annotated[
        int | None, Query(alias="round", ge=1, le=10**9, description="Another round than this")
    ] = None,
) -> schemas.Offer:
    """What is on offer now, named as an ask must name it; nothing is decided."""
    if at is not None and round_ is not None:
        raise Refused(422, "name a time or a round, one of them")
    when = at if round_ is None else round_
    found = await desk.read(
        who, lambda caller: caller.campaign(campaign).offer(arm, when).to_dict()
    )
    return schemas.Offer.model_validate(found)


@router.get("/campaigns/{campaign}/recommendation", responses=refusals(404))
async def recommendation(
    campaign: CampaignUid, who: Reader, desk: AtDesk
) -> schemas.Recommendation:
    """The arm taken to be the best."""
    arm = await desk.read(who, lambda caller: caller.campaign(campaign).recommend())
    return schemas.Recommendation(arm=arm)


@router.get("/campaigns/{campaign}/events", responses=refusals(404))
async def events(
    campaign: CampaignUid,
    who: Reader,
    desk: AtDesk,
    after: Annotated[int, Query(ge=0, le=10**15, description="Begin after this event")] = 0,
    limit: Annotated[int, Query(ge=1, le=_MOST)] = 100,
) -> schemas.Events:
    """The log, in order."""

    def do(caller: Caller) -> dict[str, Any]:
        found = list(islice(caller.campaign(campaign).events(after), limit + 1))
        more = len(found) > limit
        items = [event.to_dict() for event in found[:limit]]
        return {"items": items, "next": found[limit - 1].seq if more else None}

    return schemas.Events.model_validate(await desk.read(who, do))


@router.get(
    "/campaigns/{campaign}/export",
    response_class=StreamingResponse,
    responses={200: {"content": {NDJSON: {}}, "description": "lines of JSON"}, **refusals(404)},
)
async def export(campaign: CampaignUid, who: Reader, desk: AtDesk) -> StreamingResponse:
    """The whole log as lines of JSON; the last one holds the hash that seals it."""
    lines = await desk.read(who, lambda caller: caller.campaign(campaign).export())
    return StreamingResponse(lines, media_type=NDJSON)


@router.post(
    "/campaigns/{campaign}/move",
    response_class=StreamingResponse,
    responses={
        200: {"content": {NDJSON: {}}, "description": "lines of JSON"},
        **refusals(404, 409),
    },
)
async def move(
    campaign: CampaignUid, who: Admin, desk: AtDesk, key: Repeatable
) -> StreamingResponse:
    """Export a campaign that goes on where it is imported, and no longer here."""

    def do(caller: Caller) -> None:
        caller.campaign(campaign).export(move=True)

    await desk.write(who, do, campaigns=[campaign], key=key)
    return await export(campaign, who, desk)


async def _beginner(who: Author, desk: AtDesk) -> None:
    """Refuse whoever may begin no campaign; what they send is not read."""
    await desk.read(who, Caller.unlimited)


@router.post(
    "/imports",
    status_code=201,
    response_model=schemas.Outline,
    responses=refusals(409, 413, 415),
    openapi_extra={"requestBody": {"required": True, "content": {NDJSON: {}}}},
)
async def import_(
    request: Request,
    who: Author,
    desk: AtDesk,
    _: Annotated[None, Depends(_beginner)],  # before the key, which reads the whole body
    key: Repeatable,
    name: Annotated[str | None, Query(max_length=200, description="Another name for it")] = None,
) -> Response:
    """Bring in an exported campaign; it is verified on the way."""
    text = (await request.body()).decode("utf-8", errors="replace")

    def do(caller: Caller) -> dict[str, Any]:
        caller.unlimited()
        lines = iter(text.split("\n"))
        return outline(Campaign.import_(caller.store, lines, name, actor=caller.actor))

    return await desk.write_slowly(who, do, key=key, status=201)


@router.post("/campaigns/{campaign}/verification", responses=refusals(404))
async def verification(campaign: CampaignUid, who: Reader, desk: AtDesk) -> schemas.Verdict:
    """Replay the whole log and compare every decision."""
    found = await desk.study(who, lambda caller: caller.campaign(campaign).verify())
    return schemas.Verdict.model_validate(asdict(found))
