"""Verdicts are what the figures say, and they keep their level."""

import json
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spnb.paper.experiments import plain
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.statements import STATEMENTS, tolerances
from spnb.paper.experiments.verdict import (
    Check,
    MissingError,
    Statement,
    above,
    below,
    exact,
    holm,
    judged,
    text_of,
    within,
)

probability = st.floats(0, 1)
finite = st.floats(-100, 100)


def statement(
    checks: list[Check], quorum: Literal["all", "most"] = "all", why_not: str = ""
) -> Statement:
    return Statement("X1", "rm", "here", "w", "m", lambda results: checks, "none", quorum, why_not)


def check(shown: float, refuted: float, text: str = "c") -> Check:
    return Check(text, {"mean": 1.0, "low": 0.0, "high": 2.0}, shown, refuted)


YES, NO, OPEN = check(0.0, 1.0), check(1.0, 0.0, "bad"), check(0.5, 0.5, "open")


def test_a_statement_is_as_strong_as_its_weakest_check() -> None:
    def holds(*checks: Check) -> bool | None:
        return judged(statement(list(checks)), {}).holds

    assert holds(YES, YES) is True
    assert holds(YES, OPEN) is None
    assert holds(YES, OPEN, NO) is False
    assert holds() is None


def test_most_needs_more_than_half_and_is_lost_with_half() -> None:
    def holds(*checks: Check) -> bool | None:
        return judged(statement(list(checks), "most"), {}).holds

    assert holds(YES, YES, NO) is True
    assert holds(YES, NO) is False
    assert holds(YES, OPEN) is None
    assert holds(NO, NO, YES) is False
    assert holds() is None


def test_holds_needs_no_correction_and_contradiction_does() -> None:
    assert judged(statement([check(0.02, 1.0)] * 10), {}).holds is True
    assert judged(statement([check(1.0, 0.02)] * 1), {}).holds is False
    assert judged(statement([check(1.0, 0.02)] + [YES] * 9), {}).holds is None
    assert judged(statement([check(0.02, 1.0)] * 10, "most"), {}).holds is None


@given(st.lists(probability, max_size=8))
def test_holm_is_between_bonferroni_and_no_correction(values: list[float]) -> None:
    level, small = 0.025, holm(values)
    for value, found in zip(values, small, strict=True):
        assert not (value <= level / len(values) and not found)
        assert not (found and value > level)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.02, 0.03], level=0.05) == [True, True, True]
    assert holm([0.01, 0.03, 0.04], level=0.05) == [True, False, False]
    assert holm([0.02, 0.9, 0.9], level=0.05) == [False, False, False]


def test_a_claim_names_what_went_wrong_and_only_that() -> None:
    claim = judged(statement([YES, NO, OPEN], why_not="Because."), {})
    assert claim.why == "Because. Contradicted: bad: 1.00 [0.00, 2.00]."
    assert judged(statement([YES]), {}).why == ""
    assert judged(statement([YES, OPEN]), {}).why.startswith("Not settled by this many runs: open")
    many = judged(statement([NO] * 9), {})
    assert many.why.endswith("and 5 more.")
    json.dumps(claim.to_dict())


def test_a_statement_that_the_settings_cannot_speak_to_says_why() -> None:
    def refuse(results: Plain) -> list[Check]:
        raise MissingError("No such thing.")

    claim = judged(Statement("X", "rm", "here", "w", "m", refuse), {})
    assert (claim.holds, claim.why) == (None, "No such thing.")


@given(st.lists(finite, min_size=2, max_size=30), finite)
def test_above_and_below_never_agree(values: list[float], level: float) -> None:
    found = plain.mean(np.array(values))
    up, down = above("", found, level), below("", found, level)
    assert not (up.shown <= 0.025 and down.shown <= 0.025)
    assert not (up.shown <= 0.025 and up.refuted <= 0.025)
    if found["low"] < found["high"]:
        # Figures are kept to six digits, so not at the very border.
        wide = 1e-4 * (1 + abs(level) + abs(found["mean"]))
        if found["low"] > level + wide:
            assert up.shown <= 0.025
        if found["low"] < level - wide and found["high"] > level + wide:
            assert min(up.shown, up.refuted) > 0.02


def test_within_is_both_sides() -> None:
    found = {"mean": 0.0, "low": -1.0, "high": 1.0}
    assert within("", found, -2, 2).shown < 1e-3
    assert within("", found, 2, 4).refuted < 1e-3
    straddling = within("", found, 0, 4)
    assert min(straddling.shown, straddling.refuted) > 0.4


def test_values_at_the_level_itself_contradict_a_strict_inequality() -> None:
    same = plain.mean(np.ones(40))
    assert above("", same, 1.0).refuted < 1e-9
    assert below("", same, 1.0).refuted < 1e-9
    few = plain.mean(np.ones(2))
    assert above("", few, 0.5).shown > 0.025, "two equal values settle nothing"


def test_one_run_settles_nothing() -> None:
    lonely = plain.mean(np.array([5.0]))
    for made in (above("", lonely), below("", lonely), within("", lonely, 0, 10)):
        assert made.shown == made.refuted == 1.0
    assert "no interval" in text_of(lonely)
    assert text_of({"mean": None, "low": None, "high": None}) == "no figure"


def test_figures_without_chance_are_settled() -> None:
    assert exact("", 2.0, so=True).shown == 0
    assert exact("", 2.0, so=False).refuted == 0
    assert exact("", 2.0, so=True).figure() == "2"


@pytest.mark.parametrize(("checks", "quorum"), [(1, "all"), (40, "all"), (7, "most")])
def test_the_level_is_kept_whatever_the_number_of_checks(
    checks: int, quorum: Literal["all", "most"], seed: int
) -> None:
    """Means exactly at the level are the hardest case: neither verdict may come often."""
    luck = np.random.default_rng(seed)
    wrong, trials = 0, 400
    for _ in range(trials):
        values = luck.normal(size=(checks, 30))
        made = [below("", plain.mean(each)) for each in values]
        wrong += judged(statement(made, quorum), {}).holds is not None
    # At most 2 x 2.5 %; five standard errors on top. Without Holm 40 checks would give 63 %.
    assert wrong / trials < 0.05 + 5 * np.sqrt(0.05 * 0.95 / trials)


def test_every_statement_has_its_words_meaning_and_tolerance() -> None:
    ids = [said.id for said in STATEMENTS]
    assert len(ids) == len(set(ids))
    for said in STATEMENTS:
        assert said.words
        assert said.meaning
        assert said.tolerance
        assert said.part in ("rm", "bai", "yahoo", "water")
        assert said.own == said.id.startswith("S")


def test_tolerances_are_said_as_they_are() -> None:
    words = tolerances.WORDS
    assert f"{100 * tolerances.COMPARABLE_SHARES:g} points" in words["shares"]
    assert f"{100 * tolerances.COMPARABLE_ERRORS:g} points" in words["errors"]
    assert f"{100 * tolerances.SIMILAR_SAVINGS:g} points" in words["savings"]
    assert f"{100 * tolerances.START:g} %" in words["start"]
    assert str(tolerances.NEARLY_ONE) in words["nearly one"]
    assert str(tolerances.ONE_PULL) in words["one pull"]
    low, high = tolerances.ABOUT_NINE_TENTHS
    assert f"from {low} to {high}" in words["nine tenths"]
    assert (tolerances.COMPARABLE_REGRETS, tolerances.LIMITED) == (1 / 5, 1 / 4)
    assert (tolerances.SCALING, tolerances.ROUNDING) == (1 / 10, 0.5 / 100)
