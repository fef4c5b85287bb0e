"""At any width nothing is cut: columns are dropped or stacked, words are whole."""

import io

import pytest
from rich.console import Console

import spnb
from spnb.cli.say import wrapped
from spnb.live.campaign import Campaign
from spnb.plan import facts, plan
from spnb.problems.readers import ProblemData
from spnb.report.advice import plan_table
from spnb.report.campaigns import status_table
from spnb.report.grid import Column, Grid
from spnb.report.profile import facts_table
from spnb.report.tables import identification_table, regret_table

DATA = ProblemData(
    "clicks of a name that is long", ("slot one", "slot two", "slot three"),
    means=(0.0123456, 0.2, 0.19), trials=(1000, 900, 800),
)  # fmt: skip


def grids() -> dict[str, Grid]:
    agents = ["Seq(UCBE(c=2, adaptive))", "Pack(UCBE(c=2, adaptive))", "TS"]
    campaign = Campaign.create(
        "sqlite://", "c", arms=DATA.arms, problem=DATA, warm_start=True, agent="Uniform+"
    )
    for arm in DATA.arms:
        campaign.tell(campaign.ask(arm), wins=120, trials=345678)
    campaign.lost(campaign.ask(DATA.arms[0], at=2))
    campaign.ask(DATA.arms[1], at=2)
    return {
        "regret": regret_table(spnb.simulate(DATA.means, agents, rounds=900, runs=3, seed=1)),
        "identification": identification_table(
            spnb.identify(DATA.means, agents, budget=50, runs=3, seed=1)
        ),
        "plan": plan_table(plan(DATA, "regret", agents=agents, rounds=9, runs=5, seed=1)),
        "facts": facts_table(facts(DATA, 1)),
        "status": status_table(campaign.status()),
    }


@pytest.fixture(scope="module")
def tables() -> dict[str, Grid]:
    return grids()


def printed(grid: Grid, width: int | None) -> list[str]:
    """As it is printed at this width; None is a pipe."""
    out = io.StringIO()
    Console(file=out, width=width, force_terminal=width is not None, color_system=None).print(grid)
    return out.getvalue().splitlines()


@pytest.mark.parametrize("width", [40, 60, 80, 120, None])
@pytest.mark.parametrize("name", ["regret", "identification", "plan", "facts", "status"])
def test_tables_fit_and_nothing_is_cut(
    name: str, width: int | None, tables: dict[str, Grid]
) -> None:
    grid = tables[name]
    lines = printed(grid, width)
    assert max(map(len, lines)) <= (width or 80)
    text = "\n".join(lines)
    assert "…" not in text
    left_out = " ".join(text.split()).partition("also shows: ")[2].rstrip(".").split(", ")
    for place, column in enumerate(grid.columns):
        for row in grid.rows:
            assert column.title in left_out or row[place].strip() in text, (column, row)


def test_columns_go_in_their_order_and_are_named() -> None:
    grid = Grid("t", [Column("a"), Column("wide column", 1), Column("wider column", 2)],
                [["x", "1234567890", "12345678901"]], "caption")  # fmt: skip
    assert "wider column" in printed(grid, 80)[1]
    narrow = printed(grid, 20)
    assert "wider" not in narrow[1]
    assert " ".join(narrow[-3:]).split()[-6:] == [
        "wider", "terminal", "also", "shows:", "wider", "column.",
    ]  # fmt: skip
    stacked = Grid("t", [Column("a"), Column("b")], [["x" * 15, "y" * 15]])
    assert [line.strip() for line in printed(stacked, 20)][1:] == ["x" * 15, "b  " + "y" * 15]


def test_columns_that_are_not_shown_are_not_explained(tables: dict[str, Grid]) -> None:
    wide, narrow = (" ".join(printed(tables["status"], width)) for width in (160, 70))
    assert "profile: █" in " ".join(wide.split())
    assert "profile: █" not in " ".join(narrow.split())


def test_words_are_whole_and_go_on_below_indented() -> None:
    text = "pass 12:00 (round 1): Seq waits for the reward of 06:00, asked 8 days ago"
    lines = wrapped(text, 40).splitlines()
    assert max(map(len, lines)) <= 40
    assert [line.startswith("  ") for line in lines] == [False, True]
    assert " ".join(line.strip() for line in lines) == text
    long = "x" * 90
    assert long in wrapped(f"a {long} b", 40).replace("\n", " ")
