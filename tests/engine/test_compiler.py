"""Machine code kept on disk: never stale, never damaged, never another's; told when it is made."""

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spnb
from spnb import testing
from spnb.bandits.agents import Seq
from spnb.bandits.policies import UCB1
from spnb.engine import compiler
from spnb.engine import play as engine
from spnb.engine.play import Played
from spnb.engine.reach import digest

AGENT = Seq(UCB1())


@pytest.fixture
def play_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., list[bytes]]:
    """Plays as a process does that has compiled nothing yet, and keeps its code in a folder."""
    monkeypatch.setenv(compiler.FOLDER, str(tmp_path / "kept"))

    def play(agent: Any = AGENT) -> list[bytes]:
        monkeypatch.setattr(compiler, "_ready", {})
        game = testing._game(agent, spnb.Bernoulli(testing.MEANS), range(3), seed=5)
        played = engine.play_compiled(game)
        return [getattr(played, name).tobytes() for name in Played.__slots__]

    return play


def compilings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What was said of compiling since the last look."""
    told = [r.getMessage() for r in caplog.records if r.levelno == logging.INFO]
    caplog.clear()
    return [text for text in told if "compiling" in text]


ONCE = "compiling Seq(UCB1), once after installation"


def test_code_is_compiled_once_and_that_is_told_exactly_then(
    play_anew: Any, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.INFO, "spnb")
    first = play_anew()
    assert compilings(caplog) == [ONCE]
    assert len(list((tmp_path / "kept").rglob("*.nbc"))) == 1, "kept where SPNB_CACHE_DIR says"
    assert play_anew() == first
    assert compilings(caplog) == [], "it was loaded"


def test_code_of_this_process_is_not_even_loaded_again(
    play_anew: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_anew()
    monkeypatch.setattr(compiler, "_made", lambda *args: pytest.fail("made again"))
    engine.play_compiled(testing._game(AGENT, spnb.Bernoulli(testing.MEANS), range(3), seed=5))


def test_damaged_code_is_compiled_anew(
    play_anew: Any, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.INFO, "spnb")
    whole = play_anew()
    compilings(caplog)
    for suffix, damage in (
        (".nbc", lambda text: text[: len(text) // 2]),
        (".nbc", lambda text: text[:500] + bytes([text[500] ^ 1]) + text[501:]),
        (".nbi", lambda text: text[:-3]),
        (".nbi", lambda text: b""),
        (".json", lambda text: text[:20]),
        (".json", lambda text: b"[]"),
    ):
        (path,) = (tmp_path / "kept").rglob(f"*{suffix}")
        path.write_bytes(damage(path.read_bytes()))
        assert play_anew() == whole, suffix
        assert compilings(caplog) == [ONCE], suffix
        assert play_anew() == whole
        assert compilings(caplog) == [], "sealed again"


def test_code_that_someone_added_or_took_away_is_not_trusted(
    play_anew: Any, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.INFO, "spnb")
    whole = play_anew()
    compilings(caplog)
    (index,) = (tmp_path / "kept").rglob("*.nbi")
    (index.parent / "more.nbc").write_bytes(b"?")
    assert play_anew() == whole
    assert compilings(caplog) == [ONCE]
    (code,) = (tmp_path / "kept").rglob("*.nbc")
    code.unlink()
    assert play_anew() == whole
    assert compilings(caplog) == [ONCE]


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(
    mode: int, play_anew: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "spnb")
    root = tmp_path / "kept" / "code"
    root.mkdir(parents=True)
    root.chmod(mode)
    play_anew()
    assert compilings(caplog) == [ONCE]
    assert list(root.iterdir()) == []


@pytest.mark.unprivileged
def test_a_folder_that_cannot_be_written_to_is_not_used(play_anew: Any, tmp_path: Path) -> None:
    root = tmp_path / "kept" / "code"
    root.mkdir(parents=True, mode=0o500)
    play_anew()
    assert list(root.iterdir()) == []


def test_without_a_folder_things_still_work(
    play_anew: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = play_anew()
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv(compiler.FOLDER, str(tmp_path / "file" / "below"))
    assert play_anew() == kept


def test_the_folder_is_private(play_anew: Any, tmp_path: Path) -> None:
    play_anew()
    for path in (tmp_path / "kept").rglob("*"):
        if path.is_dir() and path.name != "kept":
            assert path.stat().st_mode & 0o022 == 0
            assert path.stat().st_uid == os.getuid()


SCALE = 2.0
TABLE = np.array([0.25, 0.5])


def inner(x: float) -> float:
    return x * SCALE


def outer(x: float) -> float:
    return inner(x) + 1.0


def looking(x: int) -> float:
    return float(TABLE[x])


def test_a_digest_knows_all_that_a_function_reaches(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(outer), digest(looking)
    assert (digest(outer), digest(looking)) == before
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "SCALE", 3.0)
        assert digest(outer) != before[0]
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "inner", lambda x: x - 1.0)
        assert digest(outer) != before[0]
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "TABLE", np.array([0.25, 0.75]))
        assert digest(looking) != before[1]
    assert (digest(outer), digest(looking)) == before


def test_a_digest_knows_defaults_constants_and_closures() -> None:
    def made(step: float) -> Callable[..., float]:
        def function(x: float) -> float:
            return x + step

        return function

    def one(x: float, by: float = 1.0) -> float:
        return x * by

    def two(x: float, by: float = 2.0) -> float:
        return x * by

    two.__qualname__ = one.__qualname__
    assert digest(made(1.0)) != digest(made(2.0))
    assert digest(made(1.0)) == digest(made(1.0))
    assert digest(one) != digest(two)


def test_a_policy_changed_by_inheritance_is_not_played_by_its_parents_code(
    play_anew: Any, seed: int
) -> None:
    class Pessimist(UCB1):
        """The least index."""

        def index(self, pulls: float, sums: float, clock: float) -> float:
            return -sums / pulls

    assert play_anew(Seq(Pessimist())) != play_anew(Seq(UCB1()))
    testing.check_compiled_equals_plain(Seq(Pessimist()), seed)
