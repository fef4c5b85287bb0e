"""Run after run in one compiled loop: for agents that offer a kernel, where rewards are 0 and 1."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spnb.bandits.agents.base import AgentKernel
from spnb.bandits.policies.base import recommend_mean
from spnb.engine.arrays import FloatArray, IntArray
from spnb.engine.compiled import compiled, part
from spnb.engine.game import Game, Played
from spnb.engine.randomness import Keys, uniform
from spnb.problems.stationary import BernoulliWorld

# Pulls x arms of one call: a fraction of a second, so that progress shows and Ctrl-C is heard.
CELLS = 2_000_000
NEVER = -1


class Course(NamedTuple):
    """Where every run stands, and what is noted of it."""

    means: FloatArray  # [B, K]
    keys: Keys  # [B]
    worth: FloatArray  # [B, K]
    rounds: int  # a run ends after so many rounds
    most_pulls: int  # or so many pulls, or NEVER
    checkpoints: IntArray  # [P]
    round: IntArray  # [B] rounds behind it
    position: IntArray  # [B] the next offer
    made: IntArray  # [B] pulls so far
    gained: FloatArray  # [B]
    noted: IntArray  # [B] check points behind it
    pulls: IntArray  # [B, K]
    gains: FloatArray  # [B, P] at each check point
    counts: FloatArray  # [B, P]
    advice: IntArray  # [B, P] or [B, 0]
    room: FloatArray  # [K] for the scores of one run


def play(game: Game, world: BernoulliWorld, kernel: AgentKernel) -> Played:
    out = Played.blank(game)
    game.state.by_rows()
    course, mind = _start(game, world, out), kernel.mind(game.state)
    batch, arms = world.means.shape
    parts = (kernel.wanted, kernel.observe, kernel.next_round, kernel.decide, kernel.learn)
    on = compiled(playing, *parts)
    onlooker = game.onlooker or game.rng
    run = told = 0
    while run < batch:
        run = on(course, mind, game.rng, onlooker, run, max(CELLS // arms, 1))
        played = int(course.round.sum())
        game.tick(played - told)
        told = played
    out.rounds[:] = course.round + (course.made == course.most_pulls)
    out.answer[:] = game.agent.recommend(game.state, np.arange(batch), game.rng)
    return out


def _start(game: Game, world: BernoulliWorld, out: Played) -> Course:
    limits = game.limits

    def zeros(kind: type = np.intp) -> Any:
        return np.zeros(len(world.means), dtype=kind)

    return Course(
        # Copies: an array that cannot be written is another type to the compiler.
        np.array(world.means, order="C"),
        np.array(world.keys),
        np.array(game.worth, order="C"),
        limits.rounds,
        NEVER if limits.pulls is None else limits.pulls,
        np.array(game.checkpoints),
        round=zeros(),
        position=zeros(),
        made=zeros(),
        gained=zeros(float),
        noted=zeros(),
        pulls=out.pulls,
        gains=out.gain,
        counts=out.count,
        advice=out.advice,
        room=np.empty(world.means.shape[1]),
    )


def playing(
    wanted: Callable[..., int],
    observe: Callable[..., None],
    next_round: Callable[..., None],
    decide: Callable[..., Any],
    learn: Callable[..., None],
) -> Callable[[Course, Any, np.random.Generator, np.random.Generator, int, int], int]:
    """The loop for an agent of these parts."""

    def on(
        course: Course,
        mind: Any,
        rng: np.random.Generator,
        onlooker: np.random.Generator,
        run: int,
        pulls: int,
    ) -> int:
        """From ``run`` on each run to its end, ``pulls`` pulls in all; the run to go on with."""
        batch, arms = course.means.shape
        while run < batch:
            arm = wanted(decide, mind, run, course.position[run])
            if arm < arms:
                if pulls == 0:
                    break
                pulls -= 1
                luck = uniform(course.keys[run], course.round[run] * arms + arm)
                reward = 1.0 if luck < course.means[run, arm] else 0.0
                observe(decide, learn, mind, run, arm, reward, rng)
                course.pulls[run, arm] += 1
                course.gained[run] += course.worth[run, arm]
                course.made[run] += 1
                course.position[run] = arm + 1
                over = course.made[run] == course.most_pulls
            else:
                course.round[run] += 1
                course.position[run] = 0
                note(course, mind, run, onlooker)
                over = course.round[run] == course.rounds
                if not over:
                    next_round(mind, run)
            run += over
        return run

    return on


@part
def note(course: Course, mind: Any, run: int, onlooker: np.random.Generator) -> None:
    """Note what there is to note after a round, if it is a check point."""
    point = course.noted[run]
    if point < len(course.checkpoints) and course.checkpoints[point] == course.round[run]:
        course.gains[run, point] = course.gained[run]
        course.counts[run, point] = course.made[run]
        if course.advice.shape[1] > 0:
            course.advice[run, point] = recommend_mean(mind.policy, run, course.room, onlooker)
        course.noted[run] += 1
