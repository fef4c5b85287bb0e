"""Files made to do harm: little memory, one clear line, and no escape to the terminal."""

import gzip
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

LIMIT_MB = 2500  # a bomb unpacked would take several times that; threads alone reserve hundreds


def bomb(path: Path, head: bytes, line: bytes, megabytes: int) -> None:
    block = line * (1_000_000 // len(line) + 1)
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(head)
        for _ in range(megabytes):
            file.write(block)


def numbered(path: Path, megabytes: int) -> None:
    """Rows that all differ: what is remembered of each of them adds up."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"t,a,v\n")
        number = 0
        for _ in range(megabytes):
            rows = [b"%d,a,1\n" % place for place in range(number, number + 80_000)]
            number += len(rows)
            file.write(b"".join(rows))


FILES: dict[str, tuple[Callable[[Path], None], list[str], str]] = {
    "wide": (lambda p: bomb(p, b"a,b\n", b"0,1\n", 200), ["table"], "more than 10000000 cells"),
    "columns": (
        lambda p: bomb(p, b",".join(b"c%d" % i for i in range(300)) + b"\n",
                       b",".join([b"1"] * 300) + b"\n", 200),
        ["table"],
        "more than 10000000 cells",
    ),
    "quote": (lambda p: bomb(p, b'a,b\n"0,1\n', b"0,1\n", 60), ["table"], "cannot read"),
    "field": (lambda p: bomb(p, b"a,b\n", b"0", 60), ["table"], "cannot read"),
    "encoded": (
        lambda p: bomb(p, b'a,b\n"0,1\n', b"0,1\n", 60),
        ["table", "--encoding", "latin-1"],
        "cannot read",
    ),
    "header": (lambda p: bomb(p, b"", b"a,", 60), ["table"], "cannot read"),
    "rounds": (
        lambda p: numbered(p, 15),
        ["table", "--round", "t", "--arm", "a", "--reward", "v"],
        "more than 1000000 labels",
    ),
    "articles": (
        lambda p: bomb(p, b"", b"".join(b"1 %d 0\n" % i for i in range(1_200_000)), 1),
        ["yahoo"],
        "more than 1000000 labels",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", FILES)
def test_a_small_file_that_unpacks_without_end_is_refused(tmp_path: Path, kind: str) -> None:
    make, words, said = FILES[kind]
    path = tmp_path / "file.csv.gz"
    make(path)
    command, *rest = words
    done = subprocess.run(
        [sys.executable, "-m", "spnb", "problem", command, str(path), *rest],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_DATA, (LIMIT_MB << 20, LIMIT_MB << 20)
        ),
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("spnb: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_escapes_and_markup_in_names_stay_text(tmp_path: Path) -> None:
    path = tmp_path / "[red]file.csv"
    path.write_text("\x1b[31mred,[bold]b[/bold],[/],$x^$\n" + "0,1,0,1\n1,0,1,0\n" * 5)
    figure = tmp_path / "figure.png"
    words = ["problem", "table", str(path), "--plot", str(figure), "-o", str(tmp_path / "p.json")]
    done = subprocess.run(
        [sys.executable, "-m", "spnb", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "\x1b" not in done.stdout
    for name in (r"\x1b[31mred", "[bold]b[/bold]", "[/]", "$x^$", "[red]file.csv"):
        assert name in done.stdout
    assert figure.stat().st_size > 1000


def test_files_read_in_one_go_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from spnb.base.errors import DataError
    from spnb.problems.readers import ProblemData
    from spnb.problems.readers.matrix import read_matrix

    monkeypatch.setattr("spnb.problems.readers.limits.MOST_BYTES", 100)
    path = tmp_path / "file"
    path.write_text("0,1\n" * 100)
    for read in (ProblemData.load, read_matrix):
        with pytest.raises(DataError, match="is too large: 400 bytes, at most 100 are read"):
            read(path)
