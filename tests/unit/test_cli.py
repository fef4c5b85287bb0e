"""The command as people run it: a process of its own, what it prints, how it exits."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import spnb
from spnb.bandits import registry
from spnb.cli import app as cli

SPNB = [sys.executable, "-m", "spnb"]


def run(
    *arguments: str, cwd: Path | None = None, encoding: str = "utf-8"
) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"COLUMNS": "80", "PYTHONIOENCODING": encoding}
    return subprocess.run(
        [*SPNB, *arguments], capture_output=True, encoding=encoding, errors="replace", cwd=cwd,
        env=environment, check=False,
    )  # fmt: skip


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The same in this process, for speed."""
    monkeypatch.setattr(sys, "argv", ["spnb", *arguments])
    with pytest.raises(SystemExit) as leaving:
        cli.main()
    code = leaving.value.code
    assert isinstance(code, int)
    return code


@pytest.mark.parametrize("limit", [[], ["--family", "uniform"]])
def test_one_round_is_drawn_too(
    limit: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = ["simulate", "--arms", "3", "--rounds", "1", "--runs", "5", "--seed", "1", "-a", "TS"]
    figure = tmp_path / "one.png"
    assert call(monkeypatch, *line, *limit, "--plot", str(figure)) == 0
    assert figure.stat().st_size > 1000


def test_simulate_prints_a_table_and_writes_json_and_figure(tmp_path: Path) -> None:
    done = run(
        "simulate", "--means", "0.5, 0.4,0.1", "--agent", "TS", "--agent", "Seq(UCBE(c=2))",
        "--rounds", "30", "--runs", "4", "--seed", "7", "--workers", "2",
        "--json", "out.json", "--plot", "out.png", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "4 runs of 30 rounds, seed 7" in done.stdout
    assert "Seq(UCBE(c=2))" in done.stdout
    written = json.loads((tmp_path / "out.json").read_text())
    assert list(written["agents"]) == ["TS", "Seq(UCBE(c=2))"]
    expected = spnb.simulate(
        spnb.Bernoulli((0.5, 0.4, 0.1)), ["TS", "Seq(UCBE(c=2))"], rounds=30, runs=4, seed=7
    )
    assert written == expected.to_dict()
    assert (tmp_path / "out.png").read_bytes().startswith(b"\x89PNG")


def test_identify_takes_the_papers_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plot = tmp_path / "out.json", tmp_path / "out.svg"
    code = call(
        monkeypatch, "identify", "--experiment", "4", "--runs", "20", "--seed", "1",
        "--agent", "Seq(UCBE(c=2))", "--json", str(out), "--plot", str(plot),
    )  # fmt: skip
    assert code == 0
    assert "budget 600 pulls" in capsys.readouterr().out
    assert set(json.loads(out.read_text())["agents"]["Seq(UCBE(c=2))"]) == {
        "error", "rounds", "pulls",
    }  # fmt: skip
    assert plot.read_text().lstrip().startswith("<?xml")


@pytest.mark.parametrize("order", ["random", "authors"])
def test_the_synthetic_family_and_the_default_agents(
    order: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = call(
        monkeypatch, "simulate", "--arms", "4", "--order", order, "--rounds", "5", "--runs", "2"
    )
    assert code == 0
    assert "Challenge" in capsys.readouterr().out


def test_a_cost_is_what_regret_is_counted_against(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    options = ["simulate", "--arms", "4", "--family", "uniform", "--cost", "0.3", "--seed", "2"]
    options += ["--rounds", "20", "--runs", "3"]
    assert call(monkeypatch, *options, "--json", str(out)) == 0
    assert "the arms above the cost of 0.3" in " ".join(capsys.readouterr().out.split())
    agents = ["Worth(cost=0.3)", "Worth(TS, cost=0.3)", "Seq(TS)", "Challenge"]
    expected = spnb.simulate(spnb.RandomMeans(4), agents, rounds=20, runs=3, seed=2, cost=0.3)
    assert json.loads(out.read_text()) == expected.to_dict()
    assert call(monkeypatch, *options, "--agent", "Worth") == 0
    assert "Note: Worth goes by a cost of 0.5; --cost is 0.3." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--arms", "3", "--family", "abrupt(8, changes=2)"], spnb.Abrupt(3, 8, 2)),
        (["--arms", "3", "--family", "drifting"], spnb.Drifting(3)),
        (["--arms", "3", "--family", "seasonal(swing=0.1)"], spnb.Seasonal(3, swing=0.1)),
        (
            ["--means", "0.2,0.9", "--means", "0.9,0.2", "--every", "10"],
            spnb.Changing(((0.2, 0.9), (0.9, 0.2)), 10),
        ),
    ],
)
def test_means_that_change_are_within_reach(
    options: list[str],
    problem: spnb.Problem,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out, plot = tmp_path / "out.json", tmp_path / "out.svg"
    options += ["--rounds", "24", "--runs", "2", "--seed", "3", "--json", str(out)]
    assert call(monkeypatch, "simulate", *options, "--plot", str(plot)) == 0
    assert "against the arm that is best in each round" in " ".join(capsys.readouterr().out.split())
    found = json.loads(out.read_text())
    agents = ["Seq(TS)", "Challenge", "Challenge(DTS)", "Challenge(GLRKLUCB)"]
    assert found == spnb.simulate(problem, agents, rounds=24, runs=2, seed=3).to_dict()
    assert found["problem"]["changing"]
    assert "Dynamic regret" in plot.read_text()


def test_agents_lists_everything(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "foreign", lambda: (("Mine", spnb.bandits.policies.Greedy),))
    assert call(monkeypatch, "agents") == 0
    printed = capsys.readouterr().out
    for name, _ in registry.known():
        assert name in printed
    assert "SR+" in printed


def test_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(monkeypatch, "--version") == 0
    assert capsys.readouterr().out == f"spnb {spnb.__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["simulate"], "give one of --means, --arms, --experiment and --problem, got none"),
        (["simulate", "--means", "0.5", "--arms", "3"], "got --means and --arms"),
        (["simulate", "--means", ""], "means must be a list of at least 1 number"),
        (["simulate", "--means", "0.5,,0.4"], "--means must be numbers"),
        (["simulate", "--means", "0.5,1.4"], "mean of arm 1 must lie in [0, 1], got 1.4"),
        (["simulate", "--means", "nan"], "mean of arm 0 must lie in [0, 1], got nan"),
        (["simulate", "--means", "half"], "--means must be numbers with commas between"),
        (["simulate", "--arms", "0"], "arms must be a whole number >= 2, got 0"),
        (["simulate", "--arms", "3", "--rounds", "-1"], "rounds must be a whole number >= 1"),
        (["simulate", "--arms", "3", "--agent", "TSS"], "did you mean 'TS'"),
        (["simulate", "--arms", "3", "--json", "no/where.json"], "the folder no does not exist"),
        (["simulate", "--arms", "3", "--plot", "fig.gif"], "must end in one of .png, .svg, .pdf"),
        (["simulate", "--arms", "3", "--workers", "0"], "workers must be"),
        (["simulate", "--family", "uniform"], "--family goes with --arms: how many"),
        (["simulate", "--means", "0.5", "--family", "uniform"], "--family goes with --arms"),
        (["simulate", "--arms", "3", "--family", "odd"], "family must be one of paper, uniform"),
        (["simulate", "--arms", "3", "--family", "abrupt(swing=1)"], "abrupt has no parameter"),
        (["simulate", "--arms", "3", "--family", "abrupt(arms=2)"], "abrupt has no parameter"),
        (["simulate", "--arms", "3", "--family", "abrupt(0)"], "Abrupt.length must be a whole"),
        (["simulate", "--arms", "3", "--family", "abrupt("], "cannot read the spec 'abrupt('"),
        (["simulate", "--arms", "3", "--family", "5"], "expected a name such as uniform"),
        (
            ["simulate", "--arms", "3", "--family", "beta", "--order", "authors"],
            "--order goes with",
        ),
        (
            ["simulate", "--means", "0.5,0.4", "--means", "0.4,0.5"],
            "several --means and one --every",
        ),
        (["simulate", "--means", "0.5,0.4", "--every", "9"], "several --means and one --every"),
        (["simulate", "--means", "0.5", "--means", "0.4,0.5", "--every", "9"], "same length"),
        (["simulate", "--means", "0.5", "--means", "0.4", "--every", "0"], "Changing.length must"),
        (["simulate", "--arms", "3", "--cost", "1.5"], "cost must be a number in [0, 1], got 1.5"),
        (["simulate", "--arms", "3", "--cost", "nan"], "Worth.cost must be a number, got nan"),
        (["simulate", "--arms", "3", "--cost", "0.5", "--best", "2"], "best must be 1"),
        (["simulate", "--arms", "3", "--family", "drifting", "--cost", "0.5"], "do not change"),
        (["identify", "--arms", "3", "--family", "abrupt", "--budget", "9"], "use simulate"),
        (["simulate", "--nothing"], "'spnb simulate --help' lists what there is"),
        (["simulate", "--arms", "three"], "got 'three'"),
        (["campaign", "nothing"], "No such command 'nothing'"),
        (["plan"], "Missing option '--problem'"),
        (["identify", "--experiment", "9", "--budget", "5"], "1 to 7, got 9"),
        (["identify", "--means", "0.5,0.4"], "--budget is needed"),
        (["identify", "--experiment", "1", "--budget", "0"], "budget must be"),
    ],
)
def test_what_the_user_can_mend_is_one_line_and_exit_code_2(
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert call(monkeypatch, *arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    lines = [line for line in shown.err.splitlines() if line.strip()]
    assert len(lines) == 1
    assert message in lines[0]


def commands(under: Any, *path: str) -> Iterator[tuple[list[str], Any]]:
    """Every command, and the groups themselves, with the words that call it."""
    yield list(path), under
    for name in getattr(under, "list_commands", lambda ctx: [])(None):
        yield from commands(under.get_command(None, name), *path, name)


@pytest.mark.parametrize("columns", [60, 80])
def test_help_cuts_nothing_at_any_width(columns: int) -> None:
    for path, command in commands(typer.main.get_command(cli.app)):
        asked = CliRunner().invoke(cli.app, [*path, "--help"], terminal_width=columns)
        shown = asked.output
        assert max(map(len, shown.splitlines())) <= columns
        assert "..." not in shown.replace("[ARGS]...", "").replace("}...", "").replace("]...", "")
        for param in command.params:
            assert all(name in shown for name in param.opts if name.startswith("-"))
            assert squeezed(getattr(param, "help", None)) in squeezed(shown)
            assert param.name == "help" or getattr(param, "help", None)


def squeezed(text: str | None) -> str:
    return " ".join((text or "").split())


def test_without_arguments_it_shows_its_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in ([], ["campaign"]):
        assert call(monkeypatch, *words) == 2
        assert capsys.readouterr().err.startswith("Usage: spnb")


def interrupted(workers: str, after: float, folder: Path) -> tuple[int, str]:
    command = [
        *SPNB, "simulate", "--arms", "50", "--rounds", "100000", "--runs", "2000",
        "--workers", workers, "--agent", "TS", "--json", "out.json",
    ]  # fmt: skip
    process = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(after)
    # A terminal sends the signal to every process of the command.
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    return process.returncode, errors


def test_ctrl_c_leaves_quietly_with_130_and_no_file(tmp_path: Path) -> None:
    for workers in ("1", "2"):
        for after in (4.0, 20.0):
            code, errors = interrupted(workers, after, tmp_path)
            if code != -signal.SIGINT:  # before Python itself had begun, on a busy machine
                break
        assert code == 130
        assert "interrupted; nothing was written" in errors
        assert "Traceback" not in errors
        assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("encoding", ["cp1252", "latin-1", "ascii"])
def test_tables_are_drawn_with_what_the_output_can_show(tmp_path: Path, encoding: str) -> None:
    rows = "".join(f"{'0,1,1' if day % 3 else '1,0,0'}\n" for day in range(12))
    (tmp_path / "rewards.csv").write_text("früh,noon,夜😀\n" + rows, encoding="utf-8")

    def printed(*words: str) -> str:
        done = run(*words, cwd=tmp_path, encoding=encoding)
        assert (done.returncode, done.stderr) == (0, ""), words
        return done.stdout

    problem = printed("problem", "table", "rewards.csv", "-o", "p.json", "--seed", "1")
    assert "--------" in problem
    assert "####" in problem
    assert ("fr\\u00fch" if encoding == "ascii" else "früh") in problem
    plan = printed(
        "plan", "--problem", "p.json", "--goal", "regret", "--rounds", "9", "--runs", "9"
    )
    assert (" +- " if encoding == "ascii" else " ± ") in plan
    printed("campaign", "new", "c", "--problem", "p.json", "--warm-start", "--agent", "TS")
    assert "profile: # up to the mean, - the interval" in printed("status", "c")
    begun = json.loads(printed("campaign", "export", "c").splitlines()[1])
    assert "夜😀" in str(begun)


def test_an_address_of_many_colons_is_a_url(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("spnb.service.serve.check", lambda *asked: False)
    monkeypatch.setattr("spnb.service.serve.listening", lambda *asked: None)
    monkeypatch.setattr("spnb.service.serve.run", lambda *asked: None)
    for host, shown in (("::1", "[::1]"), ("127.0.0.1", "127.0.0.1")):
        assert call(monkeypatch, "serve", "--host", host, "--port", "8123") == 0
        assert f"at http://{shown}:8123 (" in capsys.readouterr().out


def test_a_closed_pipe_is_no_error() -> None:
    command = f"{sys.executable} -m spnb agents | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
