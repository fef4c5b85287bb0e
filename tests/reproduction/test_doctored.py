"""Every verdict follows the data: an agent or a law doctored in its place turns it around.

What is asserted is overwhelming for any seed: the doctored effects are many times their intervals.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spnb import theory
from spnb.paper.experiments.bai import BAI, HALF
from spnb.paper.experiments.recipe import Recipe
from spnb.paper.experiments.rm import RM
from spnb.paper.experiments.statements import STATEMENTS, claims
from spnb.paper.experiments.water import Water
from spnb.paper.experiments.yahoo import Article, Yahoo
from spnb.theory import log_bar

BAD, ONCE = "Seq(Uniform)", 'UCBE(c={c}, ties="first")'

# Statement -> (the label that is doctored, what plays it instead, the verdict then).
DOCTORED: dict[str, tuple[str, str, bool]] = {
    "R1": ("Seq(TS)", "TS", False),
    "R2": ("Seq(TS)", BAD, False),
    "R3": ("Seq(TS)", "Uniform", False),
    "R4": ("Seq(TS)", "Uniform", False),
    "R5": ("UCBrev+", "TS", False),
    "R6": ("UCBrev+", "Challenge", False),
    "R7": ("Seq(TS)", "Uniform+", False),
    "R8": ("UCBrev+", "TS", False),
    "R9": ("UCBrev+", "TS", False),
    "R10": ("Seq(TS)", "Uniform+", False),
    "R11": ("TS", "Uniform+", False),
    "R12": ("Seq(TS)", BAD, False),
    "R13": ("Seq(TS)", BAD, False),
    "R14": ("UCBrev", "Uniform+", True),
    "I1": ("LP", "Greedy", False),
    "I2": ("LP", "Greedy", False),
    "I3": ("LP", ONCE, False),
    "I4": ("LP", ONCE, False),
    "I5": ("SR+", 'Seq(UCBE(c=2, ties="first"))', True),
    "I6": ("LR", "Greedy", False),
    "I7": ("LR", ONCE, False),
    "I8": ("LP", ONCE, False),
    "I9": ("LP", "Greedy", False),
    "I10": ("SR", 'SR+(ties="first")', False),
    "I11": ("", "", True),
    "A1": ("Seq(TS)", BAD, False),
    "A2": ("UCBrev+", "Challenge", False),
    "A3": ("Seq(TS)", "TS", False),
    "A4": ("Seq(TS)", "Uniform", False),
    "A5": ("Seq(TS)", "Uniform+", False),
    "A6": ("Seq(TS)", BAD, False),
    "A7": ("Seq(bUCB)", BAD, False),
    "A8": ("Seq(TS)", BAD, False),
    "W1": ("Seq(UCBE)", "Greedy", False),
    "W2": ("Seq(UCBE)", "Greedy", False),
    "S1": ("Challenge", BAD, False),
    "S2": ("Seq(TS(sweep))", BAD, False),
    "S3": ("Challenge", BAD, False),
    "S4": ("LP ahead", ONCE, False),
    "S5": ("LP ahead", "Greedy", False),
    "S6": ("Pack", "Greedy", False),
    "S7": ("Pack", "Greedy", False),
    "S8": ("Pack plugin", "Greedy", False),
    "S9": ("Challenge", BAD, False),
}
PARTS = {said.id: said.part for said in STATEMENTS}
EASY = tuple(Article(str(i), (0, 1, 2), (0.1, 0.9, 0.2)) for i in range(12))


def recipe(part: str, seed: int) -> Any:
    recipes: dict[str, Any] = {
        "rm": RM(runs=40, seed=seed, rounds=150),
        "bai": BAI(runs=100, seed=seed, c=(1.0, 2.0, 8.0), packs=(HALF,)),
        "yahoo": Yahoo(EASY, 0, "made-up day", True, runs=10, seed=seed, rounds=200),
        "water": Water(runs=150, seed=seed, c=(1.0, 2.0), rounds=100),
    }
    return recipes[part]


def verdicts(of: Recipe, known: dict[Any, Any] | None = None) -> dict[str, bool | None]:
    """``known`` are findings of another recipe; whatever task is the same is not run again."""
    known = known or {}
    found = {name: known[name] if name in known else task() for name, task in of.tasks().items()}
    return {claim.id: claim.holds for claim in claims({of.name: of.results(found)})}


@pytest.fixture(scope="module")
def honestly() -> dict[tuple[str, int], dict[Any, Any]]:
    """What the honest recipes found, by part and seed, each computed once."""
    return {}


def known(part: str, seed: int, honestly: dict[tuple[str, int], dict[Any, Any]]) -> dict[Any, Any]:
    if (part, seed) not in honestly:
        tasks = recipe(part, seed).tasks()
        honestly[part, seed] = {name: task() for name, task in tasks.items()}
    return honestly[part, seed]


def test_every_statement_is_doctored() -> None:
    assert set(DOCTORED) == {said.id for said in STATEMENTS}


def test_what_is_doctored_comes_out_otherwise_than_on_the_page() -> None:
    page = Path(__file__).parents[2] / "docs" / "paper-reproduced.md"
    rows = re.findall(r"^\| (\w+) \| .* \| \*\*(.*)\*\* \|$", page.read_text(), flags=re.MULTILINE)
    words = {"holds": True, "does not hold": False, "not settled": None}
    told = {id_: words[verdict] for id_, verdict in rows}
    alike = [id_ for id_, (_, _, then) in DOCTORED.items() if told[id_] is then]
    # At other values of c LP errs more than SR+ even undoctored (c = 8).
    assert alike in ([], ["I9"])


GROUPS = sorted({(PARTS[i], label, spec) for i, (label, spec, _) in DOCTORED.items() if label})


def marks(group: tuple[str, str, str]) -> list[pytest.MarkDecorator]:
    """What is honestly found of a part is found once, by the one worker that has its tests."""
    return [pytest.mark.xdist_group(f"doctored {group[0]}"), *[pytest.mark.soak] * slow(group)]


def slow(group: tuple[str, str, str]) -> bool:
    return group[0] == "water" or group[:2] == ("rm", "Challenge")


@pytest.mark.parametrize(
    ("part", "label", "spec"),
    [pytest.param(*each, marks=marks(each)) for each in GROUPS],
    ids=str,
)
def test_a_doctored_agent_turns_the_verdict(
    part: str, label: str, spec: str, seed: int, honestly: dict[tuple[str, int], dict[Any, Any]]
) -> None:
    honest = recipe(part, seed)
    agents = tuple((name, spec if name == label else own) for name, own in honest.agents)
    assert agents != honest.agents
    doctored_recipe = replace(honest, agents=agents)
    before, after = honest.tasks(), doctored_recipe.tasks()
    same = {
        name: value
        for name, value in known(part, seed, honestly).items()
        if name in after and before[name].arguments == after[name].arguments
    }
    found = verdicts(doctored_recipe, same)
    for id_, (doctored, plays, then) in DOCTORED.items():
        if (PARTS[id_], doctored, plays) == (part, label, spec):
            assert found[id_] is then, id_


def test_a_doctored_theorem_turns_the_verdict(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    small = BAI(runs=4, seed=seed, c=(2.0,), experiments=(4,), packs=())
    assert verdicts(small)["I11"] is False
    monkeypatch.setattr(theory, "sr_plus_gain", lambda arms, rounds: arms / log_bar(arms))
    assert verdicts(small)["I11"] is True
