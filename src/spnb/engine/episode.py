"""A run offer by offer, decided by somebody else: the world's side of the loop."""

from typing import Any

from spnb.engine.loop import row, worth_of_pull
from spnb.engine.state import Arms, Count, Flag, Flags, Number, State


class Episode(State):
    """Where a run stands, what is known of its arms, and what the last offer brought."""

    worth: Arms  # what a pull adds to the gain; the next five as in ``Run``
    tied: Flags
    places: Count
    filled: Count
    shared: Count
    optimal: Count
    most_rounds: Count
    round: Count  # rounds behind it
    position: Count  # the arm on offer
    over: Flag
    gained: Number
    counts: Arms  # N of each arm
    sums: Arms  # S of each arm
    action: Flag  # pull or pass
    reward: Number  # what the last answer added to the gain
    payoff: Number  # what the arm paid; 0 for a pass
    trials: Number  # in so many trials; 0 for a pass


def open_episode(world: Any, w: Any, e: Any) -> None:
    """Go to the first offer."""
    e.position = -1
    to_next_offer(world, w, e)


def step(world: Any, w: Any, e: Any) -> None:
    """Answer the offer at hand with ``action``, and go to the next one, if the run is not over."""
    e.reward = e.payoff = e.trials = 0.0
    if e.over:
        return
    if e.action:
        arm = e.position
        e.payoff, e.trials = world.reward(w, e.round, arm), world.trials(w, e.round, arm)
        e.counts[arm] += e.trials
        e.sums[arm] += e.payoff
        e.reward = worth_of_pull(world, w, e, arm)
        e.gained += e.reward
    to_next_offer(world, w, e)


def to_next_offer(world: Any, w: Any, e: Any) -> None:
    """Move on to the next arm that is offered at all; the run is over after its last round."""
    arms, searching = len(e.counts), True
    while searching:
        e.position += 1
        if e.position == arms:
            e.round += 1
            e.position = e.filled = 0
            e.over = e.round == e.most_rounds
        searching = not e.over and not world.offers(w, e.round, e.position)


# The same for many runs, as compiled code does it.


def open_all(world: Any, faced: Any, episodes: Any, first: int, end: int) -> None:
    for number in range(first, end):
        open_episode(world, row(faced, number), row(episodes, number))


def step_all(world: Any, faced: Any, episodes: Any, first: int, end: int) -> None:
    for number in range(first, end):
        step(world, row(faced, number), row(episodes, number))
