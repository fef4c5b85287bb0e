"""What a policy is: a classical bandit that chooses an arm and learns its reward.

Everything here is written for one run and runs unchanged in plain Python and compiled.
"""

from dataclasses import field
from typing import Any, ClassVar, Literal

from spnb.bandits.described import Described
from spnb.engine import Arms, Count, Dice, Number, Room, Setting, State, inf

Ties = Literal["random", "first", "ahead"]


class Stats(State):
    """What every policy remembers of each arm: how many rewards, and their sum."""

    dice: Dice
    pulls: Arms  # N; floats, since only divisions follow
    sums: Arms  # S
    total: Number  # rewards of all arms
    ahead: Count  # the offer after the arm pulled last
    fresh: Count  # every arm before this one has a reward
    room: Room

    def add(self, arm: int, reward: float, trials: float) -> None:
        """A reward of one pull, or the sum of the rewards of so many trials."""
        self.pulls[arm] += trials
        self.sums[arm] += reward
        self.total += trials
        self.ahead = arm + 1 if arm + 1 < len(self.pulls) else 0

    def note(self, arm: int, reward: float, trials: float) -> None:
        """Adjust what else is kept of the arm to a reward just added."""

    def mean(self, arm: int) -> float:
        """The mean reward; 0 before there is one."""
        return self.sums[arm] / max(self.pulls[arm], 1.0)

    def posterior_mean(self, arm: int) -> float:
        """The mean of Beta(1+S, 1+N-S)."""
        return (self.sums[arm] + 1.0) / (self.pulls[arm] + 2.0)

    def trial(self, reward: float, trials: float) -> float:
        """A single reward inside (0, 1) becomes 0 or 1 by a trial, as Beta posteriors need it."""
        if trials == 1.0 and 0.0 < reward < 1.0:
            return 1.0 if self.dice.random() < reward else 0.0
        return reward

    def draw(self, arm: int) -> float:
        """A draw from Beta(1+S, 1+N-S)."""
        return self.dice.beta(1.0 + self.sums[arm], 1.0 + self.pulls[arm] - self.sums[arm])

    def unpulled(self) -> int:
        """The first arm without a reward; the number of arms if there is none."""
        while self.fresh < len(self.pulls) and self.pulls[self.fresh] > 0:
            self.fresh += 1
        return self.fresh


class Led(Stats):
    leader: Count  # the arm of the largest posterior mean

    def lead(self, arm: int, reward: float, trials: float) -> None:
        """Find the leader after a reward just added."""
        highest = self.posterior_mean(self.leader)
        if arm == self.leader and reward < highest * trials:  # it fell: anybody may lead now
            for other in range(len(self.pulls)):
                mean = self.posterior_mean(other)
                if mean > highest:
                    self.leader, highest = other, mean
        elif self.posterior_mean(arm) > highest:
            self.leader = arm


class Policy(Described):
    """Policy: a classical bandit. Its parameters are here, what it learns is in a state."""

    ties: Ties = field(default="random", kw_only=True)

    State: ClassVar[type[Stats]] = Stats
    compilable: ClassVar[bool] = True
    forgets: ClassVar[bool] = False  # whether rewards count less, or not at all, after a while
    shifts: ClassVar[bool] = False  # whether what is held of an arm may change without its rewards

    @property
    def needs(self) -> tuple[str, ...]:
        """What it must be told before it starts, of "horizon" and "hardness"."""
        return ()

    @property
    def random_ties(self) -> bool:
        return self.ties == "random"

    @property
    def first_of_ties(self) -> bool:
        return self.ties == "first"

    def start(self, s: Any, setting: Setting) -> None:
        """Fill in what is not zero before the first offer."""

    def choose(self, s: Any) -> int:
        """The arm to pull next."""
        raise NotImplementedError

    def learn(self, s: Any, arm: int, reward: float, trials: float) -> None:
        """Learn the reward of a pull, or the sum of the rewards of so many trials."""
        s.add(arm, reward, trials)
        s.note(arm, reward, trials)

    def new_round(self, s: Any) -> None:
        """A new round begins: what is remembered may fade."""

    def active(self, s: Any, arm: int) -> bool:
        """Whether the arm is still in question; only elimination ever drops one."""
        return True

    def stopped(self, s: Any) -> bool:
        """Whether the policy has made up its mind."""
        return False

    def accepts(self, s: Any, arm: int) -> bool:
        """Whether the arm belongs to the answer, where a set of arms is asked for."""
        return False

    def recommend(self, s: Any) -> int:
        """The arm taken to be the best: the best mean among those still in question."""
        for arm in range(len(s.pulls)):
            seen = s.pulls[arm] > 0 and self.active(s, arm)
            s.room[arm] = s.mean(arm) if seen else -1.0
        return self.pick(s, s.room)

    def pick(self, s: Any, scores: Any) -> int:
        """The arm of the largest score; of equal ones as ``ties`` says."""
        best, top, tied = 0, -inf, 0
        for arm in range(len(scores)):
            score = scores[arm]
            tied += score == top  # no second branch: compiled code has none here at all
            if score > top:
                best, top, tied = arm, score, 1
        if tied > 1 and not self.first_of_ties:
            skip = int(s.dice.random() * tied) if self.random_ties else 0
            for arm in range(0 if self.random_ties else s.ahead, len(scores)):
                if scores[arm] == top:
                    if skip == 0:
                        return arm
                    skip -= 1
        return best


class IndexPolicy(Policy):
    """Policy with an index: it scores every arm and pulls the best. ``index`` is all it needs."""

    of_rewards: ClassVar[bool] = True  # whether the index may be held against a level of reward

    def index(self, pulls: float, sums: float, clock: Any) -> float:
        """The score of an arm of so many rewards with this sum, at time ``clock``."""
        raise NotImplementedError

    def common(self, s: Any, clock: float) -> Any:
        """What the scores of all arms share, computed once; ``index`` gets it as its clock."""
        return clock

    def score(self, s: Any, arm: int, common: Any) -> float:
        """The score of an arm; one without a reward comes first."""
        return self.index(s.pulls[arm], s.sums[arm], common) if s.pulls[arm] > 0 else inf

    def refresh(self, s: Any) -> None:
        """Draw anew whatever the scores owe to chance."""

    def choose(self, s: Any) -> int:
        fresh = s.unpulled()
        if fresh < len(s.pulls):
            return fresh
        self.refresh(s)
        common, room = self.common(s, s.total + 1.0), s.room
        for arm in range(len(room)):
            room[arm] = self.score(s, arm, common)
        return self.pick(s, room)

    def toss(self, s: Any, leader: int) -> None:
        """Draw anew, for a round of challenges to this leader, what they owe to chance."""
        self.refresh(s)

    def rival(self, s: Any, leader: int, clock: float) -> Any:
        """What all arms are held against that might beat this leader, computed once."""
        return self.against(s, s.mean(leader), clock)

    def against(self, s: Any, level: float, clock: float) -> Any:
        """What all arms are held against that might reach this level, computed once."""
        return self.common(s, clock), level

    def beats(self, s: Any, arm: int, rival: Any) -> bool:
        """Whether an arm that has a reward may still prove better than the rival."""
        common, level = rival
        return self.score(s, arm, common) >= level
