"""Where tasks run: processes of this machine, or a Dask cluster."""

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, CancelledError, ProcessPoolExecutor
from contextlib import contextmanager
from logging.handlers import QueueHandler, QueueListener
from multiprocessing import get_context
from typing import Any

from spnb.base.errors import DataError
from spnb.base.extras import need
from spnb.engine.blocks import Workers, checked_workers
from spnb.paper.experiments.code import code_digest

ANSWER_WITHIN = 10  # seconds


@contextmanager
def local(workers: int) -> Iterator[Workers]:
    """One worker is this process itself, more are processes of their own."""
    count = checked_workers(workers)
    if not isinstance(count, int) or count == 1:
        yield count
        return
    # A fresh interpreter for each: a fork would copy the progress bar's thread in mid-stride.
    spawn = get_context("spawn")
    said: Any = spawn.Queue()
    with (
        _heard(said),
        ProcessPoolExecutor(
            count, mp_context=spawn, initializer=_serve, initargs=(os.getpid(), said)
        ) as pool,
    ):
        try:
            yield pool
        except BrokenExecutor:
            raise DataError(
                "a worker process died, perhaps for want of memory; finished parts are kept"
            ) from None
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextmanager
def _heard(said: Any) -> Iterator[None]:
    """Let this process have what the engine says in its workers, such as that it compiles."""
    listener = QueueListener(said, _Handed())
    listener.start()
    try:
        yield
    finally:
        listener.stop()


class _Handed(logging.Handler):
    """Hands a worker's record to whoever listens here."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = logging.getLogger(record.name)
        if logger.isEnabledFor(record.levelno):
            logger.handle(record)


def _serve(parent: int, said: Any) -> None:
    """Leave Ctrl-C to the parent, tell it what the engine says, and do not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    engine = logging.getLogger("spnb")
    engine.addHandler(QueueHandler(said))
    engine.setLevel(logging.INFO)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@contextmanager
def cluster(address: str) -> Iterator[Workers]:
    """The workers of a Dask cluster; they must run this very code."""
    need("cluster")
    from distributed import Client
    from distributed.scheduler import KilledWorker

    _hush("distributed")  # its failures are told below, in one line
    try:
        client: Any = Client(address, timeout=ANSWER_WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise DataError(f"no Dask cluster answers at {address}: {_first_line(error)}") from None
    try:
        _check_workers(client, address)
        yield client.get_executor(pure=False)
    except (CancelledError, KilledWorker) as error:
        raise DataError(
            f"lost the cluster at {address} ({type(error).__name__}); finished parts are kept"
        ) from None
    finally:
        client.close(timeout=ANSWER_WITHIN)


def _hush(package: str) -> None:
    for name in [*logging.root.manager.loggerDict]:
        if name.split(".")[0] == package:
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _check_workers(client: Any, address: str) -> None:
    try:
        codes: dict[str, str] = client.run(code_digest)
    except Exception as error:  # whatever a worker without spnb, or with another one, may raise
        raise DataError(
            f"the workers of {address} cannot run spnb: {_first_line(error)}"
        ) from error
    if not codes:
        raise DataError(f"the cluster at {address} has no workers")
    for worker, code in codes.items():
        if code != code_digest():
            raise DataError(
                f"the worker {worker} runs other code than this machine (digest {code} instead of "
                f"{code_digest()}): install the same spnb, NumPy, SciPy and Numba"
            )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
