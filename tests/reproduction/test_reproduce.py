"""The whole pipeline on tiny parts: same numbers everywhere, nothing computed twice or lost."""

import json
import logging
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from reproduction.conftest import Done
from reproduction.tiny import Quiet, Tiny, results_of
from spnb.engine.blocks import run_all
from spnb.paper import quote
from spnb.paper.experiments import code, parts, pools
from spnb.paper.experiments.recipe import Task
from spnb.paper.experiments.rm import paper_seconds
from spnb.paper.experiments.settings import PARTS
from spnb.paper.experiments.statements import STATEMENTS
from spnb.paper.reproduce import Job, _running_times, reproduce

pytestmark = pytest.mark.xdist_group("reproduce")  # what is made once serves one worker

TESTS = Path(__file__).parent.parent


def test_everything_is_written(done: Done) -> None:
    out, claims, _ = done
    assert {path.name for path in out.iterdir()} == {
        "claims.json", "figures", "paper-reproduced.md", "quotes.json", "report.html", "results",
        "run.json",
    }  # fmt: skip
    assert set(results_of(out)) == {f"{part}.json" for part in PARTS}
    listed = json.loads((out / "claims.json").read_text())
    assert [claim["id"] for claim in listed] == [said.id for said in STATEMENTS]
    assert [claim["holds"] for claim in listed] == [claim.holds for claim in claims]
    fields = {"id", "where", "words", "meaning", "tolerance", "verdict", "holds", "why", "checks"}
    assert all(fields == set(claim) for claim in listed)


def test_every_figure_comes_for_page_column_print_and_screen(done: Done) -> None:
    out, _, _ = done
    names = {path.name for path in (out / "figures").iterdir()}
    wide = {name.removesuffix(".png") for name in names if name.endswith(".png")}
    assert {"rm-6", "rm-6-ours", "rm-6-bounds", "bai-c2", "bai-c2-ours", "bai-rounds"} <= wide
    assert {"bai-pulls", "yahoo-rates", "yahoo-article", "yahoo-article-ours"} <= wide
    assert {"yahoo-ratio", "yahoo-ratio-ours", "water", "water-c2", "water-ours"} <= wide
    expected = {f"{name}{end}" for name in wide for end in (".svg", ".png", ".pdf", "-column.svg")}
    assert {name for name in names if "-panel" not in name} == expected
    assert {re.sub(r"-panel\d\.svg", "", name) for name in names if "-panel" in name} == wide


def test_text_in_figures_is_text_and_no_caption_is_said_twice(done: Done) -> None:
    out, _, _ = done
    svg = (out / "figures" / "rm-6-panel1.svg").read_text(encoding="utf-8")
    assert re.search(r"<text[^>]*>Regret</text>", svg)
    page = (out / "report.html").read_text(encoding="utf-8")
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", page)
    for caption in captions:
        if len(caption) > 120:
            assert captions.count(caption) == 1
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids)), "figures in one page must not share names"


def test_the_paper_seconds_stand_beside_ours(done: Done) -> None:
    facts = _running_times({"rm": {"runs": 7}}, {"rm": {"by_arms": {"10": 0.5, "50": 2.25}}})
    (text,) = facts.values()
    assert text.startswith("K = 10: 0.5 s (18 s), K = 50: 2.2 s (102 s)")
    assert _running_times({}, {}) == {}
    taken: dict[Any, float] = {
        (10, "TS", "authors"): 1.0, (10, "Seq(TS)", "authors"): 0.5, (10, "TS", "random"): 9.0,
        (10, "Challenge", "authors"): 9.0,
    }  # fmt: skip
    assert paper_seconds(taken) == {"10": 1.5}
    stored = json.loads((done[0] / "run.json").read_text())["parts"]["rm"]
    assert set(stored["by_arms"]) == {"6"}


