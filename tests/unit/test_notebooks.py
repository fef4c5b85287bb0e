"""What a notebook shows: one line, tables that nothing can break out of, frames, figures."""

import ast
import importlib.util
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import jupytext
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from matplotlib.figure import Figure

import spnb
from spnb.bandits import registry
from spnb.base import extras
from spnb.base.errors import SpnbError
from spnb.plan import Plan, facts, plan
from spnb.problems.readers import ProblemData
from spnb.report.grid import Column, Grid
from spnb.report.tables import interval_text
from spnb.simulation.results import Comparison, Identification

NASTY = "<img src=x onerror=alert(1)> & $x^2$ \"'</table>"
TABLE = (np.random.default_rng(1).random((30, 4)) < [0.1, 0.8, 0.2, 0.3]).astype(float)
DATA = ProblemData(NASTY, (NASTY, "b", "c", "d"), TABLE)
NOTEBOOKS = Path(__file__).parents[2] / "docs" / "notebooks"
SCRIPTS = sorted(NOTEBOOKS.glob("[!_]*.py"))


@pytest.fixture(scope="module")
def result() -> Comparison:
    return spnb.simulate(spnb.Synthetic(3), ["TS", "Seq(TS)"], rounds=30, runs=20, seed=1)


@pytest.fixture(scope="module")
def found() -> Identification:
    agents = ["SR+", "Uniform", "Uniform+"]
    return spnb.identify(spnb.experiment(4), agents, budget=100, runs=20, seed=1)


@pytest.fixture(scope="module")
def planned() -> Plan:
    return plan(DATA, runs=20, seed=1, most=80)


@pytest.fixture
def campaign(tmp_path: Path) -> spnb.Campaign:
    arms = [NASTY, "b"]
    campaign = spnb.Campaign.create(f"sqlite:///{tmp_path}/a.db", NASTY, arms=arms, seed=1)
    campaign.tell(campaign.ask(NASTY), reward=1)
    return campaign


