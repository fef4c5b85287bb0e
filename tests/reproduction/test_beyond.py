"""The evidence beyond the paper: recipes give plain results, figures and a page."""

import json
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from spnb.engine.blocks import Progress
from spnb.paper.beyond.changing import ChangingDays
from spnb.paper.beyond.hours import Hours
from spnb.paper.beyond.profit import Profit
from spnb.paper.beyond.regret import Regret
from spnb.paper.beyond.run import STUDIES, _study, beyond, evidence
from spnb.paper.beyond.study import Study
from spnb.paper.markdown import quoted

TINY: list[Study] = [
    Regret(runs=4, arms=3, rounds=20),
    Profit(runs=4, arms=3, rounds=20),
    ChangingDays(runs=4, arms=3, rounds=20),
    Hours(runs=4, arms=(4, 5), rounds=20),
]


class Quiet:
    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)

    def progress(self, title: str) -> AbstractContextManager[Progress]:
        self.said.append(f"{title} begins")
        return nullcontext(lambda done, total: None)


def test_every_study_gives_results_figures_and_a_section(tmp_path: Path) -> None:
    found = beyond([_study(study) for study in TINY], tmp_path, 1, Quiet())
    assert list(found) == [study.name for study in TINY] == [cls.name for cls in STUDIES]
    page = (tmp_path / "beyond.md").read_text()
    for name, results in found.items():
        assert {case["helps"] for case in results["cases"].values()} == {True, False}, name
        assert f"## {results['title']}" in page
        for kind in ("png", "svg"):
            assert (tmp_path / "figures" / f"{name}.{kind}").stat().st_size > 1000
        for case in results["cases"].values():
            for spec, agent in case["agents"].items():
                assert f"| `{spec}` |" in page
                check_agent(agent)
            first = next(iter(case["agents"].values()))
            assert first["ratio"] == 1.0
            assert [first["against_first"][each] for each in ("mean", "low", "high")] == [0, 0, 0]
    limits = [case["limit"] for case in found["beyond-regret"]["cases"].values()]
    assert sum(limit is not None for limit in limits) == 6

    check_quotes(json.loads((tmp_path / "quotes.json").read_text()), found)


def check_quotes(quotes: dict[str, str], found: dict[str, Any]) -> None:
    """Pages get the figures of the run; what it does not have stays as it was."""
    assert list(quotes) == ["regret", "profit", "changing", "hours"]
    page = "<!-- reproduced: {} -->\nold\n<!-- end -->"
    filled = quoted(page.format("profit"), quotes)
    for case in found["beyond-profit"]["cases"].values():
        for spec, agent in case["agents"].items():
            assert f"| `{spec}` | {agent['regret']['mean']:.1f} (" in filled
    assert "old" not in filled
    told = quoted(page.format("regret"), quotes)  # with what is saved, and with the limit
    for case in found["beyond-regret"]["cases"].values():
        for spec, agent in case["agents"].items():
            change, limit = agent["against_first"], case["limit"]
            times = "" if limit is None else f"{agent['regret']['mean'] / limit:.2f}"
            row = next(
                line for line in told.splitlines()
                if line.startswith(f"| {case['title']}, {case['rounds']} rounds | `{spec}` |")
            )  # fmt: skip
            saved = f"{change['mean']:+.1f} ({change['low']:+.1f} to {change['high']:+.1f})"
            saved = "" if spec == "Challenge" else saved  # the first itself
            assert row.endswith(f"| {saved} | {times} |")
    assert quoted(page.format("safety"), quotes) == page.format("safety")


def check_agent(agent: dict[str, Any]) -> None:
    assert agent["regret"]["low"] <= agent["regret"]["mean"] <= agent["regret"]["high"]
    assert agent["q50"] <= agent["q95"] <= agent["q99"]
    assert 0 <= agent["lost"] <= 1
    json.dumps(agent, allow_nan=False)


def test_what_was_computed_is_found_again_and_other_settings_are_computed(tmp_path: Path) -> None:
    study, first, second, third = TINY[1], Quiet(), Quiet(), Quiet()
    beyond([_study(study)], tmp_path, 1, first)
    beyond([_study(study)], tmp_path, 1, second)
    beyond([_study(replace(study, seed=2))], tmp_path, 1, third)
    begins = f"{study.name} begins"
    assert [begins in each.said for each in (first, second, third)] == [True, False, True]


def test_sizes() -> None:
    assert {part.recipe.runs for part in evidence(False, 7, seed=3)} == {7}
    full = {part.recipe.name: part.recipe for part in evidence(False, None, seed=3)}
    for part in evidence(True, None, seed=3):
        assert part.recipe.seed == 3
        assert part.recipe.runs < full[part.recipe.name].runs