def test_progress_is_told_for_every_part(done: Done) -> None:
    _, _, listener = done
    assert set(listener.reports) == {*PARTS, "figures"}
    for heard in listener.reports.values():
        assert heard[0][0] == 0
        assert heard[-1][0] == pytest.approx(heard[-1][1])
        assert [done for done, _ in heard] == sorted(done for done, _ in heard)


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = {name: value or "" for name, value in attrs}
        self.links += [found[key] for key in ("src", "href", "srcset") if key in found]
        self.ids.add(found.get("id", ""))
        if tag not in ("meta", "link", "img", "source", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_stands_alone(done: Done) -> None:
    out, claims, _ = done
    page = (out / "report.html").read_text(encoding="utf-8")
    seen = _Links()
    seen.feed(page)
    assert seen.open == []
    assert "script" not in seen.tags
    assert all(link.startswith(("data:", "#")) for link in seen.links)
    assert {link[1:] for link in seen.links if link.startswith("#")} <= seen.ids
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page), "nothing is fetched"
    assert seen.tags.count("figure") == len(list((out / "figures").glob("*.png")))
    for claim in claims:
        assert f'<details id="{claim.id}">' in page
    assert "These days are synthetic" in page


def test_the_document_has_every_claim_and_slip(done: Done) -> None:
    from spnb.paper.notes import SLIPS

    out, claims, _ = done
    text = (out / "paper-reproduced.md").read_text(encoding="utf-8")
    assert all(f"| {claim.id} | " in text for claim in claims)
    assert all(what in text for what, _ in SLIPS)


def test_results_hold_no_times_and_no_machine(done: Done) -> None:
    out, _, _ = done
    for text in results_of(out).values():
        stored = json.loads(text)
        assert set(stored) == {"key", "part", "results"}
        assert text == (json.dumps(stored, indent=1) + "\n").encode()


def test_finished_parts_are_reused_and_said_so(done: Done, sketch: None, tmp_path: Path) -> None:
    out = tmp_path / "copy"
    shutil.copytree(done[0], out)
    before, facts = results_of(out), (out / "run.json").read_text()
    listener = Quiet()
    reproduce(Tiny(seed=5), Job(out), listener)
    assert [line.split(":")[0] for line in listener.said if "reused" in line] == list(PARTS)
    assert set(listener.reports) == {"figures"}
    assert results_of(out) == before
    seconds = [
        json.loads(text)["parts"]["rm"]["seconds"]
        for text in (facts, (out / "run.json").read_text())
    ]
    assert seconds[0] == seconds[1]  # the time it took is remembered
    assert not (out / "figures" / "rm-6-bounds.svg").exists()  # nobody asked for it this time


def test_a_part_by_itself_brings_what_is_there_already(
    done: Done, sketch: None, tmp_path: Path
) -> None:
    out = tmp_path / "copy"
    shutil.copytree(done[0], out)
    claims = reproduce(Tiny(seed=5), Job(out), Quiet(), ["rm"])
    assert len(claims) == len(STATEMENTS)
    # What is computed and what is read back are told in the same words.
    assert (out / "claims.json").read_bytes() == (done[0] / "claims.json").read_bytes()
    alone = reproduce(Tiny(seed=5), Job(tmp_path / "alone"), Quiet(), ["water"])
    assert [claim.id for claim in alone] == ["W1", "W2"]


def test_other_settings_other_code_or_fresh_compute_anew(
    done: Done, sketch: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "copy"
    shutil.copytree(done[0], out)
    recipe = Tiny(seed=5).recipe("rm")
    assert parts.kept(recipe, out / "results") is not None
    assert parts.kept(Tiny(seed=6).recipe("rm"), out / "results") is None
    with monkeypatch.context() as patch:
        patch.setattr(parts, "code_digest", lambda: "other")
        assert parts.kept(recipe, out / "results") is None
    listener = Quiet()
    reproduce(Tiny(seed=5), Job(out, fresh=True), listener, ["water"])
    assert "water" in listener.reports


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 1}'])
def test_a_spoilt_part_is_computed_anew(tmp_path: Path, text: str) -> None:
    (tmp_path / "rm.json").write_text(text)
    assert parts.kept(Tiny().recipe("rm"), tmp_path) is None


