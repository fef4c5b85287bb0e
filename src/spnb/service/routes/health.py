"""For whoever keeps the service running: is it alive, is it ready, how busy is it?"""

from fastapi.responses import Response

from spnb.service.desk import Caller
from spnb.service.metrics import metrics
from spnb.service.routes.common import AtDesk, Reader, api, refusals

router = api("", "health")
_PROMETHEUS = "text/plain"
OPEN = {"/healthz", "/readyz"}  # for load balancers, which have no token


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz", responses={503: refusals()[503]})
async def readyz(desk: AtDesk) -> dict[str, str]:
    """The store answers too."""
    await desk.ready()
    return {"status": "ready"}


@router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"content": {_PROMETHEUS: {}}, "description": "lines of text"}, **refusals()},
)
async def numbers(who: Reader, desk: AtDesk) -> Response:
    """Counters and latencies, for Prometheus."""

    def do(caller: Caller) -> int:
        caller.unlimited()
        with caller.store.reading() as tx:
            return tx.count_pending()

    metrics.pending.set(await desk.read(who, do))
    return Response(metrics.text(), media_type=f"{_PROMETHEUS}; version=0.0.4")
