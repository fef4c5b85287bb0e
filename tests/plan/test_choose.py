"""The chooser: the first rule that fits, specs that work, and a page that says the same."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import spnb
from spnb.base.errors import SpecError
from spnb.cli.app import app
from spnb.plan.choose import PURPOSES, RULES, Wish, choose

PAGE = Path(__file__).parents[2] / "docs" / "choose.md"


@pytest.mark.parametrize(
    ("wish", "spec"),
    [
        (Wish("best", pulls=600), "Pack(early)"),
        (Wish("best", pulls=600, rounds=100), "Pack(rounds=100, pulls=600, early)"),
        (Wish("best", pulls=600, save="rounds"), "CR-A+"),
        (Wish("best", pulls=600, save="pulls"), 'Seq(UCBE(c=2, plugin, ties="ahead"))'),
        (Wish("best", rounds=60), "Uniform+"),
        (Wish("best", pulls=600, once=True), "UCBE(c=2, plugin)"),
        (Wish("best", confidence=0.99), "Race(delta=0.01)"),
        (Wish("best", confidence=0.9, save="pulls"), "Seq(T3C(delta=0.1))"),
        (Wish("best", confidence=0.9, once=True), "T3C(delta=0.1)"),
        (Wish("best"), "Race"),
        (Wish("level", level=0.3), "Above(level=0.3)"),
        (Wish("level", level=0.3, confidence=0.9), "Above(level=0.3, delta=0.1)"),
        (Wish("level", level=0.3, pulls=90), 'Seq(APT(level=0.3, ties="ahead"))'),
        (
            Wish("level", level=0.3, pulls=90, rounds=30),
            "Pack(APT(level=0.3), rounds=30, pulls=90)",
        ),
        (Wish("regret"), "Stakes"),
        (Wish("regret", rounds=365), "Stakes(c=0.8, horizon)"),
        (Wish("regret", rounds=365, safe=True), "Stakes(c=0.05)"),
        (Wish("regret", rounds=365, cost=0.04), "Worth(cost=0.04)"),
        (Wish("regret", changes="rare"), "Challenge(GLRKLUCB)"),
        (Wish("regret", changes="steady"), "Challenge(DTS(discount=0.98))"),
        (Wish("regret", hours=True), "Challenge(GPUCB)"),
        (Wish("regret", places=3), "Challenge(best=3)"),
        (Wish("regret", once=True), "bUCB"),
        (Wish("best", save="pulls"), "Seq(T3C)"),
        (Wish("best", save="rounds"), "Race"),
        (Wish("best", once=True, rounds=50), "UCBE(c=2, plugin)"),
    ],
)
def test_a_wish_gets_its_agent(wish: Wish, spec: str) -> None:
    assert str(choose(wish).agent) == spec


def test_every_rule_is_the_first_to_fit_somebody() -> None:
    for at, rule in enumerate(RULES):
        before = [r for r in RULES[:at] if r.goal == rule.goal and r.needs <= rule.needs]
        assert not before, f"{rule.agent} is never reached: {before[0].agent} comes first"


def test_every_agent_of_the_table_can_be_used_live_if_told_its_horizon() -> None:
    for rule in RULES:
        numbers = {"rounds": 9, "pulls": 20, "delta": 0.05, "level": 0.3, "places": 2}
        numbers["cost"] = 0.2
        learner = spnb.Learner(rule.agent.format(**numbers), arms=4, horizon=20, seed=1)
        assert learner.next_wanted() is not None


def test_the_page_has_every_rule_in_order() -> None:
    table = PAGE.read_text().split("\n\n")[2]
    rows = table.splitlines()[2:]
    assert rows == [
        f"| {PURPOSES[rule.goal]} | {', '.join(sorted(rule.needs)) or 'nothing'} "
        f"| `{rule.agent}` | {rule.why} |"
        for rule in RULES
    ]


def test_what_a_rule_rests_on_is_a_page_with_that_heading() -> None:
    for rule in RULES:
        page, _, rest = rule.evidence.partition(", ")
        heading = rest.partition(":")[0]
        text = (PAGE.parents[1] / page.partition(":")[0]).read_text()
        assert f"## {heading}\n" in text or not rest or ":" in page, rule.evidence


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goal": "level"}, "needs a level"),
        ({"goal": "regret", "level": 0.3}, "these options have no meaning: level"),
        ({"goal": "best", "places": 2}, "these options have no meaning: places"),
        ({"goal": "best", "cost": 0.2}, "these options have no meaning: cost"),
        ({"goal": "regret", "cost": 0.2, "once": True}, "can do all of this at once: cost, once"),
        ({"confidence": 0.9, "pulls": 300}, "can do all of this at once: confidence, pulls"),
        ({"confidence": 0.9, "rounds": 30}, "can do all of this at once: confidence, rounds"),
        ({"rounds": 30, "save": "pulls"}, "can do all of this at once: few pulls, rounds"),
        (
            {"goal": "level", "level": 0.3, "confidence": 0.9, "pulls": 100},
            "can do all of this at once: confidence, level, pulls",
        ),
        ({"goal": "regret", "pulls": 100}, "these options have no meaning: pulls"),
        ({"goal": "regret", "confidence": 0.9}, "these options have no meaning: confidence"),
        ({"goal": "regret", "cost": 2}, r"Wish\.cost must be a number in \[0, 1\], got 2"),
        ({"goal": "regret", "changes": "often"}, r"Wish\.changes must be one of 'rare', 'steady'"),
        ({"goal": "fame"}, r"Wish\.goal must be one of"),
        ({"pulls": 0}, r"Wish\.pulls must be a whole number >= 1, got 0"),
        ({"confidence": 1.0}, r"Wish\.confidence must be a number inside \(0, 1\), got 1\.0"),
        ({"save": "money"}, r"Wish\.save must be one of 'rounds', 'pulls'"),
    ],
)
def test_nonsense_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        choose(Wish(**options))  # type: ignore[arg-type]  # that is the point


def test_the_command_says_agent_reason_and_evidence() -> None:
    done = CliRunner().invoke(app, ["choose", "--goal", "best", "--pulls", "600"])
    assert done.exit_code == 0
    assert "Use Pack(early): " in done.output
    assert "horizon" in done.output
    assert "docs/identification.md" in done.output
    told = CliRunner().invoke(app, ["choose", "--confidence", "0.95", "--json"])
    assert json.loads(told.output)["agent"] == "Race"
