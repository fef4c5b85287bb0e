"""``spnb problem``, ``spnb plan`` and ``--problem``, as a user types them."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spnb.cli import main
from spnb.problems.readers import ProblemData, read_day

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["spnb", *map(str, words)])
        with pytest.raises(SystemExit) as caught:
            main()
        out, err = capsys.readouterr()
        return int(caught.value.code or 0), " ".join(out.split()), err

    return command


@pytest.fixture
def series(tmp_path: Path) -> Path:
    path = tmp_path / "readings.csv"
    rows = [
        f"2024-01-{day:02d} {hour:02d}:00;{0.1 if (hour != 8 or day % 3 == 0) else 0.9}"
        for day in range(1, 21)
        for hour in range(0, 24, 4)
    ]
    path.write_text("time;turbidity\n" + "\n".join(rows).replace(".", ",") + "\n")
    return path


def test_from_a_series_to_a_plan(run: Run, series: Path, tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    code, out, _ = run(
        "problem", "series", series, "--time", "time", "--value", "turbidity", "--slot", "4h",
        "--above", 0.5, "--last", 18, "-o", file, "--plot", tmp_path / "p.png",
        "--json", tmp_path / "facts.json", "--seed", 1,
    )  # fmt: skip
    assert code == 0
    assert "K = 6 arms over 18 rounds" in out
    assert "Best: 08:00" in out
    assert "H1 =" in out
    assert (tmp_path / "p.png").stat().st_size > 5000
    assert json.loads((tmp_path / "facts.json").read_text())["best"] == "08:00"
    code, out, _ = run(
        "plan", "--problem", file, "--goal", "best", "--runs", 50, "--seed", 1, "--most", 200,
        "--cost-per-pull", 2, "--json", tmp_path / "plan.json", "--plot", tmp_path / "plan.svg",
    )  # fmt: skip
    assert code == 0
    assert "To find the best of 6 arms, use" in out
    assert "2 a pull and 0 a round" in out
    answer = json.loads((tmp_path / "plan.json").read_text())
    assert answer["cost_per_pull"] == 2
    assert (tmp_path / "plan.svg").stat().st_size > 5000


def test_simulate_and_identify_take_problem_files_and_say_how_they_replay(
    run: Run, tmp_path: Path
) -> None:
    ProblemData("p", ("a", "b"), [[0, 1], [1, 1]], block=2).save(tmp_path / "p.json")  # type: ignore[arg-type]
    file = tmp_path / "p.json"
    _, out, _ = run("simulate", "--problem", file, "--rounds", 50, "--runs", 5, "--seed", 1)
    assert "the record of 2 rounds is repeated 25 times over" in out
    _, out, _ = run(
        "identify", "--problem", file, "--replay", "resample", "--budget", 20, "--runs", 5,
        "--seed", 1, "-a", "SR+",
    )  # fmt: skip
    assert "drawn in blocks of 2" in out
    _, out, _ = run(
        "simulate", "--problem", file, "--replay", "bernoulli", "--rounds", 9, "--runs", 5
    )
    assert "Note" not in out


def test_from_a_click_log_to_a_problem(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("problem", "day", "-o", tmp_path / "day.gz", "--events", 5000, "--seed", 4)
    assert code == 0
    assert "5000 events, seed 4" in out
    code, out, _ = run(
        "problem", "yahoo", tmp_path / "day.gz", "-o", tmp_path / "y.json", "--seed", 1
    )
    assert code == 0
    assert "5000 events of" in out
    data = ProblemData.load(tmp_path / "y.json")
    assert data.trials is not None
    assert sum(data.trials) < 5000
    articles = read_day(tmp_path / "day.gz", slots=5)
    id_ = next(a.id for a in articles if (a.shown > 0).sum() == 3)
    code, out, _ = run("problem", "yahoo", tmp_path / "day.gz", "--article", id_, "--slots", 5)
    assert f"article {id_}" in out
    _, out, _ = run("problem", "yahoo", tmp_path / "day.gz", "--article", "all", "--least", 10)
    assert "K = 10 arms" in out


def test_malformed_lines_are_reported(run: Run, tmp_path: Path) -> None:
    lines = ["1241160900 7 0", "1241160900 7 1"] * 100
    lines[7] = "oops"
    (tmp_path / "day").write_text("\n".join(lines) + "\n")
    _, out, _ = run("problem", "yahoo", tmp_path / "day")
    assert "1 malformed lines left out, first" in out
    assert "line 8" in out


def test_from_tables_to_problems(run: Run, tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("morning,noon\n0,1\n1,1\n0,0\n")
    code, out, _ = run("problem", "table", tmp_path / "wide.csv", "-o", tmp_path / "w.json")
    assert code == 0
    assert "Best: noon" in out
    (tmp_path / "long.csv").write_text("d,s,r\n1,a,3\n1,b,4\n2,a,9\n2,b,4\n")
    code, out, _ = run(
        "problem", "table", tmp_path / "long.csv", "--round", "d", "--arm", "s", "--reward", "r",
        "--scale", "0,10", "--arms", "b,a",
    )  # fmt: skip
    assert code == 0
    assert "Best: a, mean 0.600" in out


BASE = ("problem", "series", "FILE", "--time", "time", "--value", "turbidity")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((*BASE, "--above", "9", "--slot", "4h"), "none of the values"),
        ((*BASE, "--above", "0.5"), "no day has a reading in all 12 slots"),
        ((*BASE, "--above", "0.5", "--slot", "5h"), "a slot must be"),
        ((*BASE, "--scale", "1"), "--scale must be LOW,HIGH or data"),
        ((*BASE, "--from", "soon"), "--from must be a day"),
        ((*BASE, "--where", "x"), "--where must be COLUMN=VALUE"),
        ((*BASE, "--where", "x=1"), "no column 'x'"),
        ((*BASE, "--separator", ","), "row 1 has 2 fields, the header has 1"),
        ((*BASE, "--plot", "p.gif"), "the name must end in"),
        ((*BASE, "-o", "nowhere/p.json"), "folder nowhere does not exist"),
        (("problem", "table", "FILE", "--arm", "time"), "need --round, --arm and --reward"),
        (("plan", "--problem", "FILE", "--goal", "best"), "is not JSON"),
        (("simulate", "--problem", "FILE", "--arms", "3"), "give one of"),
        (("simulate", "--arms", "3", "--replay", "repeat"), "--replay goes with --problem"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(
    run: Run, series: Path, tmp_path: Path, words: Any, says: str
) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    code, out, err = run(*(str(series) if word == "FILE" else word for word in words))
    assert code == 2
    assert says in err
    assert err.count("\n") == 1
    assert out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_tab_and_other_separators_may_be_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\tb\n0,5\t1\n1\t0\n")
    code, out, _ = run("problem", "table", tmp_path / "t.csv", "--separator", "tab")
    assert code == 0
    assert "Best: a, mean 0.750" in out
