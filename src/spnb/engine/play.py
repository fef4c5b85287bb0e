"""Many runs of one agent: made ready, played (plain or compiled), and told."""

import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spnb.engine import loop
from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.compiler import CannotCompileError, arguments, compiled, is_ready
from spnb.engine.dice import stream_keys
from spnb.engine.loop import Run
from spnb.engine.state import Batch, Layout

log = logging.getLogger("spnb.engine")

Tick = Callable[[int], None]
"""Hears how many rounds have passed."""

# Offers looked at, about, below which plain Python is through before the compiler has begun.
SMALL = 400_000
# Offers looked at in one call: a fraction of a second, so that progress shows and Ctrl-C is heard.
STRIDE = 4_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends: after so many rounds, after so many pulls, or when the agent stops."""

    rounds: int
    pulls: int | None = None
    heed_stop: bool = False


@dataclass(frozen=True, slots=True)
class Worth:
    """What pulls are worth; a round has room for so many (``places``) of the ``tied`` arms."""

    pull: FloatArray  # [B, K]
    tied: BoolArray  # [B, K]
    places: IntArray  # [B]


@dataclass(frozen=True, slots=True)
class Game:
    """An agent about to play; what it faces and its worth have a row for each of the ``runs``."""

    agent: Any
    world: Any
    faced: Batch
    worth: Worth
    seed: int
    runs: IntArray  # [B] their numbers
    limits: Limits
    horizon: float
    hardness: FloatArray  # [B]
    checkpoints: IntArray  # [P] the numbers of rounds after which notes are taken
    advise: bool = False  # whether the recommended arm is noted as well
    job: int = 0  # runs of the whole job that this is a block of, if more

    @property
    def arms(self) -> int:
        return self.worth.pull.shape[1]

    @property
    def layout(self) -> Layout:
        """Of the agent's state."""
        return Layout.of(self.agent.State, self.agent, {"arms": self.arms})

    def ready(self) -> Batch:
        """Every run before its first offer."""
        batch, arms = self.worth.pull.shape
        sizes = {"arms": arms, "points": len(self.checkpoints)}
        runs = Batch(Layout.of(Run, None, sizes), batch, checkpoints=self.checkpoints)
        runs.worth[:], runs.tied[:] = self.worth.pull, self.worth.tied
        runs.places[:] = self.worth.places
        runs.key[:] = stream_keys(self.seed, str(self.agent), self.runs)
        runs.most_rounds[:] = self.limits.rounds
        runs.most_pulls[:] = -1 if self.limits.pulls is None else self.limits.pulls
        runs.heed_stop[:], runs.advise[:] = self.limits.heed_stop, self.advise
        told = runs.setting
        told.arms[:], told.horizon[:], told.hardness[:] = arms, self.horizon, self.hardness
        told.run[:] = self.runs
        return runs


@dataclass(frozen=True, slots=True)
class Played:
    """What was pulled in each run of a block."""

    pulls: IntArray  # [B, K]
    rounds: IntArray  # [B] rounds used, the one it ended in included
    gained: FloatArray  # [B] sum of the pulls' worth
    shared: IntArray  # [B] places that tied arms have filled
    optimal: IntArray  # [B] pulls of arms that were best in their round, where means change
    answer: IntArray  # [B] the arm recommended at the end
    gain: FloatArray  # [B, P] sum of the pulls' worth at each check point
    count: FloatArray  # [B, P] pulls so far at each check point
    advice: IntArray  # [B, P] the arm recommended at each check point, if asked for
    accepted: BoolArray  # [B, K] the arms of the answer, where it is a set
    done: BoolArray  # [B] whether the agent had stopped by itself


def play(game: Game, tick: Tick = lambda rounds: None) -> Played:
    """Play every run to its end, in the way that is the faster; ``tick`` hears of rounds behind."""
    return play_compiled(game, tick) if prepare(game) else play_plain(game, tick)


def prepare(game: Game) -> bool:
    """Have machine code ready if that is the faster way; whether it is there."""
    runs = max(game.job, len(game.runs))
    small = runs * game.limits.rounds * (game.arms + 10) < SMALL
    if not game.agent.policy.compilable or (small and "numba" not in sys.modules):
        return False
    try:
        args = _arguments(game, game.ready())
        if small and not is_ready(loop.play_runs, args):
            return False
        compiled(loop.play_runs, str(game.agent), args)
    except CannotCompileError as error:
        log.warning("%s; it is played in plain Python, some hundred times slower", error)
        return False
    return True


def play_plain(game: Game, tick: Tick = lambda rounds: None) -> Played:
    """In plain Python, one run after the other."""
    runs, state = game.ready(), game.layout.fresh()
    for number in range(runs.batch):
        loop.play_row(game.agent, game.world, state, game.faced, runs, number)
        tick(game.limits.rounds)
    return _played(runs)


def play_compiled(game: Game, tick: Tick = lambda rounds: None) -> Played:
    """In machine code, the same to the last bit."""
    runs = game.ready()
    args = _arguments(game, runs)
    code = compiled(loop.play_runs, str(game.agent), args)
    number = told = 0
    while number < runs.batch:
        number = int(code(*args, number, runs.batch, max(STRIDE // (game.arms + 10), 1)))
        # A run that has ended before its time counts whole.
        behind = number * game.limits.rounds + int(runs.round[number:].sum())
        tick(behind - told)
        told = behind
    return _played(runs)


def _arguments(game: Game, runs: Batch) -> list[Any]:
    return arguments(game.agent, game.world, Batch(game.layout, 1), game.faced, runs)


def _played(runs: Batch) -> Played:
    return Played(
        runs.pulls, runs.round, runs.gained, runs.shared, runs.optimal, runs.answer, runs.gain,
        runs.count, runs.advice, runs.accepted, runs.done,
    )  # fmt: skip
