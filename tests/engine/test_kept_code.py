"""Other processes: code kept on disk is that of the formulas as they are now."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spnb

PACKAGE = Path(spnb.__file__).parent


def run(script: Path, kept: Path, *paths: Path) -> str:
    """What a script prints; its code is kept in a folder, modules are found in these first."""
    found = os.pathsep.join(map(str, paths))
    environment = {**os.environ, "SPNB_CACHE_DIR": str(kept), "PYTHONPATH": found}
    done = subprocess.run(
        [sys.executable, str(script)],
        env=environment, cwd=script.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


REGRET = """
import spnb
from spnb import testing
from spnb.engine import play
play.SMALL = 0
testing.check_compiled_equals_plain(spnb.agent("Seq(UCB1)"))
result = spnb.simulate(spnb.Bernoulli((0.3, 0.5, 0.6)), "Seq(UCB1)", rounds=100, runs=5, seed=1)
print(result.agents["Seq(UCB1)"].regret.tolist(), spnb.__file__)
"""


def test_code_of_an_older_spnb_is_never_used(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "spnb", ignore=shutil.ignore_patterns("__pycache__"))
    script = tmp_path / "script.py"
    script.write_text(REGRET)

    def regret() -> str:
        printed = run(script, tmp_path / "kept", tmp_path)
        assert str(tmp_path) in printed
        return printed

    seen = [regret()]
    assert len(list(tmp_path.rglob("*.nbc"))) == 1
    assert regret() == seen[0]
    assert len(list(tmp_path.rglob("*.nbc"))) == 1, "compiled again for nothing"
    for name, before, after in (
        ("bandits/policies/ucb.py", "sums / pulls + sqrt(", "sums / pulls - sqrt("),
        ("bandits/agents/follow.py", "s.target < start", "s.target <= start"),
        ("engine/dice.py", "0xBF58476D1CE4E5B9", "0xBF58476D1CE4E5BB"),
    ):
        file = tmp_path / "spnb" / name
        text = file.read_text()
        assert before in text
        file.write_text(text.replace(before, after))
        seen.append(regret())
        assert seen[-1] not in seen[:-1], name
        file.write_text(text)
    assert regret() == seen[0], "the older code is of use again"


MINE = """
import sys
import numpy as np
import spnb
from spnb import testing
from spnb.engine import play

SCALE = {scale}
TABLE = np.array([0.0, {table}, 0.5, 0.5])


class Parent(spnb.IndexPolicy):
    '''A parent.'''

    def bonus(self, pulls: float) -> float:
        return {bonus} / pulls


class Mine(Parent):
    '''An index that reaches a constant, an array, and a method of its parent.'''

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls + SCALE * self.bonus(pulls) + TABLE[int(pulls) % 4]


game = testing._game(spnb.Seq(Mine()), spnb.Bernoulli((0.3, 0.5, 0.6)), range(3), 1)
fast, plain = play.play_compiled(game), play.play_plain(game)
assert (fast.gain == plain.gain).all(), "stale"
print(fast.gain[:, -1].tolist(), fast.pulls.tolist())
"""


def test_code_of_an_older_class_constant_array_or_parent_is_never_used(tmp_path: Path) -> None:
    script, printed = tmp_path / "mine.py", set()
    first = {"scale": 1.0, "table": 0.25, "bonus": 1.0}
    for change in ({}, {"scale": 9.0}, {"table": 0.9}, {"bonus": 0.01}):
        script.write_text(MINE.format(**(first | change)))
        printed.add(run(script, tmp_path / "kept"))
    assert len(printed) == 4, "these changes do not change the runs: the test shows nothing"
    assert len(list(tmp_path.rglob("*.nbc"))) == 4


ELSEWHERE = """
import numba
import spnb
import apart.numbers
from spnb import testing
from spnb.engine import play


@numba.njit
def bonus(pulls: float) -> float:
    return {bonus} / pulls


class Mine(spnb.IndexPolicy):
    '''An index that reaches a constant two modules down, and what Numba has compiled already.'''

    def index(self, pulls: float, sums: float, clock: float) -> float:
        return sums / pulls + apart.numbers.SCALE * bonus(pulls)


