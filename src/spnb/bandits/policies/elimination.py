"""Policies that pull the arms in question equally often and drop the bad ones phase by phase."""

from typing import Literal

from spnb.bandits.policies.base import Policy, Stats
from spnb.engine import Count, Flags, Number, Setting, inf, log, sqrt
from spnb.engine.maths import ceil
from spnb.theory import log_bar


class Contest(Stats):
    """A phase is over once every active arm has ``due`` rewards."""

    alive: Flags
    target: Count  # the arm to pull next
    left: Count  # arms still active
    phase: Count  # phases behind us
    due: Number
    horizon: Number
    gap: Number  # the gap that the current phase looks for (UCBrev)


class Elimination(Policy):
    """Round-robin over the active arms; at each phase end some are dropped."""

    State = Contest

    @property
    def needs(self) -> tuple[str, ...]:
        return ("horizon",)

    def phase_end(self, s: Contest) -> float:
        """How many rewards each active arm must have at the end of the current phase."""
        raise NotImplementedError

    def drop(self, s: Contest) -> None:
        """Drop the arms that do not survive the current phase: the worst."""
        self.drop_worst(s)

    def start(self, s: Contest, setting: Setting) -> None:
        s.horizon, s.left, s.gap = setting.horizon, len(s.pulls), 1.0
        for arm in range(len(s.pulls)):
            s.alive[arm] = True
        s.due = self.phase_end(s)

    def choose(self, s: Contest) -> int:
        return s.target

    def aim(self, s: Contest) -> None:
        """The next target is the active arm of the fewest rewards."""
        least = inf
        for arm in range(len(s.pulls)):
            if s.alive[arm] and s.pulls[arm] < least:
                s.target, least = arm, s.pulls[arm]

    def learn(self, s: Contest, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward, trials)
        self.aim(s)
        while s.left > 1 and s.pulls[s.target] >= s.due:
            self.drop(s)
            self.aim(s)
            s.phase += 1
            s.gap *= 0.5
            s.due = self.phase_end(s)

    def active(self, s: Contest, arm: int) -> bool:
        return s.alive[arm]

    def stopped(self, s: Contest) -> bool:
        return s.left == 1

    def drop_worst(self, s: Contest) -> None:
        for arm in range(len(s.pulls)):
            s.room[arm] = -s.mean(arm) if s.alive[arm] else -2.0
        s.alive[self.pick(s, s.room)] = False
        s.left -= 1


class UCBrev(Elimination):
    """Improved UCB (Auer & Ortner 2010): drops arms out of reach.

    ``radius="printed"`` uses the width that the paper on Seq prints.
    """

    radius: Literal["auer", "printed"] = "auer"

    @property
    def printed(self) -> bool:
        return self.radius == "printed"

    def phase_end(self, s: Contest) -> float:
        # Phases end while horizon * gap^2 >= e; what is still active then stays to the end.
        nats = log(s.horizon * s.gap * s.gap)
        return ceil(2.0 * nats / (s.gap * s.gap)) if nats >= 1.0 else inf

    def drop(self, s: Contest) -> None:
        scale = s.due if self.printed else s.horizon
        width = sqrt(log(scale * s.gap * s.gap) / (2.0 * s.due))
        best = 0.0
        for arm in range(len(s.pulls)):
            if s.alive[arm]:
                best = max(best, s.mean(arm))
        for arm in range(len(s.pulls)):
            if s.alive[arm] and s.mean(arm) + width < best - width:
                s.alive[arm] = False
                s.left -= 1


class SR(Elimination):
    """Successive Rejects (Audibert & Bubeck 2010): drops the worst in turn."""

    def phase_end(self, s: Contest) -> float:
        return sr_phase_end(s.horizon, len(s.pulls), s.phase + 1)


def sr_phase_end(budget: float, arms: int, phase: int) -> float:
    """n_k of Successive Rejects for phase k = 1, 2, ..., K-1; never below one pull."""
    return max(ceil((budget - arms) / (log_bar(arms) * max(arms + 1 - phase, 1))), 1.0)


class SH(Elimination):
    """Sequential Halving (Karnin et al. 2013): phases keep the better half."""

    def phase_end(self, s: Contest) -> float:
        phases, reach = 1, 2
        while reach < len(s.pulls):
            phases, reach = phases + 1, 2 * reach
        return s.due + max(float(int(s.horizon / (s.left * phases))), 1.0)

    def drop(self, s: Contest) -> None:
        half = (s.left + 1) // 2
        while s.left > half:
            self.drop_worst(s)


class ContinuousRejects(Elimination):
    """Drops the worst arm as soon as its gap is large enough for the pulls behind it.

    Wang, Tzeng & Proutiere 2023 (best arm identification with fixed budget, algorithm 1): with j
    arms left, the one of the least mean is dropped once it has more pulls than every arm dropped
    before and its gap exceeds 1/sqrt(b) - 1, where b is log_bar(j) times the share of the pulls
    left for these arms that they have had. The last two are never told apart before the end.
    """

    def start(self, s: Contest, setting: Setting) -> None:
        s.horizon, s.left = setting.horizon, len(s.pulls)
        for arm in range(len(s.pulls)):
            s.alive[arm] = True

    def learn(self, s: Contest, arm: int, reward: float, trials: float) -> None:
        s.add(arm, reward, trials)
        if s.unpulled() == len(s.pulls):
            while s.left > 2 and self.drop_one(s):
                s.left -= 1
        self.aim(s)

    def drop_one(self, s: Contest) -> bool:
        """Drop the worst arm if that can be done by now; whether it was."""
        worst, had, spent, others, close = -1, 0.0, 0.0, 0.0, inf
        for arm in range(len(s.pulls)):
            if not s.alive[arm]:
                spent += s.pulls[arm]
                continue
            had += s.pulls[arm]
            if worst < 0 or s.mean(arm) < s.mean(worst):
                worst, close = arm, (inf if worst < 0 else s.mean(worst))
            else:
                close = min(close, s.mean(arm))
            others += s.mean(arm)
        if s.pulls[worst] <= s.due or s.horizon <= spent:
            return False
        rival = (others - s.mean(worst)) / (s.left - 1) if self.average else close
        share = log_bar(s.left) * had / (s.horizon - spent)
        if rival - s.mean(worst) <= 1.0 / sqrt(share) - 1.0:
            return False
        s.alive[worst], s.due = False, s.pulls[worst]  # the most pulls of any arm dropped
        return True

    @property
    def average(self) -> bool:
        """Whether the gap is that to the mean of the others, or to the next worst."""
        return False


class CRA(ContinuousRejects):
    """Continuous Rejects, by the gap to the average of the other arms."""

    spec_name = "CR-A"

    @property
    def average(self) -> bool:
        return True


class CRC(ContinuousRejects):
    """Continuous Rejects, by the gap to the next worst arm: cautious."""

    spec_name = "CR-C"
