"""The application: routes, errors, limits, and one desk for each process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import Response

from spnb.base.version import own_version
from spnb.live.store import Store
from spnb.service import errors, pages
from spnb.service.alerts import watching
from spnb.service.desk import Desk
from spnb.service.limits import Limits
from spnb.service.pages.frame import is_page, refused_page
from spnb.service.pages.stream import ending_with
from spnb.service.quick import Quick
from spnb.service.routes import campaigns, days, health, hooks, records

_WORDS = """
Options are offered one after the other; at each offer spnb says *pull* or *pass*, and learns from
the rewards. Ask with `POST /v1/campaigns/{campaign}/decisions`, tell what came of a pull with
`POST /v1/campaigns/{campaign}/rewards`. Every request may be repeated: name the round (or the time)
and the decision, or send an `Idempotency-Key`.
"""


def create_app(store_url: str | None = None) -> FastAPI:
    """The service on the store of this URL (``SPNB_STORE``, or spnb.db here, if left out)."""

    @asynccontextmanager
    async def life(app: FastAPI) -> AsyncIterator[None]:
        app.state.desk = Desk(Store(store_url))
        try:
            async with watching(app.state.desk):
                with ending_with(app):
                    yield
        finally:
            app.state.desk.close()

    app = FastAPI(
        title="spnb",
        summary="Sequential Pull/No-pull Bandits",
        description=_WORDS,
        version=own_version(),
        lifespan=life,
        docs_url=None,  # its page would load scripts from elsewhere
        redoc_url=None,
        openapi_url="/v1/openapi.json",
    )
    errors.install(app, answer)
    routers = [module.router for module in (campaigns, days, records, hooks, health)]
    for router in [*routers, *pages.ROUTERS]:
        # Not included but taken over: who walks through the app's routes finds every one.
        app.router.routes.extend(router.routes)
    app.add_middleware(Quick, routes=days.router.routes, answer=answer)
    app.add_middleware(Limits, answer=answer)
    return app


def answer(request: Request, refused: errors.Refused) -> Response:
    """A refusal as the one who asked can read it: a person a page, a program JSON."""
    return refused_page(request, refused) if is_page(request) else errors.respond(refused)
