"""What the routes share: the desk, the key of a request, the campaign in the path."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Request

from spnb.service.access import Credentials, Needs
from spnb.service.desk import Desk, Key, key_of
from spnb.service.schemas import UID, Failure


def api(prefix: str, tag: str) -> APIRouter:
    """Routes of the API; each is named in its description as its function is here."""
    return APIRouter(
        prefix=prefix, tags=[tag], generate_unique_id_function=lambda route: route.name
    )


async def desk_of(request: Request) -> Desk:  # async: or it would be called in a thread
    """The desk of this process."""
    desk: Desk = request.app.state.desk
    return desk


AtDesk = Annotated[Desk, Depends(desk_of)]
Repeatable = Annotated[Key | None, Depends(key_of)]
Reader = Annotated[Credentials, Depends(Needs("read"))]
Author = Annotated[Credentials, Depends(Needs("write"))]
Admin = Annotated[Credentials, Depends(Needs("admin"))]
CampaignUid = Annotated[str, Path(alias="campaign", pattern=UID, examples=["9f2c41d07ab35e68"])]

_WORDS = {
    400: "this cannot be read",
    401: "no token, or not a good one",
    403: "the token does not allow this",
    404: "there is no such thing",
    409: "it is not so, or no longer",
    413: "too much at once",
    415: "not JSON",
    422: "it makes no sense",
    429: "too many failures to sign in",
    503: "the store cannot be used now",
}


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How a route may refuse, for the API's description."""
    all_of_them = {400, 401, 403, 422, 429, 503, *statuses}
    return {
        status: {"model": Failure, "description": _WORDS[status]} for status in sorted(all_of_them)
    }


_ABOUT_ONE = (
    "show", "status", "offer", "recommendation", "events", "export", "verification", "ask", "pause",
    "resume", "close", "void", "limit", "add_arm", "retire_arm", "delete",
)  # fmt: skip


def links_of_a_campaign() -> dict[str, Any]:
    """What can be done with a campaign that was just begun, for the API's description."""
    where = {"campaign": "$response.body#/uid"}
    return {name: {"operationId": name, "parameters": where} for name in _ABOUT_ONE}


def links_of_a_decision() -> dict[str, Any]:
    """What can be told of a decision, for the API's description."""
    where = {"campaign": "$request.path.campaign"}
    which = {"decision": "$response.body#/uid"}
    return {
        name: {"operationId": name, "parameters": where, "requestBody": which | extra}
        for name, extra in (("tell", {"reward": 1}), ("correct", {"reward": 0}), ("lose", {}))
    }
