"""0, 1 and 2 mean what they say: 1 is never a crash, and 2 is one line on the standard error."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from spnb.cli import app as cli
from spnb.live.campaign import Campaign
from spnb.live.store import Store

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """``spnb`` in a process of its own, in a store with two campaigns."""
    url = f"sqlite:///{tmp_path}/spnb.db"
    with Store(url) as store:
        Campaign.create(store, "c", arms=["a", "b"], agent="Uniform+", seed=1)
        Campaign.create(store, "day", schedule="00:00/2h", agent="Uniform+", seed=1)

    def spnb(*words: str, **options: object) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "spnb", *words]
        given: dict[str, object] = {"stdout": subprocess.PIPE, "env": {}} | options
        given["env"] = {**os.environ, "SPNB_STORE": url, **given["env"]}  # type: ignore[dict-item]
        return subprocess.run(  # type: ignore[call-overload]
            command, stderr=subprocess.PIPE, text=True, check=False, cwd=tmp_path, **given
        )

    return spnb


def one_line(done: "subprocess.CompletedProcess[str]") -> str:
    assert done.returncode == 2, done
    assert done.stderr.startswith("spnb: ")
    assert done.stderr.count("\n") == 1
    return done.stderr


def test_an_answer_that_cannot_be_printed_is_no_answer(run: Run, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        assert "No space left" in one_line(run("ask", "c", "--arm", "a", stdout=full))
    reading, writing = os.pipe()
    os.close(reading)
    assert "nobody reads it" in one_line(run("ask", "c", "--arm", "a", stdout=writing))
    os.close(writing)
    closed = run("ask", "c", "--arm", "a", preexec_fn=lambda: os.close(1), stdout=None)
    assert "the standard output is closed" in one_line(closed)
    again = run("ask", "c", "--arm", "a")  # the decision stands
    assert (again.returncode, "decision 2)" in again.stdout) == (0, True)


def test_something_unforeseen_is_one_line_or_a_traceback_if_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(**_: object) -> None:
        raise ZeroDivisionError("\x1b[31mon two\nlines")

    monkeypatch.setattr(cli, "app", fail)
    for debug in ("0", "1"):
        monkeypatch.setenv("SPNB_DEBUG", debug)
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert left.value.code == 2
        said = capsys.readouterr().err
        assert said.splitlines()[-1].startswith(
            "spnb: something unforeseen, please report it (ZeroDivisionError"
        )
        assert ("Traceback" in said) == (debug == "1")
        assert debug == "1" or "\x1b" not in said


def test_a_temporary_folder_that_is_not_there(run: Run, tmp_path: Path) -> None:
    run("campaign", "export", "c", "--output", "c.jsonl")
    broken = {"TMPDIR": "/nowhere"}
    code = "import tempfile; tempfile._candidate_tempdir_list = lambda: ['/nowhere']; "
    command = [sys.executable, "-c", code + "from spnb.cli import main; main()"]
    words = ["campaign", "import", "c.jsonl", "--name", "d"]
    store = {"SPNB_STORE": f"sqlite:///{tmp_path}/spnb.db"}
    done = subprocess.run(
        [*command, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, **store, **broken},
    )
    assert "cannot use the temporary folder" in one_line(done)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ask", "day", "--at", "9999-12-31T23:59"], "a time lies in the years 1970 to 2199"),
        (["ask", "day", "--at", "0001-01-01"], "a time lies in the years 1970 to 2199"),
        (["campaign", "new", "x", "--arms", "a", "--lost-after", "99999999999d"], "up to 36500d"),
        (["campaign", "new", "x", "--slots", "08:00", "--window", "99999999d"], "up to 36500d"),
        (["campaign", "new", "x", "--slots", "08:00", "--start", "9998-01-01"], "starts in the"),
        (["tell", "c", "--reward", "1", "--decision", "9" * 20], "no id of a decision"),
        (["tell", "c", "--reward", "1", "--decision", "9" * 18], "there is no decision 9"),
        (["campaign", "new", "x", "--arms", "a", "--agent", "Seq(" * 5000], "2000 characters"),
        (["campaign", "new", "x", "--arms", "a", "--agent", "Seq(" * 400], ""),
        (["campaign", "new", "x", "--arms", "a", "--rounds", "9" * 30], "at most 1000000000"),
        (["campaign", "new", "x", "--arms", "a", "--seed", "9" * 99], "128 bits at most"),
        (["campaign", "new", "x", "--arms", ",".join(map(str, range(2501)))], "at most 2500"),
        (["ask", "c", "--arm", "a", "--round", "9" * 30], "rounds are counted from 1"),
        (["ask", "c\x1b[31m", "--arm", "a"], "the name of a campaign must be"),
        (["ask", b"\xff".decode("utf-8", "surrogateescape")], "the name of a campaign must be"),
        (["ask", "c", "--store", "postgresql://h:99999999/d"], "port 1 to 65535"),
        (["ask", "c", "--store", "postgresql://h:x/d"], "a store is sqlite"),
        (["ask", "c", "--store", "postgresql://h/d?connect_timeout=x"], ""),
        (["ask", "c", "--store", "sqlite://me@host/x"], "no user or host"),
        (["ask", "c", "--store", "postgresql://%"], ""),
    ],
)  # fmt: skip
def test_what_is_out_of_bounds_is_one_line(
    words: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Store(f"sqlite:///{tmp_path}/spnb.db") as store:
        Campaign.create(store, "c", arms=["a", "b"], agent="Uniform+", seed=1).ask("a")
        Campaign.create(store, "day", schedule="00:00/2h", agent="Uniform+", seed=1)
    monkeypatch.setenv("SPNB_STORE", f"sqlite:///{tmp_path}/spnb.db")
    monkeypatch.setattr(sys, "argv", ["spnb", *words])
    with pytest.raises(SystemExit) as left:
        cli.main()
    out, err = capsys.readouterr()
    assert (left.value.code, out) == (2, "")
    assert err.count("\n") == 1
    assert err.isprintable() or err[:-1].isprintable()
    assert said in err
    assert "unforeseen" not in err


def test_a_number_of_thousands_of_digits_is_a_mistake(run: Run) -> None:
    for words in (["--seed", "9" * 5000], ["--rounds", "9" * 5000]):
        assert run("campaign", "new", "x", "--arms", "a", *words).returncode == 2
    assert run("ask", "c", "--arm", "a", "--round", "9" * 5000).returncode == 2
