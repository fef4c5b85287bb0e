"""The form for a new campaign: typed, looked at, begun."""

import json

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from spnb.base.errors import SpnbError
from spnb.live.campaign import Campaign
from spnb.live.store.tokens import Token
from spnb.service.desk import Caller
from spnb.service.errors import Refused, refusal
from spnb.service.pages.draft import Draft, Preview, filled, preview_of
from spnb.service.pages.frame import Form, check_form, field, render
from spnb.service.routes.common import AtDesk, Author

router = APIRouter(include_in_schema=False)


@router.get("/new")
async def blank(request: Request, who: Author, desk: AtDesk) -> Response:
    """An empty form."""
    token = await desk.read(who, _beginner)
    return _form(request, token, Draft())


@router.post("/new")
async def typed(request: Request, who: Author, desk: AtDesk, form: Form) -> Response:
    """Fill the form in from a file, look at what it means, or begin."""
    token, draft, action = await desk.read(who, _beginner), Draft.typed(form), field(form, "do")
    try:
        check_form(request, form)
        if action == "fill":
            return _form(request, token, await filled(draft, form))
        preview = preview_of(draft)
        if action != "begin":
            return _form(request, token, draft, preview=preview)

        def do(caller: Caller) -> str:
            caller.unlimited()
            given = draft.arguments()
            return Campaign.create(caller.store, draft.name, actor=caller.actor, **given).uid

        answer = await desk.write(who, do)
    except (SpnbError, Refused) as error:
        refused = refusal(error)
        if refused.status not in (409, 422):
            raise
        return _form(request, token, draft, problem=refused.message, status=refused.status)
    return RedirectResponse(f"/campaigns/{json.loads(bytes(answer.body))}", 303)


def _beginner(caller: Caller) -> Token:
    caller.unlimited()
    return caller.token


def _form(
    request: Request,
    token: Token,
    draft: Draft,
    *,
    preview: Preview | None = None,
    problem: str | None = None,
    status: int = 200,
) -> Response:
    shown = {"draft": draft, "preview": preview, "problem": problem}
    return render(request, "new.html", token, status=status, **shown)
