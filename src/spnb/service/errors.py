"""One shape for whatever is refused: ``{"error": {"code", "message", "hint"}}``."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.routing import Route

from spnb.base.errors import ConflictError, MissingError, SpnbError, StoreError
from spnb.base.words import printable, shown

log = logging.getLogger("spnb.service")

# What a client may make of each status; the message says it for this request.
CODES = {
    400: ("bad_request", "see the description of the API at /v1/openapi.json"),
    401: ("unauthorized", "send a token: 'Authorization: Bearer spnb_...' (spnb token new)"),
    403: ("forbidden", "use a token that is allowed to do this"),
    404: ("not_found", "check the id; GET /v1/campaigns lists those that this token reaches"),
    405: ("method_not_allowed", "see the description of the API at /v1/openapi.json"),
    409: ("conflict", "look at the campaign as it is now, then decide what to do"),
    413: ("too_large", "send less at a time"),
    415: ("unsupported_media_type", "send JSON, with 'Content-Type: application/json'"),
    422: ("invalid", "mend what the message names and send it again"),
    429: ("too_many_requests", "wait a minute"),
    500: ("internal", "report this, with the time: the server's log has the details"),
    503: ("unavailable", "try again: a request with the same Idempotency-Key is done only once"),
}


@dataclass
class Refused(Exception):  # noqa: N818 - what HTTP calls a response
    """A request that ends with this status."""

    status: int
    message: str
    hint: str | None = None
    headers: dict[str, str] | None = None


def error_body(status: int, message: str, hint: str | None = None) -> dict[str, Any]:
    """The one shape of an error."""
    code, usual = CODES.get(status, ("error", "see the description of the API at /v1/openapi.json"))
    return {"error": {"code": code, "message": printable(message), "hint": hint or usual}}


def refusal(error: Exception) -> Refused:
    """What HTTP makes of an error of ours."""
    if isinstance(error, Refused):
        return error
    if isinstance(error, ConflictError):
        return Refused(409, str(error))
    if isinstance(error, MissingError):
        return Refused(404, str(error))
    if isinstance(error, StoreError):
        log.warning("%s", error)  # where the store is, is nobody's business who asks
        return Refused(503, "the store cannot be used now", headers={"Retry-After": "1"})
    if isinstance(error, SpnbError):
        return Refused(422, str(error))
    if isinstance(error, RequestValidationError):
        return _not_understood(error)
    if isinstance(error, HTTPException):
        said = str(error.detail or HTTPStatus(error.status_code).phrase)
        return Refused(error.status_code, said, headers=dict(error.headers or {}))
    log.error("unforeseen", exc_info=error)
    return Refused(500, "something unforeseen happened")


def respond(refused: Refused) -> JSONResponse:
    """The response of a refusal."""
    body = error_body(refused.status, refused.message, refused.hint)
    return JSONResponse(body, refused.status, headers=refused.headers)


Answer = Callable[[Request, Refused], Response]


def install(app: FastAPI, answer: Answer) -> None:
    """Let every error of the app leave as this answers it."""

    async def handled(request: Request, error: Exception) -> Response:
        refused = refusal(error)
        if refused.status == 405:
            refused.headers = {"Allow": ", ".join(sorted(_methods(request)))}
        return answer(request, refused)

    for kind in (Refused, SpnbError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, handled)


def _methods(request: Request) -> set[str]:
    """All that may be done at a path; the framework tells only of the first route that fits."""
    path, found = request.scope["path"], set[str]()
    for route in request.app.routes:
        if isinstance(route, Route) and route.path_regex.match(path):
            found |= route.methods or set()
    return found | {"HEAD"} if "GET" in found else found


def _not_understood(error: RequestValidationError) -> Refused:
    finding = error.errors()[0]
    place = tuple(finding["loc"])
    if place == ("path", "campaign"):  # no campaign has such a uid
        return Refused(404, f"there is no campaign {shown(finding['input'])}")
    if finding["type"] == "json_invalid":
        before = str(error.body)[: place[-1]]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        return Refused(422, f"the body is not JSON (line {line}, column {column})")
    return Refused(422, sentence(finding))


def sentence(finding: Mapping[str, Any], whole: str = "the body") -> str:
    """One of Pydantic's findings in words; ``whole`` is what it looked at."""
    place = ".".join(str(part) for part in finding["loc"] if part != "body") or whole
    said = finding["msg"].removeprefix("Value error, ")  # before the words of our own checks
    return f"{place}: {said}"[:500]
