"""GLR-klUCB: KL-UCB that starts anew when an arm's rewards show that its mean has changed."""

from typing import Annotated, Any

from spnb.bandits.described import param
from spnb.bandits.policies.kl import KLUCB, Evidence, best_fit
from spnb.base import params
from spnb.engine import Count, Counts, Setting, log
from spnb.engine.maths import ceil
from spnb.engine.state import Grid, Kind

BLOCKS = 32  # into which an arm's rewards since the last start are cut, at the most
Cuts = Annotated[Grid, Kind("f8", ("arms", "blocks"))]


class Watched(Evidence):
    """Sums of each arm's rewards at up to ``BLOCKS`` moments since the last start."""

    rounds: Count  # since the last start
    turn: Count  # the round's place in a period of forced looks
    due: Count  # the arm whose forced look this round brings; -1 if there is none
    restarts: Count
    closed: Counts  # moments noted of each arm
    size: Counts  # rewards from one moment to the next
    counts: Cuts
    totals: Cuts

    def mark(self, arm: int) -> bool:
        """Note this moment if it is one to be noted; whether it is."""
        closed = self.closed[arm]
        before = self.counts[arm, closed - 1] if closed > 0 else 0.0
        if self.pulls[arm] < before + self.size[arm]:
            return False
        if closed == self.counts.shape[1]:  # full: every other moment goes
            for place in range(closed // 2):
                self.counts[arm, place] = self.counts[arm, 2 * place + 1]
                self.totals[arm, place] = self.totals[arm, 2 * place + 1]
            closed //= 2
            self.size[arm] *= 2
        self.counts[arm, closed], self.totals[arm, closed] = self.pulls[arm], self.sums[arm]
        self.closed[arm] = closed + 1
        return True

    def evidence_of_change(self, arm: int) -> float:
        """The largest likelihood ratio, in nats, of two means against one."""
        pulls, wins = self.pulls[arm], self.sums[arm]
        alone = most = _fit(pulls, wins)
        for place in range(self.closed[arm] - 1):
            n, k = self.counts[arm, place], self.totals[arm, place]
            most = max(most, _fit(n, k) + _fit(pulls - n, wins - k))
        return most - alone

    def shows_change(self, arm: int, delta: float) -> bool:
        """Whether the reward just added shows that the arm's mean has changed since the start."""
        if not self.mark(arm):
            return False
        pulls = self.pulls[arm]
        return self.evidence_of_change(arm) > log(3.0 * pulls) + 0.5 * log(pulls) - log(delta)

    def forget(self) -> None:
        """Nothing is known of any arm any more."""
        self.restarts += 1
        self.rounds = self.fresh = 0
        for arm in range(len(self.pulls)):
            self.pulls[arm] = self.sums[arm] = self.fit[arm] = self.levels[arm] = 0.0
            self.closed[arm], self.size[arm] = 0, 1


def _fit(pulls: float, wins: float) -> float:
    """``best_fit``, also where rounding has left a sum a little below 0 or above the pulls."""
    return best_fit(pulls, min(max(wins, 0.0), pulls))


class GLRKLUCB(KLUCB):
    """KL-UCB, started anew when a change shows (Besson et al. 2022).

    A change of an arm shows if two means explain its rewards since the last start better than one,
    by more than ln(3 n^1.5 / delta) nats (n its rewards; their test, at up to 32 moments): then all
    arms are new again. A share ``alpha`` of the rounds brings a forced look at some arm, in turn,
    so that a change of arms that are passed shows too. The clock is the number of rounds since the
    last start.
    """

    delta: float = param(default=0.01, rule=params.share)
    alpha: float = param(default=0.05, rule=params.share)

    forgets = shifts = True
    State = Watched

    @property
    def blocks(self) -> int:
        return BLOCKS

    def start(self, s: Watched, setting: Setting) -> None:
        s.due = -1
        for arm in range(len(s.pulls)):
            s.size[arm] = 1

    def common(self, s: Any, clock: float) -> float:
        nats = log(s.rounds + 1.0)
        return nats + self.c * log(max(nats, 1.0))

    def new_round(self, s: Watched) -> None:
        s.rounds += 1
        s.turn += 1
        if self.alpha > 0.0 and s.turn >= ceil(len(s.pulls) / self.alpha):
            s.turn = 0
        s.due = s.turn if self.alpha > 0.0 and s.turn < len(s.pulls) else -1

    def learn(self, s: Watched, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward, trials)
        s.note(arm, reward, trials)
        if arm == s.due:
            s.due = -1
        if s.shows_change(arm, self.delta):
            s.forget()

    def choose(self, s: Watched) -> int:
        return s.due if s.due >= 0 else self.best_index(s)

    def beats(self, s: Watched, arm: int, rival: Any) -> bool:
        common, level, yes, no = rival
        return arm == s.due or self.likely(s, arm, common, level, yes, no)