game = testing._game(spnb.Seq(Mine()), spnb.Bernoulli((0.3, 0.5, 0.6)), range(3), 1)
fast, plain = play.play_compiled(game), play.play_plain(game)
assert (fast.gain == plain.gain).all(), "stale"
print(fast.gain[:, -1].tolist(), fast.pulls.tolist())
"""


def test_code_with_an_older_constant_of_a_module_or_compiled_function_is_never_used(
    tmp_path: Path,
) -> None:
    script, printed, scales = tmp_path / "mine.py", set(), tmp_path / "apart" / "numbers.py"
    scales.parent.mkdir()
    scales.with_name("__init__.py").write_text("")
    for bonus, scale in ((1.0, 1.0), (9.0, 1.0), (1.0, 0.01)):
        script.write_text(ELSEWHERE.format(bonus=bonus))
        scales.write_text(f"SCALE = {scale}\n")
        printed.add(run(script, tmp_path / "kept"))
    assert len(printed) == 3, "these changes do not change the runs: the test shows nothing"


CHANGED = """
import logging
import spnb
from spnb.engine import play

logging.basicConfig(level=logging.WARNING, format="%(message)s")
play.SMALL = 0
WIDTH = 0.1


def bonus(pulls):
    return WIDTH / pulls


class Mine(spnb.IndexPolicy):
    '''An index with a constant that somebody changes.'''

    def index(self, pulls, sums, clock):
        return sums / pulls + bonus(pulls)


def pulls():
    found = spnb.simulate(spnb.Bernoulli((0.3, 0.6)), spnb.Seq(Mine()), rounds=30, runs=3, seed=1)
    return found.agents["Seq(Mine)"].pulls.tolist()


first = pulls()
WIDTH = 30.0
wider = pulls()
WIDTH = 0.1
print(first == pulls() != wider)
"""


def test_a_constant_that_changes_while_the_program_runs_is_noticed(tmp_path: Path) -> None:
    script = tmp_path / "changed.py"
    script.write_text(CHANGED)
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True,
        env={**os.environ, "SPNB_CACHE_DIR": str(tmp_path / "kept")},
    )  # fmt: skip
    assert done.stdout == "True\n"
    assert "bonus was compiled with another WIDTH (start Python anew); it is played" in done.stderr


SCRIPT = """
import json, logging
import spnb
from spnb.bandits.policies import Stats
from spnb.engine import play
from spnb.engine.state import Arms


class Seen(Stats):
    worth: Arms


@spnb.register
class Mine(spnb.IndexPolicy):
    '''A policy of a script.'''

    width: float = 1.0
    State = Seen

    def learn(self, s, arm, reward, trials):
        s.add(arm, reward, trials)
        s.worth[arm] = self.width * s.sums[arm] / s.pulls[arm]

    def score(self, s, arm, common):
        return s.worth[arm] + 1.0 / s.pulls[arm] if s.pulls[arm] > 0 else 9.0


def main():
    problem, specs = spnb.Synthetic(4), ["Seq(Mine(width=2))", "Challenge(Mine)"]
    plain = spnb.simulate(problem, specs, rounds=20, runs=30, seed=1).to_dict()
    play.SMALL = 0
    logging.basicConfig(level=logging.WARNING)
    compiled = spnb.simulate(problem, specs, rounds=20, runs=30, seed=1).to_dict()
    assert compiled == plain
    assert spnb.simulate(problem, specs, rounds=20, runs=30, seed=1, workers=2).to_dict() == plain
    learner = spnb.Learner("Seq(Mine(width=2))", 3, seed=1)
    learner.pulled(0)
    learner.observe(0, 1.0)
    again = spnb.Learner.from_dict(json.loads(json.dumps(learner.to_dict())))
    assert again.to_dict() == learner.to_dict() and again.state.policy.worth[0] == 2.0
    from spnb.live.store import Store
    store = Store("sqlite://")
    campaign = spnb.Campaign.create(store, "c", arms=["a", "b"], agent="Seq(Mine)", seed=1)
    decision = campaign.ask("a")
    assert decision.pull
    print(str(spnb.agent("Mine(width=2)")), "done")


if __name__ == "__main__":
    main()
"""


def test_a_class_of_a_script_works_everywhere(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    assert run(script, tmp_path / "kept") == "Mine(width=2) done\n"


NO_ROOM = """
import resource
import spnb
from spnb.engine import play
play.SMALL = 0
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
result = spnb.simulate(spnb.Bernoulli((0.3, 0.6)), "Seq(UCB1)", rounds=50, runs=5, seed=1)
print(result.agents["Seq(UCB1)"].regret.tolist())
"""


def test_code_that_finds_no_room_on_the_disk_is_compiled_all_the_same(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    script = tmp_path / "script.py"
    script.write_text(NO_ROOM)
    printed = run(script, tmp_path / "kept")
    assert not list(tmp_path.rglob("*.nbc"))
    expected = spnb.simulate(spnb.Bernoulli((0.3, 0.6)), "Seq(UCB1)", rounds=50, runs=5, seed=1)
    assert printed.strip() == str(expected.agents["Seq(UCB1)"].regret.tolist())
