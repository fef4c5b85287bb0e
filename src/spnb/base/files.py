"""Files that are there whole or not at all."""

import os
import secrets
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from spnb.base.errors import DataError


def check_writable(path: Path) -> None:
    """Refuse an output that cannot be written before any work is done."""
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder")
    if _is_special(path):
        if not os.access(path, os.W_OK):
            raise DataError(f"cannot write {path}: it is not writable")
        return
    folder = _target(path).parent
    if not folder.is_dir():
        raise DataError(f"cannot write {path}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise DataError(f"cannot write {path}: the folder {folder} is not writable")


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a file beside ``path``, then put it in place in one step.

    What is no regular file (a pipe, a terminal) is written straight to: it cannot be replaced.
    """
    check_writable(path)
    try:
        if _is_special(path):
            write(path)
        else:
            _replace(_target(path), write)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from error


def write_text(path: Path, text: str) -> None:
    def write(draft: Path) -> None:
        draft.write_text(text, encoding="utf-8")

    write_whole(path, write)


def _replace(path: Path, write: Callable[[Path], None]) -> None:
    draft = path.with_name(f".{secrets.token_hex(8)}{path.suffix}")
    # Made by the system, so that the umask of the user counts.
    os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
    try:
        with suppress(FileNotFoundError):
            draft.chmod(stat.S_IMODE(path.stat().st_mode))  # an old file keeps its permissions
        write(draft)
        _sync(draft)
        draft.replace(path)
        _sync(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """See that it is on the disk before anybody relies on it."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _target(path: Path) -> Path:
    """The file itself, where ``path`` is a link to it."""
    try:
        return path.resolve() if path.is_symlink() else path
    except (OSError, RuntimeError):
        raise DataError(f"cannot write {path}: its links lead nowhere") from None


def _is_special(path: Path) -> bool:
    """A pipe, a device, or a handle of this process such as /dev/stdout."""
    handle = path.is_absolute() and path.parts[1:2] in (("dev",), ("proc",))
    return path.exists() and (handle or not path.is_file())
