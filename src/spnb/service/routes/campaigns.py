"""Campaigns: begun, listed, steered, ended."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from spnb.live.campaign import Campaign, Config
from spnb.live.campaign.config import PATIENCE, check_name
from spnb.live.learner import FORM
from spnb.live.schedule import Schedule
from spnb.service import schemas
from spnb.service.desk import Caller
from spnb.service.errors import Refused
from spnb.service.routes.common import (
    Admin,
    AtDesk,
    Author,
    CampaignUid,
    Reader,
    Repeatable,
    api,
    links_of_a_campaign,
    refusals,
)

router = api("/v1/campaigns", "campaigns")
_MOST = 200


def outline(campaign: Campaign) -> dict[str, Any]:
    """A campaign in a few words, with its uid."""
    return {"uid": campaign.uid, **asdict(campaign.outline())}


@router.post(
    "",
    status_code=201,
    response_model=schemas.Outline,
    responses={
        201: {"description": "it has begun", "links": links_of_a_campaign()},
        **refusals(409, 413, 415),
    },
)
async def create(body: schemas.NewCampaign, who: Author, desk: AtDesk, key: Repeatable) -> Response:
    """Begin a campaign."""

    def do(caller: Caller) -> dict[str, Any]:
        caller.unlimited()
        if body.config is not None:
            check_name("the name of a campaign", body.name)
            if body.model_fields_set != {"name", "config"}:
                raise Refused(422, "config says everything: give nothing beside it but the name")
            # Whatever decides where it comes from, newer or older: here a new learner begins.
            config = Config.from_dict({**body.config, "form": FORM, "patience": PATIENCE})
            return outline(Campaign.begin(caller.store, body.name, config, actor=caller.actor))
        given = body.model_dump(exclude={"name", "schedule", "config"})
        if (body.arms is None) == (body.schedule is None):
            raise Refused(422, "give either arms or a schedule, one of them")
        if body.schedule is not None:
            given["schedule"] = Schedule.parse(*body.schedule.model_dump().values())
        return outline(Campaign.create(caller.store, body.name, actor=caller.actor, **given))

    return await desk.write(who, do, key=key, status=201)


@router.get("", responses=refusals())
async def page(
    who: Reader,
    desk: AtDesk,
    name: Annotated[str | None, Query(max_length=200, description="Only the one so named")] = None,
    after: Annotated[str, Query(max_length=200, description="Begin after this name")] = "",
    limit: Annotated[int, Query(ge=1, le=_MOST)] = 50,
) -> schemas.Page:
    """The campaigns that the token reaches, by name."""

    def do(caller: Caller) -> dict[str, Any]:
        with caller.store.reading() as tx:
            names = tx.names() if name is None else [name]
        names = [each for each in names if each > after and caller.token.reaches(each)]
        found = [caller.named(each) for each in names[:limit]]
        items = [outline(each) for each in found if each is not None]
        return {"items": items, "next": names[limit - 1] if len(names) > limit else None}

    return schemas.Page.model_validate(await desk.read(who, do))


@router.get("/{campaign}", responses=refusals(404))
async def show(campaign: CampaignUid, who: Reader, desk: AtDesk) -> dict[str, Any]:
    """What a campaign was begun with, and where it stands."""

    def do(caller: Caller) -> dict[str, Any]:
        found = caller.campaign(campaign)
        now = {"uid": found.uid, "latest_pull": found.latest_pull()}
        return {**found.config.to_dict(), **outline(found), **now}

    return await desk.read(who, do)


@router.delete("/{campaign}", status_code=204, responses=refusals(404, 409))
async def delete(
    campaign: CampaignUid,
    seal: Annotated[
        str, Query(pattern="^[0-9a-f]{64}$", description="The hash that the last export ends with")
    ],
    who: Admin,
    desk: AtDesk,
    key: Repeatable,
) -> Response:
    """Take a campaign out of the store; who has exported it may do so."""

    def do(caller: Caller) -> None:
        caller.campaign(campaign).delete(seal)

    await desk.write(who, do, campaigns=[campaign], key=key)
    return Response(status_code=204)


def _turned(verb: str) -> Any:
    async def turn(
        campaign: CampaignUid, who: Author, desk: AtDesk, key: Repeatable
    ) -> schemas.Outline:
        def do(caller: Caller) -> dict[str, Any]:
            found = caller.campaign(campaign)
            getattr(found, verb)()
            return outline(found)

        return await desk.write(who, do, campaigns=[campaign], key=key)  # type: ignore[return-value]  # a response, described by its model

    return turn


_TURNS = {
    "pause": "Answer every new offer with pass, until resumed.",
    "resume": "Go on after a pause.",
    "close": "No more pulls, ever; rewards are still accepted.",
    "void": "Undo a jump many rounds ahead, if nothing was pulled since.",
}
for _verb, _words in _TURNS.items():
    router.post(
        f"/{{campaign}}/{_verb}", name=_verb, description=_words, responses=refusals(404, 409)
    )(_turned(_verb))


@router.post(
    "/{campaign}/limit", response_model=schemas.Outline, responses=refusals(404, 409, 413, 415)
)
async def limit(
    campaign: CampaignUid, body: schemas.Limit, who: Author, desk: AtDesk, key: Repeatable
) -> Response:
    """From now on give up on a reward that has not come by then."""

    def do(caller: Caller) -> dict[str, Any]:
        found = caller.campaign(campaign)
        found.give_up_after(body.lost_after)
        return outline(found)

    return await desk.write(who, do, campaigns=[campaign], key=key)


@router.post(
    "/{campaign}/arms",
    status_code=201,
    response_model=schemas.Outline,
    responses=refusals(404, 409, 413, 415),
)
async def add_arm(
    campaign: CampaignUid, body: schemas.NewArm, who: Author, desk: AtDesk, key: Repeatable
) -> Response:
    """Offer one more arm from the next round on."""

    def do(caller: Caller) -> dict[str, Any]:
        found = caller.campaign(campaign)
        found.add_arm(body.arm, before=body.before, slot=body.slot)
        return outline(found)

    return await desk.write(who, do, campaigns=[campaign], key=key, status=201)


@router.delete("/{campaign}/arms", response_model=schemas.Outline, responses=refusals(404, 409))
async def retire_arm(
    campaign: CampaignUid,
    arm: Annotated[str, Query(max_length=200)],
    who: Author,
    desk: AtDesk,
    key: Repeatable,
) -> Response:
    """Offer an arm no longer, from the next round on."""

    def do(caller: Caller) -> dict[str, Any]:
        found = caller.campaign(campaign)
        found.retire_arm(arm)
        return outline(found)

    return await desk.write(who, do, campaigns=[campaign], key=key)
