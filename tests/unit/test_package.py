import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import spnb
from spnb.base.version import own_version
from spnb.report.figures import identification_figure, regret_figure, save
from spnb.report.style import colours

ROOT = Path(__file__).parents[2]
HEAVY = [
    "matplotlib", "typer", "rich", "scipy", "sqlalchemy", "fastapi", "pandas", "httpx", "uvicorn",
    "jinja2", "prometheus_client", "gymnasium", "distributed",
]  # fmt: skip


def test_importing_spnb_loads_nothing_heavy() -> None:
    code = "import spnb, sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(done.stdout))
    assert [name for name in HEAVY if name in loaded] == []


def test_the_oldest_versions_are_those_that_the_metadata_allow() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() if name != "dev"
              for line in lines]  # fmt: skip
    pins = dict(line.split("==") for line in (ROOT / "oldest.txt").read_text().split())
    for line in [*project["dependencies"], *extras]:
        if bound := re.match(r"([\w-]+)(?:\[\w+\])?>=([\d.]+)", line):
            name, least = bound.groups()
            assert f"{pins[name]}.".startswith(f"{least}."), line


def test_everything_promised_is_there() -> None:
    for name in spnb.__all__:
        assert hasattr(spnb, name)


def test_figures_show_every_agent_and_the_bound_where_it_is_a_straight_line(tmp_path: Path) -> None:
    result = spnb.simulate(spnb.Synthetic(3), ["TS", "Seq(TS)"], rounds=8, runs=3, seed=1)
    figure = regret_figure(result)
    regret, slope = figure.axes[:2]
    assert [line.get_label() for line in regret.get_lines()] == ["TS", "Seq(TS)"]
    assert slope.get_xscale() == "log"
    assert [line.get_label() for line in slope.get_lines()][:2] == ["TS", "Seq(TS)"]
    assert regret.get_lines()[0].get_ydata() == pytest.approx(result.agents["TS"].regret_curve.mean)
    told = any("lower bound" in text.get_text() for text in slope.texts)
    assert told == (result.lower_bound.mean[-1] < slope.get_ylim()[1])
    for suffix in (".png", ".svg", ".pdf"):
        save(figure, tmp_path / f"figure{suffix}")
        assert (tmp_path / f"figure{suffix}").stat().st_size > 1000
    with pytest.raises(spnb.DataError, match="must end in one of"):
        save(figure, tmp_path / "figure.bmp")


def test_an_agent_far_above_the_others_leaves_the_frame_and_says_so() -> None:
    result = spnb.simulate(spnb.Synthetic(25), ["Challenge", "UCBrev+"], rounds=60, runs=3, seed=1)
    regret = regret_figure(result).axes[0]
    end = result.agents["UCBrev+"].regret_curve.mean[-1]
    assert regret.get_ylim()[1] < end
    assert [text.get_text() for text in regret.texts] == [
        f"UCBrev+ leaves the frame:\n{end:.0f} at the end"
    ]


def test_the_same_result_draws_the_same_file(tmp_path: Path) -> None:
    result = spnb.identify(spnb.experiment(4), ["SR+", "UCBE(c=2)"], budget=50, runs=5, seed=1)
    for name in ("one.svg", "two.svg"):
        save(identification_figure(result), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


def test_an_agent_has_one_colour_everywhere_and_no_two_share_one() -> None:
    alone, among = colours(["Seq(TS)"]), colours(["TS", "Greedy", "Seq(TS)", "IMED", "Challenge"])
    assert alone["Seq(TS)"] == among["Seq(TS)"]
    assert len(set(among.values())) == 5
    many = colours([f"Agent{i}" for i in range(20)])
    assert len(many) == 20


def test_a_single_run_draws_without_intervals(tmp_path: Path) -> None:
    spnb.simulate(spnb.Synthetic(3), "TS", rounds=3, runs=1, seed=1).plot(tmp_path / "one.png")
    assert (tmp_path / "one.png").exists()


def test_results_name_the_version_of_the_package() -> None:
    assert own_version() == spnb.__version__
