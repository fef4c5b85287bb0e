import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from spnb.base.errors import DataError
from spnb.base.files import check_writable, write_text, write_whole


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "numbers.json"
    write_text(target, "old")

    def fail(draft: Path) -> None:
        draft.write_text("half")
        raise OSError(28, "No space left on device")

    with pytest.raises(DataError, match="cannot write .*: No space left on device"):
        write_whole(target, fail)

    def interrupt(draft: Path) -> None:
        draft.write_text("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(target, interrupt)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_outputs_are_refused_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(DataError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(DataError, match="does not exist"):
        check_writable(tmp_path / "no" / "file")
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write anywhere
    with pytest.raises(DataError, match="is not writable"):
        check_writable(tmp_path / "file")
    with pytest.raises(DataError, match="/dev/null: it is not writable"):
        check_writable(Path("/dev/null"))


def test_a_folder_that_takes_no_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(DataError, match="Permission denied"):
        write_text(tmp_path / "file", "text")


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_the_umask_counts_and_an_old_file_keeps_its_permissions(tmp_path: Path, mask: int) -> None:
    path, before = tmp_path / "file", os.umask(mask)
    try:
        write_text(path, "new")
        assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask
        path.chmod(0o640)
        write_text(path, "newer")
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    real, link = tmp_path / "there" / "real.txt", tmp_path / "link.txt"
    link.symlink_to("there/real.txt")
    write_text(link, "first")  # what it leads to need not be there yet
    write_text(link, "second")
    assert link.is_symlink()
    assert real.read_text() == "second"
    assert list((tmp_path / "there").iterdir()) == [real]
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(DataError, match="cannot write"):
        write_text(loop, "text")


def test_what_is_no_regular_file_is_written_straight_to(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write_text(pipe, "through the pipe")
    reader.join()
    assert heard == ["through the pipe"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_text(Path("/dev/null"), "gone")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    code = "from pathlib import Path; from spnb.base.files import write_text; "
    code += "write_text(Path('/dev/stdout'), 'printed')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "printed"


def test_it_is_on_the_disk_before_it_takes_the_old_ones_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, Path.replace

    def synced(handle: int) -> None:
        steps.append("sync")
        fsync(handle)

    def replaced(path: Path, other: Path) -> Path:
        steps.append("replace")
        return replace(path, other)

    monkeypatch.setattr("os.fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    write_text(tmp_path / "file", "text")
    assert steps == ["sync", "replace", "sync"]
