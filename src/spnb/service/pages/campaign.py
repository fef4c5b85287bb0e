"""A campaign's page, and what its buttons do."""

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse, Response
from starlette.datastructures import FormData

from spnb.base.errors import DataError, SpnbError
from spnb.live.campaign import Campaign
from spnb.live.store.tokens import Token
from spnb.service.access import Credentials
from spnb.service.desk import Caller, Desk
from spnb.service.errors import Refused, refusal
from spnb.service.metrics import metrics
from spnb.service.pages.frame import Form, check_form, field, render
from spnb.service.pages.view import View, view_of
from spnb.service.routes.common import AtDesk, Author, CampaignUid, Reader

router = APIRouter(prefix="/campaigns", include_in_schema=False)
_TURNS = ("pause", "resume", "close")


@router.get("/{campaign}")
async def page(
    request: Request,
    campaign: CampaignUid,
    who: Reader,
    desk: AtDesk,
    before: Annotated[int | None, Query(ge=2, le=10**15)] = None,
    arms: Annotated[str, Query(pattern="^(few|all)$")] = "few",
) -> Response:
    """Where the campaign stands, and what can be done now."""

    def do(caller: Caller) -> tuple[Token, View]:
        found = caller.campaign(campaign)
        return caller.token, view_of(found, before, every_arm=arms == "all")

    token, view = await desk.read(who, do)
    return render(request, "campaign.html", token, view=view, problem=None)


@router.post("/{campaign}/ask")
async def ask(
    request: Request, campaign: CampaignUid, who: Author, desk: AtDesk, form: Form
) -> Response:
    """Pull now? The form names the offer, so sending it twice means the same one."""

    def do(found: Campaign) -> None:
        arm, at = _offer(found, form)
        decision = found.ask(arm, at)
        metrics.asks.labels("pull" if decision.pull else "pass").inc()

    return await _act(request, campaign, who, desk, form, do)


@router.post("/{campaign}/tell")
async def tell(
    request: Request, campaign: CampaignUid, who: Author, desk: AtDesk, form: Form
) -> Response:
    """What came of a pull."""

    def do(found: Campaign) -> None:
        found.tell(_decision(form), **_worth(form))
        metrics.tells.labels("tell").inc()

    return await _act(request, campaign, who, desk, form, do)


@router.post("/{campaign}/correct")
async def correct(
    request: Request, campaign: CampaignUid, who: Author, desk: AtDesk, form: Form
) -> Response:
    """Another reward in the place of a wrong one; or there was none."""

    def do(found: Campaign) -> None:
        lost = field(form, "lost") == "yes"
        found.correct(_decision(form), **({"lost": True} if lost else _worth(form)))
        metrics.tells.labels("correct").inc()

    return await _act(request, campaign, who, desk, form, do)


@router.post("/{campaign}/lost")
async def lost(
    request: Request, campaign: CampaignUid, who: Author, desk: AtDesk, form: Form
) -> Response:
    """Nobody waits for this reward any longer."""

    def do(found: Campaign) -> None:
        found.lost(_decision(form))
        metrics.tells.labels("lost").inc()

    return await _act(request, campaign, who, desk, form, do)


@router.post("/{campaign}/turn")
async def turn(
    request: Request, campaign: CampaignUid, who: Author, desk: AtDesk, form: Form
) -> Response:
    """Pause, resume or close."""

    def do(found: Campaign) -> None:
        verb = field(form, "to")
        if verb not in _TURNS:
            raise Refused(422, f"a campaign can {', '.join(_TURNS)}, got {verb!r}")
        getattr(found, verb)()

    return await _act(request, campaign, who, desk, form, do)


@router.post("/{campaign}/limit")
async def limit(
    request: Request, campaign: CampaignUid, who: Author, desk: AtDesk, form: Form
) -> Response:
    """How long to wait for a reward, from now on."""

    def do(found: Campaign) -> None:
        found.give_up_after(field(form, "lost_after"))

    return await _act(request, campaign, who, desk, form, do)


async def _act(
    request: Request,
    uid: str,
    who: Credentials,
    desk: Desk,
    form: FormData,
    do: Callable[[Campaign], None],
) -> Response:
    """Do it and show the page anew; what is refused is said on the page, and nothing happened."""
    token = await desk.read(who, lambda caller: (caller.campaign(uid), caller.token)[1])
    try:
        check_form(request, form)
        await desk.write(who, lambda caller: do(caller.campaign(uid)), campaigns=[uid])
    except (SpnbError, Refused) as error:
        refused = refusal(error)
        if refused.status not in (409, 422):
            raise
        view = await desk.read(who, lambda caller: view_of(caller.campaign(uid)))
        said = {"view": view, "problem": refused.message}
        return render(request, "campaign.html", token, status=refused.status, **said)
    return RedirectResponse(f"/campaigns/{uid}", 303)


def _offer(campaign: Campaign, form: FormData) -> tuple[str | None, int | None]:
    """The offer that a form names: the arm, and without a schedule the round."""
    if campaign.config.schedule is not None:
        return field(form, "arm") or None, None
    round_, _, arm = field(form, "offer").partition(" ")
    if not round_.isdecimal() or len(round_) > 10:
        raise DataError("say which arm is on offer, and in which round")
    return arm, int(round_)


def _decision(form: FormData) -> str:
    number = field(form, "decision")
    if not number:  # the latest pull may be another one by now
        raise DataError("say which decision is meant")
    return number


def _worth(form: FormData) -> dict[str, Any]:
    """The reward, value or count that was typed; a comma will do for the point."""
    names = ("reward", "value", "wins", "trials")
    given = {name: field(form, name).replace(",", ".") for name in names}
    return {name: text for name, text in given.items() if text} or {"reward": ""}
