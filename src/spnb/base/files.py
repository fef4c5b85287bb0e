"""Files that are there whole or not at all."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from spnb.base.errors import DataError


def check_writable(path: Path) -> None:
    """Refuse an output that cannot be written before any work is done."""
    folder = path.parent
    if path.is_dir():
        raise DataError(f"cannot write {path}: it is a folder")
    if not folder.is_dir():
        raise DataError(f"cannot write {path}: the folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise DataError(f"cannot write {path}: the folder {folder} is not writable")


def write_whole(path: Path, write: Callable[[Path], None]) -> None:
    """Let ``write`` fill a file beside ``path``, then put it in place in one step."""
    check_writable(path)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
        os.close(handle)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error
    draft = Path(name)
    try:
        write(draft)
        draft.chmod(0o644)
        draft.replace(path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}") from error
    finally:
        draft.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    def write(draft: Path) -> None:
        draft.write_text(text, encoding="utf-8")

    write_whole(path, write)
