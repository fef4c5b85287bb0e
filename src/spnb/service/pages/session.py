"""Sign in with a token, sign out."""

import re
from dataclasses import replace

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from spnb.live.store.tokens import Token
from spnb.service.access import TOKEN, check_origin, cookie_name, credentials_of
from spnb.service.desk import Caller
from spnb.service.errors import Refused
from spnb.service.pages.frame import Form, check_form, field, render, set_cookie
from spnb.service.routes.common import AtDesk

router = APIRouter(include_in_schema=False)
_HERE = re.compile(r"/(campaigns/[0-9a-f]{16}|new)?")


@router.get("/sign-in")
async def ask(
    request: Request, desk: AtDesk, back: str = "/", *, another: bool = False
) -> Response:
    """The form; who is known already need not fill it in, unless with another token."""
    try:
        await desk.read(credentials_of(request, "read"), _token)
    except Refused as refused:
        if refused.status != 401:
            raise
    else:
        if not another:
            return RedirectResponse(_safe(back), 303)
    return render(request, "sign_in.html", None, back=_safe(back), problem=None)


@router.post("/sign-in")
async def sign_in(request: Request, form: Form, desk: AtDesk) -> Response:
    """A good token becomes a cookie."""
    given, back = field(form, "token"), _safe(field(form, "back"))
    who = replace(credentials_of(request, "read"), text=given)
    try:
        check_form(request, form)
        await desk.read(who, _token)
    except Refused as refused:
        said = {"back": back, "problem": refused.message}
        response = render(request, "sign_in.html", None, status=refused.status, **said)
        response.headers.update(refused.headers or {})
        return response
    signed_in = RedirectResponse(back, 303)
    set_cookie(request, signed_in, TOKEN, given)
    return signed_in


@router.post("/sign-out")
async def sign_out(request: Request, form: Form) -> Response:
    """The browser forgets the token."""
    check_origin(request)
    check_form(request, form)
    response = RedirectResponse("/sign-in", 303)
    name = cookie_name(request, TOKEN)
    response.delete_cookie(name, path="/", httponly=True, samesite="strict")
    return response


def _token(caller: Caller) -> Token:
    return caller.token


def _safe(back: str) -> str:
    """Where to go on, if it is one of our pages."""
    return back if _HERE.fullmatch(back) else "/"
