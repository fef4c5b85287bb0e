"""Many live runs of one agent, in step: an offer to all of them, rewards of some, a new round.

What happens to a run is written once, for that run. In plain Python its row is read and written
back; compiled, the same lines work on the row in place.
"""

from collections.abc import Callable, Iterator
from typing import Any

from spnb.engine.arrays import BoolArray, FloatArray, IntArray
from spnb.engine.dice import Keys
from spnb.engine.loop import Setting, row, rows
from spnb.engine.rows import Rows
from spnb.engine.state import Batch, Count, Flag, Layout, Number, State

NONE = -1  # no arm; comes before every arm


class Seat(State):
    """What is kept of a run beside the agent's state."""

    offered: Flag  # whether it gets the offer at hand
    next: Count  # the arm it wants next; NONE if something has happened since it was asked
    # The arm that it has pulled without the agent's having heard of it; else NONE. An offer to all
    # then touches next to nothing: the agent hears of it when there is more to say.
    pulled: Count


class News(State):
    """What became known of a pull of one run."""

    run: Count
    reward: Number
    trials: Number


def begin(agent: Any, s: Any, seat: Any, setting: Setting) -> None:
    """Make a run ready for its first offer; nothing but the key of its dice is there yet."""
    agent.start(s, setting)
    seat.next, seat.pulled = agent.wanted(s, 0), NONE


def settle(agent: Any, s: Any, seat: Any) -> None:
    """Let the agent hear of its last pull, if it has not."""
    if seat.pulled != NONE:
        agent.pulled(s, seat.pulled)
        seat.pulled = NONE


def offer(agent: Any, s: Any, seat: Any, arm: int) -> None:
    """Offer an arm: the run pulls it if it wants to."""
    if seat.offered:
        if seat.next < arm:
            settle(agent, s, seat)
            seat.next = agent.wanted(s, arm)
        if seat.next == arm:
            seat.pulled, seat.next = arm, NONE


def observe(agent: Any, s: Any, seat: Any, news: Any, arm: int, start: int) -> None:
    """The reward of a pull has come; ``start`` is the next offer."""
    settle(agent, s, seat)
    agent.observe(s, arm, news.reward, news.trials)
    # Asked while all of it is at hand: that leaves little to do for the offers to come.
    seat.next = agent.wanted(s, start)


def lose(agent: Any, s: Any, seat: Any, arm: int) -> None:
    """The reward of a pull will never come."""
    settle(agent, s, seat)
    agent.lost(s, arm)
    seat.next = NONE


def find(agent: Any, s: Any, seat: Any, news: Any, arm: int) -> None:
    """A reward that had been given up for lost has come after all."""
    settle(agent, s, seat)
    agent.found(s, arm, news.reward, news.trials)
    seat.next = NONE


def turn(agent: Any, s: Any, seat: Any) -> None:
    """A new round begins."""
    settle(agent, s, seat)
    agent.next_round(s)
    seat.next = agent.wanted(s, 0)


# The same for many runs, as compiled code does it.


def begin_all(agent: Any, runs: Any, seats: Any, setting: Any, first: int, end: int) -> None:
    for number in range(first, end):
        begin(agent, row(runs, number), row(seats, number), row(setting, 0))


def offer_all(agent: Any, runs: Any, seats: Any, arm: int, end: int) -> None:
    for number in range(end):
        offer(agent, row(runs, number), row(seats, number), arm)


def observe_all(agent: Any, runs: Any, seats: Any, news: Any, arm: int, start: int) -> None:
    for number in range(rows(news)):
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
        """Offer an arm to all runs, or to some: which of them pull it."""
        self.seats.offered[:] = True if offered is None else offered
        if code := self._rows.code(offer_all):
            code(arm, self.size)
        else:
            self._each(offer, arm)
        pulls: BoolArray = self.seats.pulled == arm
        return pulls

    def observe(self, news: Batch, arm: int, start: int) -> None:
        """The rewards of pulls have come; ``start`` is the next offer."""
        if code := self._rows.code(observe_all, news):
            code(arm, start)
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
