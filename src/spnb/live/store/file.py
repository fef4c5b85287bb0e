"""The file beneath a store in SQLite, and whether it is still the one that is open.

Who has a file open goes on with it even after another one was moved into its place: what is then
written, and answered for, is in a file that nobody will ever see again.
"""

import threading
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.pool import StaticPool

from spnb.base.errors import StoreError
from spnb.live.store.address import shown
from spnb.live.store.migrate import ensure_schema

Mark = tuple[int, int]  # device and inode
_BESIDE = ("-wal", "-shm")  # files of SQLite that belong to one file, but are found by its name


class StoreFile:
    """The file that an engine's connections are open on; a server or memory has none."""

    def __init__(self, engine: Engine) -> None:
        in_file = engine.dialect.name == "sqlite" and not isinstance(engine.pool, StaticPool)
        self._engine, self._name = engine, shown(engine.url)
        self._path = Path(str(engine.url.database)).absolute() if in_file else None
        self._mark: Mark | None = None
        self._beside: dict[str, Mark | None] = {}
        self._turn = threading.Lock()

    def open(self, *, create: bool) -> None:
        """See that there is a store of this version, and remember in which file."""
        before = self._now()  # taken first: a file that comes after it will be noticed
        ensure_schema(self._engine, create=create)
        self._beside = self._found_beside()
        self._mark = before or self._now()

    def close(self) -> None:
        """Let go of it; whatever is there by the next time is the store."""
        self._mark, self._beside = None, {}
        self._engine.dispose()

    def current(self) -> Mark | None:
        """The file as it is now; if it is another one, connections are to that one from here on."""
        mark = self._now()
        return mark if mark == self._mark else self._renewed()

    def check(self, mark: Mark | None) -> None:
        """Refuse what was written while another file took the place of this one."""
        if self._now() != mark:
            raise StoreError(f"{self._name} was replaced while this was written: try again")

    def _renewed(self) -> Mark | None:
        with self._turn:
            mark = self._now()
            if mark == self._mark:  # somebody was faster
                return mark
            if mark is None:
                raise StoreError(
                    f"cannot use {self._name}: the file is no longer there; put it back"
                )
            self._refuse_left_over()
            self.close()
            self.open(create=False)
            return self._mark

    def _refuse_left_over(self) -> None:
        """SQLite would take what the old file's log holds for changes of the new file."""
        found = self._found_beside()
        # As long as this is refused the old files stay open: no other file can get their inodes.
        if any(mark and mark == self._beside.get(name) for name, mark in found.items()):
            raise StoreError(
                f"{self._name} was replaced, but the files -wal and -shm beside it still belong to "
                "the one before: remove these two"
            )

    def _found_beside(self) -> dict[str, Mark | None]:
        if self._path is None:
            return {}
        real = self._path.resolve()  # beside the file itself, not beside a link to it
        return {end: _mark(Path(f"{real}{end}")) for end in _BESIDE}

    def _now(self) -> Mark | None:
        return None if self._path is None else _mark(self._path)


def _mark(path: Path) -> Mark | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
