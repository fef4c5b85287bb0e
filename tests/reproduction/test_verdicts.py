"""Verdicts are what the intervals say, and nothing else."""

import json
from collections.abc import Callable
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from spnb.paper.experiments import claims_bai, claims_rm, claims_studies
from spnb.paper.experiments.plain import Plain
from spnb.paper.experiments.verdict import (
    Check,
    Claim,
    above,
    below,
    judged,
    text_of,
    verdict,
    within,
)

finite = st.floats(-100, 100)


@given(st.lists(finite, min_size=3, max_size=3), finite)
def test_above_and_below_never_agree_and_straddling_settles_nothing(
    ends: list[float], level: float
) -> None:
    low, mean, high = sorted(ends)
    estimate = {"mean": mean, "low": low, "high": high}
    up, down = above("", estimate, level).holds, below("", estimate, level).holds
    assert not (up is True and down is True)
    if low < level < high:
        assert up is None
        assert down is None
    if low > level:
        assert (up, down) == (True, False)
    if high < level:
        assert (up, down) == (False, True)


@given(st.lists(finite, min_size=5, max_size=5))
def test_within_is_true_inside_false_outside_and_open_across_the_border(
    values: list[float],
) -> None:
    least, low, mean, high, most = sorted(values)
    estimate = {"mean": mean, "low": low, "high": high}
    assert within("", estimate, least, most).holds is True
    assert within("", estimate, high + 1, high + 2).holds is False
    if low < mean < high:
        assert within("", estimate, mean, high + 1).holds is None


def test_one_run_has_no_interval_and_settles_nothing() -> None:
    lonely = {"mean": 5.0, "low": None, "high": None}
    assert above("", lonely).holds is None
    assert below("", lonely).holds is None
    assert within("", lonely, 0, 10).holds is None
    assert "no interval" in text_of(lonely)


def test_a_claim_is_as_strong_as_its_weakest_check() -> None:
    for first, second in product((True, False, None), repeat=2):
        expected = False if False in (first, second) else None if None in (first, second) else True
        assert verdict([first, second]) is expected
    assert verdict([]) is None


def test_a_claim_names_what_went_wrong_and_only_that() -> None:
    checks = [Check("fine", True), Check("bad", False), Check("open", None)]
    claim = judged(1, "c", "p", "o", checks, why_not="Because.")
    assert claim.holds is False
    assert claim.why == "Because. Does not hold: bad"
    assert judged(1, "c", "p", "o", checks[:1]).why == ""
    assert judged(1, "c", "p", "o", [checks[0], checks[2]]).why.endswith("runs: open")
    json.dumps(claim.to_dict())


def test_many_failures_are_counted_rather_than_listed() -> None:
    claim = judged(1, "c", "p", "o", [Check(f"check {i}", False) for i in range(9)])
    assert claim.why.endswith("and 3 more")


def interval(mean: float, half: float = 0.001) -> Plain:
    return {"mean": mean, "low": mean - half, "high": mean + half}


def identification(
    psi_rounds: float = -0.1,
    psi_pulls: float = 0.1,
    rejects: float = -0.8,
    growth: float = -0.01,
    errors: float = -0.01,
) -> Plain:
    agents: Plain = {
        "LP": {"psi_rounds": interval(psi_rounds)},
        "LR": {"psi_pulls": interval(psi_pulls)},
    }
    paired = {"LP - UCBE": interval(0.0)}
    paired |= {pair: interval(errors) for pair in claims_bai.LESS}
    step = {"from": "2", "to": "4", "psi_rounds": interval(growth), "psi_pulls": interval(-growth)}
    both = {"agents": agents, "paired": paired}
    experiment = {
        "c": {"2": both, "4": both},
        "agents": {"SR+": {"psi_rounds": interval(rejects)}},
        "growth": [step],
    }
    return {"c": ["2", "4"], "experiments": {"1": experiment}, "overall": {"2": paired}}


