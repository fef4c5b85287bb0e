"""Many runs of one agent: made ready, played (plain or compiled), and told."""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.compiler import CannotCompileError, arguments, compiled, is_ready
from spnb.engine.dice import stream_keys
from spnb.engine.loop import Run, play_plain, play_runs
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
class Game:
    """An agent about to play; ``faced`` and ``worth`` have a row for each of the ``runs``."""

    agent: Any
    world: Any
    faced: Batch
    worth: FloatArray  # [B, K] what a pull adds to the gain
    seed: int
    runs: IntArray  # [B] their numbers
    limits: Limits
    horizon: float
    hardness: FloatArray  # [B]
    checkpoints: IntArray  # [P] the numbers of rounds after which notes are taken
    advise: bool = False  # whether the recommended arm is noted as well

    def ready(self) -> Batch:
        """Every run before its first offer."""
        batch, arms = self.worth.shape
        sizes = {"arms": arms, "points": len(self.checkpoints)}
        runs = Batch(Layout.of(Run, None, sizes), batch, checkpoints=self.checkpoints)
        runs.worth[:] = self.worth
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
    answer: IntArray  # [B] the arm recommended at the end
    gain: FloatArray  # [B, P] sum of the pulls' worth at each check point
    count: FloatArray  # [B, P] pulls so far at each check point
    advice: IntArray  # [B, P] the arm recommended at each check point, if asked for


def play(game: Game, tick: Tick = lambda rounds: None) -> Played:
    """Play every run to its end; ``tick`` hears how many rounds have passed."""
    runs, layout = game.ready(), Layout.of(game.agent.State, game.agent, {"arms": _arms(game)})
    code = _code(game, runs, layout)
    plain = layout.fresh() if code is None else None
    number = told = 0
    while number < runs.batch:
        if code is None:
            number = play_plain(game.agent, game.world, plain, game.faced, runs, number)
        else:
            number = code(number, max(STRIDE // (_arms(game) + 10), 1))
        played = int(runs.round.sum())
        tick(played - told)
        told = played
    return Played(runs.pulls, runs.round, runs.answer, runs.gain, runs.count, runs.advice)


def _arms(game: Game) -> int:
    return game.worth.shape[1]


def _code(game: Game, runs: Batch, layout: Layout) -> Callable[[int, int], int] | None:
    """The compiled loop for this game; None if it is small, or cannot be compiled."""
    if not (game.agent.policy.compilable and game.agent.compilable):
        return None
    batch, arms = game.worth.shape
    small = batch * game.limits.rounds * (arms + 10) < SMALL
    if small and not _compiler_is_there():
        return None
    try:
        args = arguments(game.agent, game.world, Batch(layout, 1), game.faced, runs)
        if small and not is_ready(play_runs, args):
            return None
        code = compiled(play_runs, str(game.agent), args)
    except CannotCompileError as error:
        log.warning("%s; it is played in plain Python, some hundred times slower", error)
        return None
    return lambda number, pulls: int(code(*args, number, pulls))


def _compiler_is_there() -> bool:
    import sys

    return "numba" in sys.modules
