"""Start the service: one process, or several that share the port."""

import gc
import os
import signal
import socket
import tempfile

from fastapi import FastAPI

from spnb.base.errors import SpecError, StoreError
from spnb.live.store import Store
from spnb.live.store.connect import chosen_url
from spnb.live.store.tokens import any_token
from spnb.service.access import is_loopback
from spnb.service.app import create_app
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


def listening(host: str, port: int) -> socket.socket:
    """The port, taken before anything is promised."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno else str(error)
        raise SpecError(f"cannot listen on {host}:{port} ({why}): try another --port") from None


def app() -> FastAPI:
    """The application of a process that does nothing else."""
    made = create_app()
    # What is there from the start stays to the end. Looked through for garbage again and again, it
    # would make all requests wait that are under way, a tenth of a second each time.
    gc.collect()
    gc.freeze()
    return made


def run(store_url: str | None, place: socket.socket, workers: int) -> None:
    """Serve until told to stop; what was acknowledged is durable."""
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    os.environ[_STORE] = chosen_url(store_url)  # for workers, which start anew
    for number in (signal.SIGINT, signal.SIGTERM):
        # Once it has stopped in good order, Uvicorn sends itself the signal that told it to.
        signal.signal(number, lambda *_: None)
    with tempfile.TemporaryDirectory() as folder, place:
        if workers > 1:
            os.environ[SHARED_FOLDER] = folder
        config = uvicorn.Config(
            "spnb.service.serve:app",
            factory=True,
            workers=workers,
            access_log=False,
            log_level="critical",
            timeout_graceful_shutdown=_GRACE,
            server_header=False,
        )
        server = uvicorn.Server(config)
        if workers > 1:
            Multiprocess(config, sockets=[place]).run()
            return
        server.run(sockets=[place])
        if not server.started:
            raise StoreError("the service could not start: the store cannot be used any more")
