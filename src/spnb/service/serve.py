"""Start the service: one process, or several that share the port."""

import os
import tempfile

from spnb.base.errors import SpecError
from spnb.live.store import Store
from spnb.live.store.connect import chosen_url
from spnb.live.store.tokens import any_token
from spnb.service.access import is_loopback
from spnb.service.metrics import SHARED_FOLDER

_STORE = "SPNB_STORE"
_GRACE = 10  # seconds for requests that are under way when the service stops


def check(store_url: str | None, host: str) -> bool:
    """Refuse to listen to others before there is a token; whether the service is open to all."""
    with Store(store_url) as store:
        if store.in_memory:
            raise SpecError("a service needs a store that lasts: sqlite:///file.db or PostgreSQL")
        closed = any_token(store)
    if not closed and not is_loopback(host):
        raise SpecError(
            f"anybody could use a service at {host} without a token: make one first "
            "(spnb token new NAME), or listen on 127.0.0.1"
        )
    return not closed


def run(store_url: str | None, host: str, port: int, workers: int) -> None:
    """Serve until told to stop; what was acknowledged is durable."""
    import uvicorn

    os.environ[_STORE] = chosen_url(store_url)  # for workers, which start anew
    with tempfile.TemporaryDirectory() as folder:
        if workers > 1:
            os.environ[SHARED_FOLDER] = folder
        uvicorn.run(
            "spnb.service.app:create_app",
            factory=True,
            host=host,
            port=port,
            workers=workers,
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=_GRACE,
            server_header=False,
        )
