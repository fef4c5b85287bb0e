"""``spnb reproduce`` as a person types it."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from reproduction.tiny import Tiny
from spnb.cli import app
from spnb.paper.experiments import pools, settings


def spnb(monkeypatch: pytest.MonkeyPatch, *words: object) -> int:
    monkeypatch.setattr(sys, "argv", ["spnb", *map(str, words)])
    with pytest.raises(SystemExit) as left:
        app.main()
    return int(left.value.code or 0)


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "Settings", Tiny)


def test_it_runs_prints_verdicts_and_writes_everything(
    tiny: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "new" / "folder"
    assert spnb(monkeypatch, "reproduce", "water", "--workers", 1, "--out", out) == 0
    told = capsys.readouterr()
    assert "Seq(UCBE) requires a lower number of rounds" in told.out
    assert "water: computed in" in told.err
    assert json.loads((out / "claims.json").read_text())[0]["id"] == "W1"
    assert spnb(monkeypatch, "reproduce", "water", "--workers", 1, "--out", out) == 0
    assert "water: reused" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--c", "1,x"), "--c must be numbers with commas between, got '1,x'"),
        (("--c", ""), "--c must be numbers"),
        (("--c", "-1"), "--c must be numbers > 0"),
        (("fig1",), "unknown part 'fig1'"),
        (("rm", "--runs", "0"), "--runs must be at least 2"),
        (("rm", "--seed", "-3"), "seed must be a whole number >= 0"),
        (("rm", "--workers", "0"), "workers must be a whole number >= 1"),
        (("yahoo", "--yahoo", "missing.gz"), "missing.gz: no such file"),
        (("water", "--water", "missing.csv"), "missing.csv: No such file"),
        (("rm", "--out", __file__), "cannot use the folder"),
    ],
)
def test_what_makes_no_sense_is_one_line_and_exit_code_2(
    words: tuple[Any, ...],
    why: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert spnb(monkeypatch, "reproduce", *words) == 2
    told = capsys.readouterr().err
    assert why in told
    assert len(told.strip().splitlines()) == 1
    assert not list(tmp_path.rglob("*.json"))


def test_a_malformed_day_file_is_one_line_and_leaves_earlier_results(
    tiny: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    day = tmp_path / "day.gz"
    day.write_bytes(b"\x1f\x8b not gzip at all")
    earlier = tmp_path / "results" / "yahoo.json"
    earlier.parent.mkdir()
    earlier.write_text("earlier")
    assert spnb(monkeypatch, "reproduce", "yahoo", "--yahoo", day, "--out", tmp_path) == 2
    assert "day.gz" in capsys.readouterr().err
    assert earlier.read_text() == "earlier"


def test_a_cluster_that_does_not_answer(
    tiny: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(pools, "ANSWER_WITHIN", 1)
    words = ("reproduce", "rm", "--cluster", "tcp://127.0.0.1:1", "--out", tmp_path)
    assert spnb(monkeypatch, *words) == 2
    assert "no Dask cluster answers at tcp://127.0.0.1:1" in capsys.readouterr().err


def test_a_cluster_without_the_package(
    tiny: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    words = ("reproduce", "rm", "--cluster", "tcp://127.0.0.1:1", "--out", tmp_path)
    assert spnb(monkeypatch, *words) == 2
    assert "pip install 'spnb[cluster]'" in capsys.readouterr().err


def test_ctrl_c_says_what_is_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def interrupted(*args: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("spnb.paper.reproduce.reproduce", interrupted)
    monkeypatch.setattr("spnb.paper.beyond.run.beyond", interrupted)
    for part in ("rm", "beyond"):
        assert spnb(monkeypatch, "reproduce", part, "--out", tmp_path) == 130
        said = capsys.readouterr().err.replace("\n", " ")
        assert "interrupted; finished parts are kept" in said
        assert "nothing was written" not in said
