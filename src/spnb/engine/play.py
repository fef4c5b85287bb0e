"""Which way a game is played; the outcome has the same law either way."""

from typing import Any

import numpy as np

from spnb.bandits.agents.base import Agent, agent_kernel
from spnb.engine import runs, sweeps
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.game import Game, Limits, Played, Tick
from spnb.engine.setting import Setting
from spnb.problems.base import World
from spnb.problems.stationary import BernoulliWorld


def play(
    agent: Agent[Any],
    world: World,
    worth: FloatArray,
    setting: Setting,
    limits: Limits,
    checkpoints: IntArray,
    rng: np.random.Generator,
    tick: Tick = lambda rounds: None,
    advise: bool = False,
) -> Played:
    """Play every run of the world to its end.

    ``worth`` [B, K] is what a pull adds to the gain; ``checkpoints`` are the numbers of rounds
    after which gain and pulls are noted, and with ``advise`` the recommended arm; ``tick`` hears
    how many rounds have passed.
    """
    # Dice of their own: looking at a run must not change it.
    onlooker = rng.spawn(1)[0] if advise else None
    state = agent.init(len(world.means), setting, rng)
    game = Game(agent, state, world, worth, limits, checkpoints, rng, onlooker, tick)
    kernel = agent_kernel(agent)
    if kernel is not None and type(world) is BernoulliWorld:  # its heirs may pay otherwise
        return runs.play(game, world, kernel)
    return sweeps.play(game)
