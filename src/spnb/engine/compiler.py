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
from tempfile import mkdtemp
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


def kept_code() -> bool:
    """Whether any code was ever compiled and kept on this machine."""
    root = _private_folder()
    return root is not None and any(root.iterdir())


def is_ready(loop: Callable[..., Any], args: list[Any]) -> bool:
    """Whether this process has the code already."""
    return _address(loop, args) in _ready


def compiled(loop: Callable[..., Any], name: str, args: list[Any]) -> Callable[..., Any]:
    """Machine code of ``loop`` for these arguments and whole numbers; ``name`` is told."""
    address = _address(loop, args)
    with _one_at_a_time:
        if address not in _ready:
            _ready[address] = _made(loop, name, args)
        return _ready[address]


def _address(loop: Callable[..., Any], args: list[Any]) -> Any:
    return loop, tuple(arg.type for arg in args)


def _made(loop: Callable[..., Any], name: str, args: list[Any]) -> Callable[..., Any]:
    from numba import types

    from spnb.engine.native import introduce
    from spnb.engine.reach import digest

    introduce(loop)
    numbers = loop.__code__.co_argcount - len(args)
    kinds = (*(arg.type for arg in args), *[types.int64] * numbers)
    mark = hashlib.sha256(repr((digest(loop), kinds)).encode()).hexdigest()[:24]
    root = _private_folder()
    try:
        if root is not None and _sealed(root / mark):
            return _njit(loop, kinds, root / mark)
    except Exception:  # written by a Numba that was built otherwise, say: it is of no use
        log.debug("the kept code of %s could not be read", name, exc_info=True)
    log.info("compiling %s, once after installation", name)
    try:
        return _njit(loop, kinds, None) if root is None else _keep(loop, kinds, root, mark)
    except Exception as error:  # Numba has many kinds; nothing but compiling happens here
        raise CannotCompileError(f"{name} cannot be compiled: {_why(error)}") from error


def _njit(loop: Any, kinds: tuple[Any, ...], folder: Path | None) -> Callable[..., Any]:
    """Compile, or read what is kept in the folder."""
    from numba import njit

    from spnb.engine.native import OPTIONS

    # A function of its own: Numba writes down on it what it has compiled.
    own = FunctionType(loop.__code__, loop.__globals__, loop.__name__)
    with _numba_keeps_in(folder):
        code = njit(cache=folder is not None, nogil=True, **OPTIONS)(own)
        code.compile(kinds)
    return code


def _keep(loop: Any, kinds: tuple[Any, ...], root: Path, mark: str) -> Callable[..., Any]:
    """Compile into a folder of this process's own, seal it, and put it in its place."""
    draft = Path(mkdtemp(dir=root))
    try:
        code = _njit(loop, kinds, draft)
        (draft / SEAL).write_text(json.dumps(_sums(draft)), encoding="utf-8")
        shutil.rmtree(root / mark, ignore_errors=True)  # damaged, or there would be no draft
        draft.rename(root / mark)
    except OSError:  # no room on the disk, or somebody was faster
        log.debug("%s could not be kept", mark, exc_info=True)
        code = _njit(loop, kinds, None)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return code


def _why(error: Exception) -> str:
    """The one line of Numba's many that says what it does not like."""
    lines = [line.strip() for line in str(error).splitlines()]
    telling = [line for line in lines if "rror:" in line or line.startswith(("Unknown", "Use of"))]
    return (telling or [line for line in lines if line] or [repr(error)])[-1 if telling else 0]


def _private_folder() -> Path | None:
    """A folder that only this user can write to; None if there is none."""
    root = Path(os.environ.get(FOLDER) or user_cache_path("spnb")) / "code"
    try:
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = root.stat()
    except OSError:
        return None
    foreign = hasattr(os, "getuid") and found.st_uid != os.getuid()
    writable_by_others = os.name == "posix" and found.st_mode & 0o022
    return None if foreign or writable_by_others or not os.access(root, os.W_OK) else root


@contextmanager
def _numba_keeps_in(folder: Path | None) -> Iterator[None]:
    """Numba looks up where to keep code when a function is decorated, and never again."""
    from numba import config

    before, config.CACHE_DIR = config.CACHE_DIR, str(folder or "")
    try:
        yield
    finally:
        config.CACHE_DIR = before


def _sealed(folder: Path) -> bool:
    """Whether everything in the folder is as it was when it was sealed."""
    try:
        sums = _sums(folder)
        return bool(sums) and json.loads((folder / SEAL).read_bytes()) == sums
    except (OSError, ValueError):
        return False


def _sums(folder: Path) -> dict[str, str]:
    kept = (path for path in sorted(folder.rglob("*")) if path.suffix in (".nbi", ".nbc"))
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest() for p in kept}
