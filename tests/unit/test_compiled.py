"""Compiled loops play the same runs as plain Python and as the sweeps; nothing is stale."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import spnb
from spnb.bandits.agents.base import agent_kernel
from spnb.bandits.policies import UCB1, Stats
from spnb.bandits.policies.base import kernel_of
from spnb.engine import compiled, runs, special
from spnb.engine.arrays import FloatArray, IntArray, argmax, largest
from spnb.engine.game import Limits
from spnb.engine.play import play

PACKAGE = Path(spnb.__file__).parent
COMPILED = [
    *("UCB1", "Seq(UCB1)", 'Seq(UCB1(ties="first"))', "Seq(UCBE(c=2))", 'UCBE(c=2, ties="first")'),
    *("TS", "Seq(TS)", "bUCB", "Seq(bUCB)", 'Seq(bUCB(c=1, ties="first"))', "Challenge"),
]
PROBLEMS = [
    spnb.Bernoulli((0.4,)),
    spnb.Bernoulli((0.0, 1.0, 0.0, 1.0)),
    spnb.Bernoulli((0.5,) * 6),
    spnb.Synthetic(12),
]


def plainly(build: Callable[..., Any], *parts: Callable[..., Any]) -> Callable[..., Any]:
    """In place of ``compiled``: the same loop as plain Python."""
    loop = build(*parts)

    def quietly(*args: Any) -> Any:
        with np.errstate(all="ignore"):  # compiled code never warns
            return loop(*args)

    return quietly


@pytest.mark.parametrize("problem", PROBLEMS, ids=["one arm", "0 and 1", "equal", "synthetic"])
@pytest.mark.parametrize("spec", COMPILED)
def test_compiled_and_plain_loops_play_the_same_runs(
    spec: str, problem: spnb.Problem, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def results() -> tuple[Any, ...]:
        by_rounds = spnb.simulate(problem, spec, rounds=60, runs=3, seed=seed)
        by_pulls = spnb.identify(problem, spec, budget=50, runs=3, seed=seed)
        return by_rounds.to_dict(), by_pulls.to_dict()

    assert agent_kernel(spnb.agent(spec)) is not None
    fast = results()
    monkeypatch.setattr(runs, "compiled", plainly)
    assert results() == fast


@pytest.mark.parametrize("spec", COMPILED)
def test_runs_one_by_one_are_the_runs_side_by_side(
    spec: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = spnb.Synthetic(8)

    def results(batch: int) -> dict[str, Any]:
        return spnb.simulate(problem, spec, rounds=300, runs=batch, seed=seed).to_dict()

    # With dice in play only a batch of one throws them in the same order.
    batch = 20 if "first" in spec or spec == "Challenge" else 1
    one_by_one = results(batch)
    monkeypatch.setattr(sys.modules[play.__module__], "agent_kernel", lambda agent: None)
    assert results(batch) == one_by_one


@pytest.mark.parametrize("spec", ["UCB1", "UCBE(c=2)", "TS", "bUCB"])
def test_an_arm_never_pulled_comes_first_however_late_it_comes(spec: str, seed: int) -> None:
    policy, row, rng = spnb.policy(spec), np.arange(1), np.random.default_rng(seed)
    state = policy.init(1, spnb.Setting(3, 100, np.array([10.0])))
    for arm in (0, 2, 0, 2, 0):  # more rewards than arms: the short cut of a first round is over
        policy.update(state, row, np.array([arm]), np.ones(1), rng)
    kernel = kernel_of(policy)
    assert kernel is not None
    assert kernel.choose is not None
    assert kernel.choose(kernel.mind(state), 0, rng) == 1
    assert policy.choose(state, row, rng)[0] == 1


@pytest.mark.parametrize("spec", ["UCB1", "Seq(TS)", "bUCB", "Challenge"])
def test_the_arm_recommended_on_the_way_is_that_of_the_sweeps(
    spec: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Poor arms, so that an arm that never paid stands beside arms never pulled.
    world = spnb.Bernoulli((0.05, 0.0, 0.1, 0.2, 0.1)).world(seed, np.arange(1))
    at = np.arange(1, 31)

    def advice() -> list[list[int]]:
        rng = np.random.default_rng(seed)
        setting, limits = spnb.Setting(5, 30), Limits(30)
        agent = spnb.agent(spec)
        played = play(agent, world, world.means, setting, limits, at, rng, advise=True)
        return played.advice.tolist()

    one_by_one = advice()
    monkeypatch.setattr(sys.modules[play.__module__], "agent_kernel", lambda agent: None)
    assert advice() == one_by_one


@given(
    score=st.lists(st.sampled_from([0.0, 0.25, 0.5, np.inf]), min_size=1, max_size=8),
    random=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_ties_of_one_row_are_settled_as_those_of_many(
    score: list[float], random: bool, seed: int
) -> None:
    row = np.array(score)
    alone = largest(row, random, np.random.default_rng(seed))
    ties: Any = "random" if random else "first"
    assert alone == argmax(row[None], ties, np.random.default_rng(seed))[0]


@pytest.mark.parametrize("limit", ["rounds", "pulls"])
def test_progress_is_told_in_between_and_adds_up(
    limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "CELLS", 1000)
    told: list[int] = []
    problem, rounds = spnb.Bernoulli((0.2, 0.5, 0.4)), 500
    world = problem.world(1, np.arange(4))
    limits = Limits(rounds, rounds if limit == "pulls" else None)
    played = play(
        spnb.agent("Seq(UCB1)"), world, world.means, spnb.Setting(3), limits,
        np.array([], dtype=np.intp), np.random.default_rng(1), told.append,
    )  # fmt: skip
    assert len(told) > 3
    # A run that ends by its pulls ends in a round that is not over.
    unfinished = 4 if limit == "pulls" else 0
    assert sum(told) == played.rounds.sum() - unfinished


@dataclass(frozen=True)
class Pessimist(UCB1):
    """What a user may do to a policy that has a kernel."""

    def index(self, state: Stats, rows: IntArray, clock: FloatArray) -> FloatArray:
        return -super().index(state, rows, clock)


def test_a_policy_changed_by_inheritance_is_not_played_by_its_parents_kernel(seed: int) -> None:
    agents = [spnb.Seq(UCB1()), spnb.Seq(Pessimist())]
    assert agent_kernel(agents[1]) is None
    result = spnb.simulate(spnb.Bernoulli((0.1, 0.9)), agents, rounds=50, runs=2, seed=seed)
    regret = [each.regret.mean() for each in result.agents.values()]
    assert regret[0] != regret[1]


def test_a_live_learner_loads_no_compiler() -> None:
    script = """