def test_identification_claims_follow_the_figures() -> None:
    def holds(judge: Callable[[Plain], Claim], **changed: float) -> bool | None:
        return judge(identification(**changed)).holds

    assert holds(claims_bai.rounds_saved) is True
    assert holds(claims_bai.rounds_saved, psi_rounds=-0.3) is False
    assert holds(claims_bai.rounds_saved, psi_rounds=-0.185) is None
    assert holds(claims_bai.pulls_added) is True
    assert holds(claims_bai.pulls_added, psi_pulls=0.0) is False
    assert holds(claims_bai.errors) is True
    assert holds(claims_bai.errors, errors=0.05) is False
    assert holds(claims_bai.errors, errors=0.0) is None
    assert holds(claims_bai.grows_with_c) is True
    assert holds(claims_bai.grows_with_c, growth=0.01) is False
    assert holds(claims_bai.rejects_similar) is False
    assert holds(claims_bai.rejects_similar, rejects=-0.11) is True
    assert holds(claims_bai.rejects_similar, rejects=-0.15) is None


def test_exceptions_are_named_by_experiment() -> None:
    results = identification(errors=0.05)
    assert "1 (LP - SR+ 5" in claims_bai.errors(results).ours


def test_claims_about_c_2_need_it() -> None:
    results = identification()
    results["c"] = ["4"]
    judges = (
        claims_bai.rounds_saved,
        claims_bai.pulls_added,
        claims_bai.errors,
        claims_bai.rejects_similar,
    )
    for judge in judges:
        claim = judge(results)
        assert claim.holds is None
        assert "c = 2" in claim.why
    assert claims_bai.grows_with_c(results).holds is None
    assert claims_studies.water_rounds({"c": {"4": {}}}).holds is None


def ratio(high_at_start: float, end: float, half: float = 0.02) -> Plain:
    rounds = [1, 10, 50, 100]
    high = [high_at_start, high_at_start, 0.95, end + half]
    return {
        "rounds": rounds,
        "mean": [1.0, high_at_start - 0.05, 0.9, end],
        "low": [0.9, high_at_start - 0.1, 0.85, end - half],
        "high": high,
    }


def yahoo(**ratios: Plain) -> Plain:
    filled = {name: ratios.get(name, ratio(0.99, 0.9)) for name in claims_studies.RATIOS}
    return {"ratio": filled, "rounds": 100, "synthetic": True, "articles": {"1": {}}}


def test_ratio_claim_looks_at_the_whole_horizon_and_at_the_end() -> None:
    ts = claims_studies.RATIOS[0]
    assert claims_studies.yahoo_ratios(yahoo()).holds is True
    assert claims_studies.yahoo_ratios(yahoo(**{ts: ratio(1.05, 0.9)})).holds is None
    assert claims_studies.yahoo_ratios(yahoo(**{ts: ratio(1.2, 0.9)})).holds is False
    assert claims_studies.yahoo_ratios(yahoo(**{ts: ratio(0.99, 0.7)})).holds is False
    assert claims_studies.yahoo_ratios(yahoo(**{ts: ratio(0.99, 1.2)})).holds is False
    assert claims_studies.below_from(ratio(1.1, 0.9)) == 50
    assert claims_studies.below_from(ratio(1.1, 1.2)) is None


def test_last_tenth_of_a_curve() -> None:
    curve = {"rounds": [1, 50, 95, 100], "mean": [9, 5, 2, 1], "low": [8, 4, 1, 0], "high": [9] * 4}
    first, last = claims_rm.first_and_last(curve)
    assert first == {"mean": 9, "low": 8, "high": 9}
    assert last == {"mean": 1.5, "low": 0.5, "high": 9}


def test_the_last_lead_of_a_curve() -> None:
    first = {"rounds": [1, 2, 3, 4], "mean": [0.1, 0.5, 0.6, 0.7]}
    second = {"rounds": [1, 2, 3, 4], "mean": [0.2, 0.4, 0.5, 0.9]}
    assert claims_studies.ahead_until(first, second) == 3
    assert claims_studies.ahead_until(second, first) == 4
    assert claims_studies.ahead_until(first, first) == 0
