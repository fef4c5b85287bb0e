"""Webhooks: where alerts about a campaign go."""

from typing import Any

from fastapi.responses import Response

from spnb.live.store import hooks
from spnb.service import schemas
from spnb.service.desk import Caller
from spnb.service.routes.common import Admin, AtDesk, CampaignUid, Repeatable, api, refusals

router = api("/v1/campaigns/{campaign}/hook", "alerts")


@router.put("", response_model=schemas.NewHook, responses=refusals(404, 409, 413, 415))
async def set_hook(
    campaign: CampaignUid, body: schemas.Hook, who: Admin, desk: AtDesk, key: Repeatable
) -> Response:
    """Send alerts there from now on; the secret they are signed with is shown this once."""

    def do(caller: Caller) -> dict[str, Any]:
        number = caller.campaign(campaign).number
        return {"url": body.url, "secret": hooks.set_hook(caller.store, number, body.url)}

    return await desk.write(who, do, campaigns=[campaign], key=key)


@router.get("", responses=refusals(404))
async def hook(campaign: CampaignUid, who: Admin, desk: AtDesk) -> schemas.CurrentHook:
    """Where alerts go."""
    url = await desk.read(
        who, lambda caller: hooks.hook_of(caller.store, caller.campaign(campaign).number)
    )
    return schemas.CurrentHook(url=url)


@router.delete("", status_code=204, responses=refusals(404, 409))
async def drop_hook(campaign: CampaignUid, who: Admin, desk: AtDesk, key: Repeatable) -> Response:
    """Send no more alerts."""

    def do(caller: Caller) -> None:
        hooks.drop_hook(caller.store, caller.campaign(campaign).number)

    await desk.write(who, do, campaigns=[campaign], key=key)
    return Response(status_code=204)
