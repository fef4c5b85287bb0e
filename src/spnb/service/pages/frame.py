"""What all pages share: templates, who is signed in, the mark of their forms, and errors."""

import hmac
import secrets
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.datastructures import FormData

from spnb.live import clock
from spnb.live.schedule import until_text
from spnb.live.store.tokens import Token
from spnb.report.picture import sign
from spnb.service.access import TOKEN, cookie_name, request_cookie
from spnb.service.errors import CODES, Refused

_FORM_COOKIE = "spnb_form"  # the secret of the forms of who has no token
_FOR_PROGRAMS = ("/v1", "/healthz", "/readyz", "/metrics")
_LARGEST_PART = 1024 * 1024

_templates = Environment(
    loader=PackageLoader("spnb.service"),
    autoescape=True,  # whatever others wrote is text, never markup
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters["plural"] = lambda count: "" if count == 1 else "s"
_templates.globals["sign"] = lambda state: drawn(sign(state))


def drawn(picture: str) -> Markup:
    """A picture of our own: what others wrote was escaped when it was drawn."""
    return Markup(picture)


def percent(share: float) -> str:
    """A probability as people read it: what is not certain is not called so."""
    if 0.995 <= share < 1:
        return "over 99 %"
    return "under 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


_templates.filters["percent"] = percent
_templates.filters["ending"] = lambda until: until_text(until, clock.now())


def is_page(request: Request) -> bool:
    """Whether a person asks, with a browser."""
    path: str = request.scope["path"]
    return not path.startswith(_FOR_PROGRAMS)


def render(
    request: Request, template: str, token: Token | None, *, status: int = 200, **shown: Any
) -> Response:
    """A page for the owner of this token."""
    secret = _secret(request)
    fresh = None if secret else secrets.token_urlsafe(32)
    text = _templates.get_template(template).render(
        token=token,
        signed_in=request_cookie(request, TOKEN) is not None,
        writes=token is not None and token.allows("write"),
        begins=token is not None and token.allows("write") and token.campaigns is None,
        form_mark=_mark(secret or fresh or ""),
        **shown,
    )
    response = HTMLResponse(text, status)
    if fresh:
        set_cookie(request, response, _FORM_COOKIE, fresh)
    return response


def set_cookie(request: Request, response: Response, name: str, value: str) -> None:
    """A cookie that scripts cannot read and other sites cannot send."""
    secure = request.scope["scheme"] == "https"
    called = cookie_name(request, name)
    response.set_cookie(called, value, httponly=True, secure=secure, samesite="strict", path="/")


async def sent_form(request: Request) -> AsyncIterator[FormData]:
    """What a form sent; its files are closed in the end."""
    try:
        form = await request.form(max_files=1, max_fields=100, max_part_size=_LARGEST_PART)
        "".join(text for text in form.values() if isinstance(text, str)).encode()
    except UnicodeError:  # whoever sends it chooses how it is to be read, and browsers do not
        raise Refused(400, "this form cannot be read: it is not in UTF-8") from None
    try:
        yield form
    finally:
        await form.close()


def check_form(request: Request, form: FormData) -> None:
    """Refuse a form that was not one of our own pages', made for this browser."""
    secret, given = _secret(request), field(form, "form_mark")
    if secret is None or not hmac.compare_digest(_mark(secret).encode(), given.encode()):
        raise Refused(422, "this form was out of date: here is a fresh one, please repeat")


Form = Annotated[FormData, Depends(sent_form)]


def field(form: FormData, name: str) -> str:
    """What was typed into a field, without blanks around."""
    value = form.get(name)
    return value.strip() if isinstance(value, str) else ""


def refused_page(request: Request, refused: Refused) -> Response:
    """An error, as a page; for who is not signed in, the one where that is done."""
    if refused.status == 401:
        said = {"back": request.scope["path"], "problem": None}
        return render(request, "sign_in.html", None, status=401, **said)
    _, usual = CODES.get(refused.status, ("error", ""))
    hint = refused.hint or _HINTS.get(refused.status, usual)
    said = {"message": refused.message, "hint": hint, "code": refused.status}
    path = request.scope["path"]
    response = render(request, "error.html", None, status=refused.status, path=path, **said)
    response.headers.update(refused.headers or {})
    return response


_HINTS = {
    403: "Sign in with a token that is allowed to do this.",
    404: "It may have been deleted, or your token does not reach it.",
    409: "Go back and look at it as it is now.",
    422: "Go back, mend it, and try again.",
    429: "Wait a minute.",
    503: "Wait a moment and try again.",
}


def _secret(request: Request) -> str | None:
    return request_cookie(request, TOKEN) or request_cookie(request, _FORM_COOKIE)


def _mark(secret: str) -> str:
    """What a form must bring along: nobody makes it up who has not seen the cookie."""
    return hmac.new(secret.encode(), b"a form of spnb", sha256).hexdigest()