def test_two_workers_give_the_same_bytes(done: Done, tmp_path: Path) -> None:
    out, _, _ = done
    reproduce(Tiny(seed=5), Job(tmp_path, workers=2), Quiet(), ["water"])
    with pools.local(2) as pool:
        for part in PARTS:
            parts.computed(Tiny(seed=5).recipe(part), tmp_path / "results", pool, None)
    assert results_of(tmp_path) == results_of(out)
    for name in ("water.svg", "water.png", "water.pdf", "water-column.svg", "water-panel1.svg"):
        drawn = [folder / "figures" / name for folder in (tmp_path, out)]
        assert drawn[0].read_bytes() == drawn[1].read_bytes()


def test_the_digest_covers_what_numbers_depend_on_and_not_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def digest() -> str:
        return code.code_digest.__wrapped__()

    after = ("report", "paper", "paper/experiments/statements")
    for folder in (*after, "policies", "paper/experiments"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "a.py").write_text("1")
    monkeypatch.setattr(code, "PACKAGE", tmp_path)
    first = digest()
    for folder in after:
        (tmp_path / folder / "a.py").write_text("2")
        assert digest() == first
    for folder in ("policies", "paper/experiments"):
        (tmp_path / folder / "a.py").write_text("2")
        assert digest() != first
        first = digest()


def test_the_commit_is_told_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert re.fullmatch(r"none|[0-9a-f]{12}( with changes)?", code.commit())
    monkeypatch.setattr(code, "PACKAGE", tmp_path)
    assert code.commit() == "none"


def speak() -> None:
    logging.getLogger("spnb.compiler").info("compiling something")


def test_what_workers_say_is_heard_here() -> None:
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    engine, ear = logging.getLogger("spnb"), Ear()
    level = engine.level
    engine.addHandler(ear)
    engine.setLevel(logging.INFO)
    try:
        with pools.local(2) as pool:
            run_all([Task(speak, (), 1.0)], [1.0], pool, None)
    finally:
        engine.removeHandler(ear)
        engine.setLevel(level)
    assert heard == ["compiling something"]


def test_pages_quote_what_the_run_wrote(done: Done, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Before\n<!-- reproduced: tally -->\nold\n<!-- end -->\nafter\n")
    quote.main(str(done[0]), str(page))
    told = json.loads((done[0] / "quotes.json").read_text())
    assert page.read_text() == (
        f"Before\n<!-- reproduced: tally -->\n{told['tally']}<!-- end -->\nafter\n"
    )
    assert told["tally"].startswith("Of 35 statements of the paper ")
    assert told["own"].count("\n") == 4 + sum(said.own for said in STATEMENTS)
    assert "seed 5" in told["own"]
    assert "told H1" in told["own"]
    quote.main(str(done[0]), str(page))  # and again: nothing changes
    assert told["tally"] in page.read_text()


@pytest.mark.parametrize("part", ["bai", "water"])
def test_without_the_c_of_a_statement_it_is_left_open_and_the_rest_is_shown(
    part: str, tmp_path: Path, sketch: None
) -> None:
    class Other(Tiny):
        def recipe(self, part: str, progress: Any = None) -> Any:
            small: Any = Tiny.recipe(self, part)
            changed: dict[str, Any] = {"bai": {"c": (4.0,), "packs": ()}, "water": {"c": (4.0,)}}
            return replace(small, **changed.get(part, {}))

    claims = reproduce(Other(seed=5), Job(tmp_path), Quiet(), [part])
    told = {claim.id: claim for claim in claims}
    for id_ in ("I1", "I2", "I3", "I6", "S4", "S6", "S8") if part == "bai" else ("W1",):
        assert told[id_].holds is None
        assert told[id_].why.startswith("This run has no c = 2")
    if part == "bai":
        assert told["I8"].why == "This run has a single value of c."
