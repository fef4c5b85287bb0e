"""The one loop: an agent plays a run in a world. Plain Python, or compiled as it stands."""

from typing import Annotated, Any

from spnb.base.errors import SpecError
from spnb.engine.state import (
    Arms,
    Batch,
    Count,
    Counts,
    Flag,
    Flags,
    Key,
    Kind,
    Number,
    State,
    reset,
)  # fmt: skip

Points = Annotated[list[float], Kind("f8", ("points",))]


class Setting(State):
    """What a learner is told before the first offer; nan where nobody knows.

    ``horizon`` is the number of rounds of a regret run and the budget of an identification run.
    ``hardness`` is H1 of the run's problem: no live learner has it.
    """

    arms: Count
    horizon: Number
    hardness: Number
    run: Count  # its number, 0 for a live learner


class Run(State):
    """Where a run stands, when it ends, and what is noted of it."""

    setting: Setting
    key: Key  # of the agent's dice
    worth: Arms  # what a pull adds to the gain
    tied: Flags  # arms that share the last of the places worth filling in a round,
    places: Count  # so many of them: further pulls of such arms in a round add nothing
    most_rounds: Count
    most_pulls: Count  # or -1
    heed_stop: Flag  # whether it ends when the agent stops
    advise: Flag  # whether the recommended arm is noted at each check point
    checkpoints: Annotated[list[int], Kind("i8", ("points",), "shared")]
    begun: Flag
    over: Flag
    round: Count  # rounds behind it
    position: Count  # the next offer
    made: Count  # pulls so far
    gained: Number
    filled: Count  # of the shared places, in this round
    shared: Count  # and in all rounds
    optimal: Count  # pulls of arms that were best in their round, where means change
    noted: Count  # check points behind it
    pulls: Counts
    gain: Points
    count: Points
    advice: Annotated[list[int], Kind("i8", ("points",))]
    answer: Count
    accepted: Flags  # arms of the answer, where it is a set
    done: Flag  # whether the agent had stopped by itself


def play(agent: Any, world: Any, s: Any, w: Any, run: Run, pulls: int) -> int:
    """Play a run on to its end, or for ``pulls`` more pulls; how many of those are left."""
    arms = len(run.pulls)
    if not run.begun:
        reset(s)
        s.policy.dice.key = run.key
        agent.start(s, run.setting)
        run.begun = True
    while not run.over:
        arm, now = wanted(agent, s, run.position), run.round
        while arm < arms and not world.offers(w, now, arm):
            arm = wanted(agent, s, arm + 1)
        if arm < arms:
            if pulls == 0:
                return 0
            pulls -= 1
            agent.pulled(s, arm)
            agent.observe(s, arm, world.reward(w, now, arm), world.trials(w, now, arm))
            run.pulls[arm] += 1
            run.gained += worth_of_pull(world, w, run, arm)
            run.made += 1
            run.position = arm + 1
            if run.made == run.most_pulls or (run.heed_stop and agent.stopped(s)):
                run.round += 1
                run.over = True
        else:
            run.round += 1
            run.position = run.filled = 0
            note(agent, s, run)
            run.over = run.round == run.most_rounds
            if not run.over:
                agent.next_round(s)
                run.over = run.heed_stop and agent.stopped(s)
    conclude(agent, s, run)
    return pulls


def wanted(agent: Any, s: Any, start: int) -> int:
    """The next arm that the agent wants; one that wants an arm behind it would never come on."""
    arm: int = agent.wanted(s, start)
    if arm < start:
        raise SpecError("an agent's wanted(s, start) must be start or a later arm, or K for none")
    return arm


def conclude(agent: Any, s: Any, run: Run) -> None:
    """Note what the agent answers in the end."""
    run.answer, run.done = agent.recommend(s), agent.stopped(s)
    for arm in range(len(run.pulls)):
        run.accepted[arm] = agent.accepts(s, arm)


def worth_of_pull(world: Any, w: Any, run: Any, arm: int) -> float:
    """What a pull adds to the gain: minus the gap, or the mean of an arm worth pulling, once."""
    if world.changing:
        return worth_now(world, w, run, arm)
    if run.tied[arm]:
        if run.filled == run.places:
            return 0.0
        run.filled += 1
        run.shared += 1
    return run.worth[arm]


def worth_now(world: Any, w: Any, run: Any, arm: int) -> float:
    """The same where means change: the best arms are those of the round."""
    mean, best = world.mean(w, run.round, arm), world.best_mean(w, run.round)
    if mean < best:
        return mean - best
    run.optimal += 1
    if run.filled > 0:
        return 0.0
    run.filled += 1
    run.shared += 1
    return best


def note(agent: Any, s: Any, run: Run) -> None:
    """Note gain and pulls if the round behind is a check point."""
    if run.noted < len(run.checkpoints) and run.checkpoints[run.noted] == run.round:
        run.gain[run.noted] = run.gained
        run.count[run.noted] = run.made
        if run.advise:
            drawn = s.policy.dice.drawn
            run.advice[run.noted] = agent.recommend(s)
            s.policy.dice.drawn = drawn  # looking at a run must not change it
        run.noted += 1


def play_runs(
    agent: Any, world: Any, s: Any, faced: Any, runs: Any, first: int, end: int, pulls: int
) -> int:
    """Run after run from ``first`` to ``end``, ``pulls`` pulls in all; the run to go on with."""
    number = first
    while number < end:
        run = row(runs, number)
        pulls = play(agent, world, s, row(faced, number), run, pulls)
        if not run.over:
            break
        number += 1
    return number


def row(batch: Any, number: int) -> Any:
    """One run of a batch, in place: compiled code has it (``engine/native.py``), plain code not."""
    raise NotImplementedError


def play_row(agent: Any, world: Any, s: Any, faced: Batch, runs: Batch, number: int) -> None:
    """One run in plain Python: its row is read, played and written back."""
    w, run = faced.layout.fresh(), runs.layout.fresh()
    faced.read(number, w)
    runs.read(number, run)
    play(agent, world, s, w, run, -1)
    runs.write(number, run)
