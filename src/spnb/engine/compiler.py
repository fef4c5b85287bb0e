"""The compiler's one door: a plain loop as machine code, kept on disk where that is safe.

Code on disk is run by whoever loads it, so it is kept in a folder that only its owner can write
to, under a digest of everything that went into it, and sealed: what was damaged is compiled anew.
"""

import hashlib
import json
import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import FunctionType
from typing import Any

from platformdirs import user_cache_path

from spnb.base.errors import SpnbError

log = logging.getLogger("spnb.compiler")
FOLDER = "SPNB_CACHE_DIR"
SEAL = "seal.json"

_ready: dict[Any, Callable[..., Any]] = {}
_one_at_a_time = RLock()


class CannotCompileError(SpnbError):
    """Numba refuses this code; it can be run in plain Python."""


def arguments(*values: Any) -> list[Any]:
    """Parameters and batches as compiled code takes them."""
    from spnb.engine.native import Argument

    return [Argument(value) for value in values]


def is_ready(loop: Callable[..., Any], args: list[Any]) -> bool:
    """Whether this process has the code already."""
    return _address(loop, args) in _ready


def compiled(loop: Callable[..., Any], name: str, args: list[Any]) -> Callable[..., Any]:
    """Machine code of ``loop`` for these arguments and two whole numbers; ``name`` is told."""
    address = _address(loop, args)
    with _one_at_a_time:
        if address not in _ready:
            _ready[address] = _made(loop, name, args)
        return _ready[address]


def _address(loop: Callable[..., Any], args: list[Any]) -> Any:
    return loop, tuple(arg.type for arg in args)


def _made(loop: Callable[..., Any], name: str, args: list[Any]) -> Callable[..., Any]:
    from numba import njit, types

    from spnb.engine.native import OPTIONS, introduce
    from spnb.engine.reach import digest

    introduce(loop)
    kinds = (*(arg.type for arg in args), types.int64, types.int64)
    mark = hashlib.sha256(repr((digest(loop), kinds)).encode()).hexdigest()[:24]
    folder = _private(mark)
    if folder is None or not _sealed(folder):
        log.info("compiling %s, once after installation", name)
    try:
        if folder is not None:
            with _numba_keeps_in(folder):
                return _sealing(folder, njit(cache=True, nogil=True, **OPTIONS)(_own(loop)), kinds)
    except Exception:  # no room on the disk, or worse: what was kept there is of no use
        log.debug("the code of %s could not be kept or read", name, exc_info=True)
    try:
        code = njit(nogil=True, **OPTIONS)(_own(loop))
        code.compile(kinds)
    except Exception as error:  # Numba has many kinds; nothing but compiling happens here
        why = str(error).strip().splitlines()
        raise CannotCompileError(
            f"{name} cannot be compiled: {why[-1] if why else error}"
        ) from error
    return code


def _own(loop: Any) -> Any:
    """A function of its own: Numba writes down on it what it has compiled."""
    return FunctionType(loop.__code__, loop.__globals__, loop.__name__)


def _private(mark: str) -> Path | None:
    """A folder for one piece of code that only this user can write to; None if there is none."""
    root = Path(os.environ.get(FOLDER) or user_cache_path("spnb")) / "code"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid"):
            found = root.stat()
            if found.st_uid != os.getuid() or found.st_mode & 0o022:
                return None
        folder = root / mark
        if folder.exists() and not _sealed(folder):
            shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        return None
    return folder


@contextmanager
def _numba_keeps_in(folder: Path) -> Iterator[None]:
    """Numba looks up where to keep code when a function is decorated, and never again."""
    from numba import config

    before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def _sealing(folder: Path, code: Any, kinds: tuple[Any, ...]) -> Callable[..., Any]:
    code.compile(kinds)  # or read from the folder
    if not _sealed(folder):
        whole = folder / f"{SEAL}.{os.getpid()}"
        whole.write_text(json.dumps(_sums(folder)), encoding="utf-8")
        whole.replace(folder / SEAL)
    return code


def _sealed(folder: Path) -> bool:
    """Whether everything in the folder is as it was when it was sealed."""
    try:
        return bool(json.loads((folder / SEAL).read_bytes()) == _sums(folder))
    except (OSError, ValueError):
        return False


def _sums(folder: Path) -> dict[str, str]:
    kept = (path for path in sorted(folder.rglob("*")) if path.suffix in (".nbi", ".nbc"))
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in kept}
