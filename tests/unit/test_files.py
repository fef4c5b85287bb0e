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


def test_a_folder_that_takes_no_file_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(DataError, match="Permission denied"):
        write_text(tmp_path / "file", "text")
