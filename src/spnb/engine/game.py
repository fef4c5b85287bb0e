"""What is played, and what is told of it afterwards."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from spnb.bandits.agents.base import Agent, AgentState
from spnb.engine.arrays import FloatArray, IntArray
from spnb.problems.base import World

Tick = Callable[[int], None]
"""Hears how many rounds have passed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """When a run ends: after so many rounds, after so many pulls, or when the agent stops."""

    rounds: int
    pulls: int | None = None
    heed_stop: bool = False


@dataclass(frozen=True, slots=True)
class Game:
    """An agent about to play, one run for every row of the world."""

    agent: Agent[Any]
    state: AgentState
    world: World
    worth: FloatArray  # [B, K] what a pull adds to the gain
    limits: Limits
    checkpoints: IntArray  # [P] the numbers of rounds after which notes are taken
    rng: np.random.Generator
    onlooker: np.random.Generator | None  # dice for the arm recommended at each check point
    tick: Tick


@dataclass(slots=True)
class Played:
    """What was pulled in each run of a block."""

    pulls: IntArray  # [B, K]
    rounds: IntArray  # [B] rounds used, the one it ended in included
    answer: IntArray  # [B] the arm recommended at the end
    gain: FloatArray  # [B, P] sum of the pulls' worth at each check point
    count: FloatArray  # [B, P] pulls so far at each check point
    advice: IntArray  # [B, P] the arm recommended at each check point; [B, 0] unless asked for

    @classmethod
    def blank(cls, game: Game) -> "Played":
        """Nothing noted so far."""
        batch, arms = game.world.means.shape
        points = len(game.checkpoints)
        advised = 0 if game.onlooker is None else points
        return cls(
            pulls=np.zeros((batch, arms), dtype=np.intp),
            rounds=np.zeros(batch, dtype=np.intp),
            answer=np.zeros(batch, dtype=np.intp),
            gain=np.zeros((batch, points)),
            count=np.zeros((batch, points)),
            advice=np.zeros((batch, advised), dtype=np.intp),
        )