class Page(HTMLParser):
    """The tags, the attributes and the text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.cells: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.cells.append("")
        for name, value in attrs:
            self.attributes.setdefault(name, set()).add(value or "")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.cells[-1] += data


def page(shown: Any) -> Page:
    """Read a table; it must be nothing but one, in the page's own colours."""
    read = Page(shown._repr_html_())
    assert read.tags <= {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
    assert set(read.attributes) == {"class", "style"}
    assert read.attributes["class"] == {"tex2jax_ignore mathjax_ignore"}  # dollars stay dollars
    styles = ";".join(read.attributes["style"])
    assert set(re.findall(r"(?<![\w-])color:(\w+)", styles)) <= {"inherit"}
    assert "background" not in styles
    return read


def test_problems_are_one_line_whatever_their_size() -> None:
    large = tuple(np.linspace(0, 1, 1000).tolist())
    assert repr(spnb.Bernoulli((0.2, 0.5))) == "Bernoulli(means=(0.2, 0.5))"
    assert eval(repr(spnb.Drifting(4)), vars(spnb)) == spnb.Drifting(4)
    assert repr(spnb.Bernoulli(large)).endswith("0.003003, ... 1000 in all))")
    for problem in (
        spnb.Bernoulli(large), spnb.Recorded(np.eye(200, 50)), spnb.Changing((large,) * 20)
    ):  # fmt: skip
        assert len(repr(problem)) < 250
        assert "\n" not in repr(problem)
    assert "[200 x 50]" in repr(spnb.Recorded(np.eye(200, 50)))
    assert repr(spnb.Changing((large, large))) == "Changing(stages=[2 x 1000], length=100)"


def test_a_problem_of_ones_own_needs_no_more() -> None:
    class Own(spnb.Problem):
        arms = 3

        def worlds(self, seed: int, runs: Any) -> Any:
            raise NotImplementedError

    assert repr(Own()) == "Own(arms=3)"
    assert page(Own()).cells[-2:] == ["arms", "3"]


def test_one_line_says_what_matters(
    result: Comparison, found: Identification, planned: Plan, campaign: spnb.Campaign
) -> None:
    regret = {spec: metrics["regret"] for spec, metrics in result.summary().items()}
    best = min(regret, key=lambda spec: regret[spec].mean)
    assert repr(result) == (
        "<Comparison of 2 agents, 20 runs of 30 rounds, seed 1: "
        f"least regret {regret[best].mean:.4g} ({regret[best].low:.4g} to {regret[best].high:.4g}) "
        f"by {best}>"
    )
    assert "budget 100 pulls" in repr(found)
    sure = spnb.identify([0.1, 0.9], "Race", confidence=0.9, budget=300, runs=5, seed=1)
    assert "1 agent, 5 runs, until 90 % sure" in repr(sure)
    assert f"{planned.choice} is 95 % right after" in repr(planned)
    assert repr(campaign) == (
        f"<Campaign {NASTY!r}: Seq(TS), 2 arms, any number of rounds, goal regret>"
    )
    assert "No reward yet of b." in repr(campaign.status())
    learner = spnb.Learner("Seq(TS)", 3, seed=5)
    learner.observe(0, 3, trials=7)
    assert repr(learner) == "<Learner Seq(TS), 3 arms: 7 rewards, seed 5>"
    for shown in (result, found, sure, planned, campaign.status(), DATA, facts(DATA, 1)):
        assert len(repr(shown).splitlines()) == 1
        assert len(repr(shown)) < 250
    for runs in (result.agents, found.agents, result.lower_bound):
        assert "array" not in repr(runs)


def test_a_plan_that_reaches_nothing_and_a_plan_of_regret_say_so() -> None:
    level = ProblemData("level", ("a", "b"), means=(0.5, 0.501))
    assert "nobody is 95 % right within 8 pulls" in repr(plan(level, runs=10, seed=1, most=8))
    regret = plan(level, "regret", runs=10, seed=1, rounds=5)
    assert re.search(r"regret [\d.]+ \(.* in 5 rounds>$", repr(regret))


def test_names_cannot_break_out_of_a_table(planned: Plan, campaign: spnb.Campaign) -> None:
    for shown in (DATA, facts(DATA, 1), campaign, campaign.status()):
        assert [cell for cell in page(shown).cells if cell in (NASTY, f"{NASTY} *")], shown
    assert any(NASTY in cell for cell in page(planned).cells)


def test_tables_hold_the_numbers(
    result: Comparison, found: Identification, planned: Plan, campaign: spnb.Campaign
) -> None:
    for spec, metrics in result.summary().items():
        cells = page(result).cells
        assert cells[cells.index(spec) + 1] == interval_text(metrics["regret"])
    for spec, metrics in found.summary().items():
        cells = page(found).cells
        assert cells[cells.index(spec) + 1] == interval_text(metrics["error"], digits=3)
    assert any(f"use {planned.choice}" in cell for cell in page(planned).cells)
    arm = campaign.status().arms[0]
    assert f"{arm.low:.2f}..{arm.high:.2f}" in page(campaign).cells


def test_a_problem_shows_intervals_where_its_means_come_from_data() -> None:
    assert page(spnb.Bernoulli((0.2, 0.5))).cells[-8:] == [
        "0", "0.2000", "0.3000", "█" * 5, "", "1", "0.5000", "0.0000", "█" * 12
    ][-8:]  # fmt: skip
    share = TABLE[:, 1].mean()
    low, high = facts(DATA, 1).means[1].low, facts(DATA, 1).means[1].high
    for problem in (DATA, spnb.Recorded(TABLE), DATA.problem("worlds")):
        cells = page(problem).cells
        at = cells.index(f"{share:.4f}")
        assert cells[at + 1] == f"{low:.4f}..{high:.4f}"
    assert "interval" not in page(spnb.Bernoulli((0.2, 0.5))).cells


def test_of_very_many_rows_the_first_and_the_bold_are_shown() -> None:
    grid = Grid("many", [Column("n")], [[str(n)] for n in range(500)], bold=frozenset({321}))
    read = Page(grid.html())
    shown = [int(cell) for cell in read.cells if cell.isdigit()]
    assert shown == [*range(60), 321]
    assert "439 more rows." in read.cells


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_the_summary_and_the_curves(
    result: Comparison, found: Identification, library: Any
) -> None:
    for each in (result, found):
        frame = each.to_frame(library=library)
        assert type(frame).__module__.split(".")[0] == library
        assert list(frame["agent"]) == list(each.agents)
        for place, metrics in enumerate(each.summary().values()):
            for metric, estimate in metrics.items():
                ends = [frame[f"{metric}{end}"][place] for end in ("", "_low", "_high")]
                assert ends == [estimate.mean, estimate.low, estimate.high]
    for name in ("regret", "pulls"):
        curve = result.to_frame(name, library=library)
        assert list(curve.columns) == ["round", "agent", "mean", "low", "high"]
        own = [getattr(runs, f"{name}_curve") for runs in result.agents.values()]
        assert list(curve["round"]) == [*own[0].rounds, *own[1].rounds]
        assert list(curve["high"]) == [*own[0].high, *own[1].high]
        assert list(curve["agent"]) == ["TS"] * len(own[0].rounds) + ["Seq(TS)"] * len(
            own[1].rounds
        )
    sure = spnb.identify([0.1, 0.9], "Race", confidence=0.9, budget=300, runs=5, seed=1)
    assert list(sure.to_frame(library=library)["undecided"]) == [0.0]


def test_frames_take_what_is_installed_and_say_what_is_not(
    result: Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only(*names: str) -> None:
        spec = importlib.util.find_spec
        monkeypatch.setattr(extras, "find_spec", lambda name: spec(name) if name in names else None)

    assert type(result.to_frame()).__module__.startswith("pandas")
    only("polars")
    assert type(result.to_frame()).__module__.startswith("polars")
    only()
    with pytest.raises(ImportError, match=r"a frame needs pandas.*pip install 'spnb\[pandas\]'$"):
        result.to_frame()
    with pytest.raises(ImportError, match=r"pip install 'spnb\[polars\]'$"):
        result.to_frame(library="polars")
    with pytest.raises(SpnbError, match="library must be one of pandas, polars, got 'excel'"):
        result.to_frame(library="excel")  # type: ignore[arg-type]
    with pytest.raises(SpnbError, match="no curve 'sums' in this result; it has regret, pulls"):
        result.to_frame("sums")  # type: ignore[arg-type]


def test_a_plot_is_a_figure_that_shows_itself(
    result: Comparison, planned: Plan, tmp_path: Path
) -> None:
    for drawn in (result.plot(tmp_path / "a.png"), planned.plot(tmp_path / "b.png")):
        assert drawn._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.png", "b.png"]
    assert len(result.plot().axes) == 4
    (axes,) = result.plot(scale="log").axes
    assert axes.get_xscale() == "log"


def test_a_plot_takes_axes_scale_and_clipping() -> None:
    agents = ["Challenge", "UCBrev+"]
    result = spnb.simulate(spnb.Synthetic(25), agents, rounds=60, runs=3, seed=1)
    figure = Figure()
    clipped, whole = figure.subplots(1, 2)
    assert result.plot(axes=clipped) is figure
    result.plot(axes=whole, clip=False, scale="log")
    end = result.agents["UCBrev+"].regret_curve.mean[-1]
    assert clipped.get_ylim()[1] < end < whole.get_ylim()[1]
    assert (clipped.get_xscale(), whole.get_xscale()) == ("linear", "log")
    assert [line.get_label() for line in clipped.get_lines()] == agents
    unclipped = result.plot(clip=False).axes[0]
    assert unclipped.get_ylim()[1] > end
    with pytest.raises(SpnbError, match="scale must be one of linear, log, got 'cubic'"):
        result.plot(scale="cubic")  # type: ignore[arg-type]


def test_so_does_one_of_identification(found: Identification, tmp_path: Path) -> None:
    figure = Figure()
    axes = list(figure.subplots(1, 3))
    assert found.plot(tmp_path / "a.svg", axes=axes) is figure
    rounds = {spec: metrics["rounds"].mean for spec, metrics in found.summary().items()}
    assert rounds["Uniform"] > 2.5 * rounds["SR+"]  # one pull a round takes the most rounds by far
    assert axes[1].get_xlim()[1] < rounds["Uniform"]
    assert [text.get_text() for text in axes[1].texts] == ["100 →"]
    assert [label.get_text() for label in axes[0].get_yticklabels()] == list(found.agents)
    error, whole, _ = found.plot(scale="log", clip=False).axes
    assert (error.get_xscale(), whole.get_xscale()) == ("linear", "log")
    assert whole.get_xlim()[1] > rounds["Uniform"]
    with pytest.raises(SpnbError, match="axes must be three"):
        found.plot(axes=axes[:2])


def test_there_is_a_notebook_for_each_kind_of_user() -> None:
    assert [script.stem for script in SCRIPTS] == ["engineer", "practitioner", "researcher"]


def shown_by(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; what it ends with."""
    tree = ast.parse(source)
    *before, last = tree.body
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), names)
        return None
    exec(compile(ast.Module(before, []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_the_notebooks_of_the_docs_are_their_scripts_and_true(
    script: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))
    monkeypatch.setattr(registry, "_REGISTERED", {})
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    kept = nbformat.read(script.with_suffix(".ipynb"), as_version=4).cells
    wanted = [(cell.cell_type, cell.source) for cell in jupytext.read(script).cells]
    assert [(cell.cell_type, cell.source) for cell in kept] == wanted, "say make notebooks"
    names: dict[str, Any] = {"__name__": "__main__"}
    for cell in kept:
        if cell.cell_type == "code":
            value = shown_by(cell.source, names)
            streams = {output.name: output.text for output in cell.outputs if "name" in output}
            assert streams.get("stdout", "") == capsys.readouterr().out
            assert set(streams) <= {"stdout"}
            tables = [o.data["text/html"] for o in cell.outputs if "text/html" in o.get("data", {})]
            own = type(value).__module__.startswith("spnb") and not isinstance(value, Figure)
            if own and hasattr(value, "_repr_html_"):
                assert tables == [value._repr_html_()], "say make notebooks"
    assert list(tmp_path.iterdir()) == []  # nothing is left behind
