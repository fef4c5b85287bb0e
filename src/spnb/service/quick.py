"""A short way for the routes that nearly all requests go to: asks and rewards.

They are declared and described like all others. But the framework finds out anew for each request
what a route needs, which takes longer than to answer it; here that is done once, when the service
starts. Whatever is not plainly right goes the usual way, which says what is wrong.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple, get_type_hints

from fastapi import Request
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ValidationError
from starlette.routing import BaseRoute

from spnb.service.errors import Answer, refusal
from spnb.service.limits import App, Message, Receive, Scope, Send
from spnb.service.schemas import UID

_PATH = {"campaign": re.compile(UID)}  # what stands in a path


class Way(NamedTuple):
    """How to call a route; what it depends on is found in the request alone."""

    route: APIRoute
    body: type[BaseModel]
    needs: tuple[tuple[str, Callable[[Request], Awaitable[Any]]], ...]

    @classmethod
    def to(cls, route: APIRoute) -> "Way":
        """The way to a route with a body of JSON."""
        found = [(each.name or "", each.call) for each in route.dependant.dependencies]
        return cls(route, get_type_hints(route.endpoint)["body"], tuple(found))  # type: ignore[arg-type]  # all of ours are async


class Quick:
    """Answers asks and rewards, and leaves everything else to the app."""

    def __init__(self, app: App, routes: Sequence[BaseRoute], answer: Answer) -> None:
        self._app, self._answer = app, answer
        self._ways = [Way.to(route) for route in routes if isinstance(route, APIRoute)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] == "http" and scope["method"] == "POST":
            for way in self._ways:
                match = way.route.path_regex.match(scope["path"])
                named = match.groupdict() if match else {}
                if match and all(_PATH[name].fullmatch(text) for name, text in named.items()):
                    await self._go(way, named, scope, receive, send)
                    return
        await self._app(scope, receive, send)

    async def _go(
        self, way: Way, path: dict[str, str], scope: Scope, receive: Receive, send: Send
    ) -> None:
        scope["route"] = way.route  # for who counts requests
        request = Request(scope, receive)
        try:
            body = way.body.model_validate_json(await request.body())
        except ValidationError:
            await self._app(scope, _again(await request.body(), receive), send)
            return
        except Exception as error:
            response = self._answer(request, refusal(error))
        else:
            response = await self._response(way, request, {**path, "body": body})
        await response(scope, receive, send)

    async def _response(self, way: Way, request: Request, given: dict[str, Any]) -> Response:
        try:
            for name, need in way.needs:
                given[name] = await need(request)
            response: Response = await way.route.endpoint(**given)
        except Exception as error:
            return self._answer(request, refusal(error))
        return response


def _again(body: bytes, receive: Receive) -> Receive:
    """The same body for the next reader, and then whatever else comes."""
    first: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def received() -> Message:
        return first.pop() if first else await receive()

    return received