import sys, spnb
for spec in ("Seq(TS)", "UCB1", "Seq(bUCB)", "Challenge", "Challenge(TS)"):
    learner = spnb.Learner(spec, 3, horizon=10, seed=1)
    for arm in (0, 1, 2, 0, 1, 2):
        if learner.ask(arm):
            learner.pulled(arm)
            learner.observe(arm, 1.0)
    assert "scipy" not in sys.modules or spec not in ("Seq(TS)", "UCB1"), spec
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_code_of_an_older_formula_is_never_used(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "spnb", ignore=shutil.ignore_patterns("__pycache__"))
    script = """
import spnb
result = spnb.simulate(spnb.Bernoulli((0.3, 0.5, 0.6)), "Seq(UCB1)", rounds=100, runs=5, seed=1)
print(result.agents["Seq(UCB1)"].regret.tolist(), spnb.__file__)
"""

    def regret() -> str:
        command = [sys.executable, "-c", script]
        kept_here = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "kept")}
        done = subprocess.run(
            command, cwd=tmp_path, env=kept_here, capture_output=True, text=True, check=True
        )
        assert str(tmp_path) in done.stdout
        return done.stdout

    before = regret()
    assert list(tmp_path.rglob("*.nbc")), "nothing was kept on disk"
    assert regret() == before
    formula = tmp_path / "spnb" / "bandits" / "policies" / "ucb.py"
    changed = formula.read_text().replace("return 2 * np.log(clock)", "return 0 * np.log(clock)")
    formula.write_text(changed)
    assert regret() != before


def test_without_a_folder_for_its_code_a_loop_is_compiled_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from numba.core import caching

    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [])
    kernel = agent_kernel(spnb.agent("Seq(UCBE(c=2))"))
    assert kernel is not None
    parts = (kernel.wanted, kernel.observe, kernel.next_round, kernel.decide, kernel.learn)
    build = compiled.compiled.__wrapped__  # not what an earlier test has compiled
    assert build(runs.playing, *parts).stats.cache_path is None


_UCB1 = """
import resource, spnb
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, resource.RLIM_INFINITY))
result = spnb.simulate(spnb.Bernoulli((0.3, 0.6)), "Seq(UCB1)", rounds=50, runs=5, seed=1)
print(result.agents["Seq(UCB1)"].regret.tolist())
"""


def test_code_that_cannot_be_kept_or_read_is_compiled_all_the_same(tmp_path: Path) -> None:
    def regret(most: int) -> str:
        command = [sys.executable, "-c", _UCB1.format(most=most)]
        kept_here = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
        return subprocess.run(
            command, env=kept_here, capture_output=True, text=True, check=True
        ).stdout

    no_room = regret(most=2000)
    assert not list(tmp_path.rglob("*.nbc"))
    assert regret(most=10**9) == no_room
    (index,) = tmp_path.rglob("*.nbi")
    for broken in (b"", b"broken"):
        index.write_bytes(broken)
        assert regret(most=10**9) == no_room


def test_compiled_code_calls_the_special_functions_of_scipy(seed: int) -> None:
    inputs = np.random.default_rng(seed).uniform(0.01, 0.99, (200, 3)) * (50, 50, 1)

    def table(rows: FloatArray, out: FloatArray) -> None:
        for i in range(len(rows)):
            a, b, x = rows[i]
            out[i, 0] = special.betainc(a, b, x)
            out[i, 1] = special.betaincinv(a, b, x)
            out[i, 2] = special.gammaln(a)

    fast, plain = np.zeros((200, 3)), np.zeros((200, 3))
    compiled.compiled(lambda: table)(inputs, fast)
    table(inputs, plain)
    assert (fast == plain).all()
