"""Many live runs of one agent, in step: an offer to all of them, rewards of some, a new round.

What happens to a run is written once, for that run. In plain Python its row is read and written
back; compiled, the same lines work on the row in place.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.dice import Keys
from spnb.engine.loop import Setting, row
from spnb.engine.rows import Rows
from spnb.engine.state import Batch, Count, Flag, Layout, Number, State

PAGE = 60  # arms whose answers are kept in one whole number, a bit each


class Seat(State):
    """What is kept of a run beside the agent's state.

    An offer to all then touches next to nothing: whether a run wants the arm is looked up in its
    plan, and the agent hears of pulls when there is more to say.
    """

    offered: Flag  # whether it gets the offer at hand
    pulls: Flag  # whether it pulled the arm that was offered last
    plan: Count  # a bit for each arm of a page: whether it is wanted
    until: Count  # the first arm that the plan says nothing about; never beyond the page
    pulled: Count  # a bit for each arm of the page that was pulled and the agent has not heard of


class News(State):
    """What became known of a pull of one run."""

    run: Count
    reward: Number
    trials: Number


def begin(agent: Any, s: Any, seat: Any, setting: Setting) -> None:
    """Make a run ready for its first offer; nothing but the key of its dice is there yet."""
    agent.start(s, setting)
    look(agent, s, seat, 0, True)


def look(agent: Any, s: Any, seat: Any, start: int, whole: bool) -> None:
    """Plan from an arm on: up to the first that is wanted, or if ``whole`` to the end of the page.

    An agent whose answers may change with a pull is asked for the first alone.
    """
    first = start - start % PAGE
    seat.plan, seat.until = 0, min(first + PAGE, len(s.policy.pulls))
    arm = agent.wanted(s, start)
    while arm < seat.until:
        seat.plan |= 1 << (arm - first)
        if not whole or agent.heeds_pulls:
            seat.until = arm + 1
            break
        arm = agent.wanted(s, arm + 1)


def settle(agent: Any, s: Any, seat: Any) -> None:
    """Let the agent hear of the pulls that it has not heard of."""
    arm = (seat.until - 1) // PAGE * PAGE
    while seat.pulled != 0:
        if seat.pulled & 1:
            agent.pulled(s, arm)
        seat.pulled >>= 1
        arm += 1


def prepare(agent: Any, s: Any, seat: Any, arm: int) -> None:
    """See to it that the plan tells whether an arm is wanted that is about to be offered."""
    if arm >= seat.until and seat.offered:
        settle(agent, s, seat)
        look(agent, s, seat, arm, True)


def answer(seat: Any, arm: int) -> None:
    """Offer an arm: the run pulls it if that is its plan."""
    place = arm % PAGE
    pull = (seat.plan >> place) & seat.offered
    seat.pulls = pull != 0
    seat.pulled |= pull << place


def offer(agent: Any, s: Any, seat: Any, arm: int) -> None:
    """Offer an arm: the run pulls it if it wants to."""
    prepare(agent, s, seat, arm)
    answer(seat, arm)


def observe(agent: Any, s: Any, seat: Any, news: Any, arm: int, start: int) -> None:
    """The reward of a pull has come; ``start`` is the next offer."""
    settle(agent, s, seat)
    agent.observe(s, arm, news.reward, news.trials)
    # Planned while all of it is at hand: that leaves little to do for the offers to come. Where
    # rewards come at once, so will that of the next pull, and change what is wanted after it.
    look(agent, s, seat, start, arm != start - 1)


def lose(agent: Any, s: Any, seat: Any, arm: int) -> None:
    """The reward of a pull will never come."""
    settle(agent, s, seat)
    agent.lost(s, arm)
    seat.until = 0


def find(agent: Any, s: Any, seat: Any, news: Any, arm: int) -> None:
    """A reward that had been given up for lost has come after all."""
    settle(agent, s, seat)
    agent.found(s, arm, news.reward, news.trials)
    seat.until = 0


def turn(agent: Any, s: Any, seat: Any) -> None:
    """A new round begins."""
    settle(agent, s, seat)
    agent.next_round(s)
    look(agent, s, seat, 0, True)


# The same for many runs, as compiled code does it.


def begin_all(agent: Any, runs: Any, seats: Any, setting: Any, first: int, end: int) -> None:
    for number in range(first, end):
        begin(agent, row(runs, number), row(seats, number), row(setting, 0))


def offer_all(agent: Any, runs: Any, seats: Any, arm: int, end: int) -> None:
    for number in range(end):
        prepare(agent, row(runs, number), row(seats, number), arm)
    # By itself, without calls, this is compiled to few steps for many runs at once.
    for number in range(end):
        answer(row(seats, number), arm)


def observe_all(
    agent: Any, runs: Any, seats: Any, news: Any, arm: int, start: int, end: int
) -> None:
    for number in range(end):
        one = row(news, number)
        observe(agent, row(runs, one.run), row(seats, one.run), one, arm, start)


def lose_all(agent: Any, runs: Any, seats: Any, news: Any, arm: int, end: int) -> None:
    for number in range(end):
        one = row(news, number)
        lose(agent, row(runs, one.run), row(seats, one.run), arm)


def find_all(agent: Any, runs: Any, seats: Any, news: Any, arm: int, end: int) -> None:
    for number in range(end):
        one = row(news, number)
        find(agent, row(runs, one.run), row(seats, one.run), one, arm)


def turn_all(agent: Any, runs: Any, seats: Any, first: int, end: int) -> None:
    for number in range(first, end):
        turn(agent, row(runs, number), row(seats, number))


class LiveRuns:
    """Runs of one agent, and what is kept of each."""

    def __init__(self, agent: Any, arms: int, size: int) -> None:
        self.arms, self.size = arms, size
        self.states = Batch(Layout.of(agent.State, agent, {"arms": arms}), size)
        self.seats = Batch(Layout.of(Seat, None, {"arms": arms}), size)
        self._rows = Rows(agent, self.states, self.seats)

    def begin(self, keys: Keys, horizon: float, hardness: float) -> None:
        """Make every run ready for its first offer."""
        self.states.policy.dice.key[:] = keys
        setting = Batch(Layout.of(Setting, None, {}), 1)
        setting.arms[:], setting.horizon[:], setting.hardness[:] = self.arms, horizon, hardness
        if code := self._rows.code(begin_all, setting):
            code(0, self.size)
        else:
            told = setting.layout.fresh()
            setting.read(0, told)
            self._each(begin, told)

    def offer(self, arm: int, offered: BoolArray | None) -> BoolArray:
        """Offer an arm to all runs, or to some: which of them pull it, until the next offer."""
        self.seats.offered[:] = True if offered is None else offered
        if code := self._rows.code(offer_all):
            code(arm, self.size)
        else:
            self._each(offer, arm)
        pulls: BoolArray = self.seats.pulls
        return pulls

    def observe(self, news: Batch, arm: int, start: int) -> None:
        """The rewards of pulls have come; ``start`` is the next offer."""
        if code := self._rows.code(observe_all, news):
            code(arm, start, news.batch)
        else:
            for one in _read(news):
                self._rows.plainly(observe, one.run, one, arm, start)

    def lose(self, news: Batch, arm: int) -> None:
        """The rewards of pulls will never come."""
        if code := self._rows.code(lose_all, news):
            code(arm, news.batch)
        else:
            for one in _read(news):
                self._rows.plainly(lose, one.run, arm)

    def find(self, news: Batch, arm: int) -> None:
        """Rewards that had been given up for lost have come after all."""
        if code := self._rows.code(find_all, news):
            code(arm, news.batch)
        else:
            for one in _read(news):
                self._rows.plainly(find, one.run, one, arm)

    def turn(self) -> None:
        """Begin a new round in every run."""
        if code := self._rows.code(turn_all):
            code(0, self.size)
        else:
            self._each(turn)

    def copy(self, agent: Any, number: int, s: Any) -> None:
        """Fill a plain state with what the agent knows in one run."""
        seat = self.seats.layout.fresh()
        self.states.read(number, s)
        self.seats.read(number, seat)
        settle(agent, s, seat)

    def sound(self) -> bool:
        """Whether no run means an arm that is not there: compiled code would not notice."""
        plan, until, pulled = self.seats.plan, self.seats.until, self.seats.pulled
        room = np.clip(self.arms - (until - 1) // PAGE * PAGE, 0, PAGE)  # arms of the page
        fits = (until >= 0) & (until <= self.arms) & ((until > 0) | (pulled == 0))
        for bits in (plan, pulled):
            fits &= (bits >= 0) & (bits >> room == 0)
        return bool(fits.all())

    def _each(self, what: Callable[..., None], *told: Any) -> None:
        for number in range(self.size):
            self._rows.plainly(what, number, *told)


def _read(news: Batch) -> Iterator[Any]:
    for number in range(news.batch):
        one = news.layout.fresh()
        news.read(number, one)
        yield one


def news_of(numbers: IntArray, rewards: FloatArray, trials: FloatArray) -> Batch:
    """What became known of a pull in each of these runs."""
    layout = Layout.of(News, None, {})
    return Batch(layout, len(numbers), run=numbers, reward=rewards, trials=trials)
