"""Policies that stop by themselves: the best arm is named with a risk of error of at most delta.

The stop rule is the generalised likelihood ratio (Garivier & Kaufmann 2016): the evidence that the
leader a is better than arm b is

    Z(a, b) = N_a kl(m_a, m_ab) + N_b kl(m_b, m_ab),    m_ab the mean of both arms' rewards,

by how much the likelihood falls if b is to be as good as a. The search is over when Z(a, b) exceeds
a threshold for every b. ``proven``, ln(2 t (K-1)/delta), keeps the error below delta whatever the
arms were pulled for, and whenever one looks (their theorem 10; docs/confidence.md has the argument,
for rewards anywhere in [0, 1]). ``practical``, ln((ln t + 1)/delta), is what is mostly used: it
stops sooner, and nobody has proved it.
"""

from collections.abc import Sequence
from typing import Any, Literal

from spnb.bandits.described import param
from spnb.bandits.policies.base import Led, Policy
from spnb.bandits.policies.bayes import Sampled, Sampler
from spnb.bandits.policies.kl import Likelihood, best_fit
from spnb.base import params
from spnb.engine import Arms, Count, Number, exp, inf, log, log1p, sqrt
from spnb.engine.maths import kl_upper
from spnb.engine.state import Layout

StopRule = Literal["proven", "practical"]


class Verdict(Likelihood, Led):
    """How sure it is by now that the leader is the best."""

    costs: Arms  # Z(leader, arm): what it takes to explain the rewards with the arm as good
    least: Number  # the least of them

    def note(self, arm: int, reward: float, trials: float) -> None:
        self.weigh(arm, reward, trials)

    def weigh(self, arm: int, reward: float, trials: float) -> None:
        """Compare the leader with all others anew; with one arm, if it alone has changed."""
        before = self.leader
        self.refit(arm)
        self.lead(arm, reward, trials)
        alone = self.leader == before != arm
        self.least = inf
        for other in range(len(self.pulls)):
            if other != self.leader:
                if other == arm or not alone:
                    self.costs[other] = self.cost(self.leader, other)
                self.least = min(self.least, self.costs[other])

    def cost(self, better: int, worse: int) -> float:
        """Z(better, worse); 0 if it is not the better one."""
        pulls, sums = self.pulls, self.sums
        if sums[worse] * pulls[better] >= sums[better] * pulls[worse]:
            return 0.0
        both = best_fit(pulls[better] + pulls[worse], sums[better] + sums[worse])
        return max(self.fit[better] + self.fit[worse] - both, 0.0)


class Confident(Policy):
    """It stops when the likelihood ratio of the leader to every other arm is large enough."""

    delta: float = param(default=0.05, rule=params.inside_unit)
    stop: StopRule = "proven"

    State = Verdict

    @property
    def practical(self) -> bool:
        return self.stop == "practical"

    def threshold(self, s: Any) -> float:
        """What the evidence against an arm has to exceed."""
        rewards = max(s.total, 1.0)
        if self.practical:
            return log((log(rewards) + 1.0) / self.delta)
        return needed(rewards, len(s.pulls) - 1, self.delta)

    def stopped(self, s: Any) -> bool:
        return s.least > self.threshold(s)

    def active(self, s: Any, arm: int) -> bool:
        """Whether the arm may still be the best."""
        return arm == s.leader or s.costs[arm] <= self.threshold(s)

    def challenger(self, s: Any, leader: int) -> int:
        """The arm that it takes least to explain as no worse than this leader."""
        for arm in range(len(s.pulls)):
            s.room[arm] = -(s.costs[arm] if leader == s.leader else s.cost(leader, arm))
        s.room[leader] = -inf
        return self.pick(s, s.room)


def needed(rewards: float, pairs: float, risk: float) -> float:
    """The proven threshold: so many pairs of arms, and so many rewards in all."""
    return log(2.0 * rewards * pairs / risk)


def weighed(policy: Confident, pulls: Sequence[float], sums: Sequence[float]) -> Verdict:
    """The verdict on arms of so many rewards with these sums."""
    state: Verdict = Layout.of(Verdict, policy, {"arms": len(pulls)}).fresh()
    for arm in range(len(pulls)):
        policy.learn(state, arm, sums[arm], pulls[arm])
    return state


class Rivals(Sampled, Verdict):
    def note(self, arm: int, reward: float, trials: float) -> None:
        self.renorm(arm, reward, trials)
        self.weigh(arm, reward, trials)


class T3C(Confident, Sampler):
    """Top two: leader by a draw, challenger by the least evidence against it.

    With probability 1/2 the arm of the largest posterior draw is pulled, else the arm of the least
    transport cost Z from it (Shang, de Heide, Kaufmann, Menard & Valko 2020). Under Pack the leader
    comes first and then the challengers, least evidence against them first.
    """

    State = Rivals
    of_rewards = False

    def choose(self, s: Rivals) -> int:
        if s.unpulled() < len(s.pulls):
            return s.fresh
        leader = self.largest(s)
        if s.dice.random() < 0.5 or len(s.pulls) == 1:
            return leader
        return self.challenger(s, leader)

    def score(self, s: Rivals, arm: int, common: float) -> float:
        if s.pulls[arm] == 0:
            return inf
        return inf if arm == s.leader else -(s.costs[arm] + log(s.pulls[arm]))

    def rival(self, s: Rivals, leader: int, clock: float) -> Any:
        return log(clock)

    def beats(self, s: Rivals, arm: int, rival: Any) -> bool:
        return bool(s.costs[arm] <= rival)


REDRAWS = 4  # before the law of what more of them would bring is used


class TTTS(T3C):
    """Top-two Thompson sampling: draw again until another arm comes out.

    With probability 1/2 the arm of the largest draw is pulled, else draws are repeated until
    another arm's is the largest (Russo 2016). When that takes long, an arm is drawn with
    probability in proportion to exp(-Z): so rare draws are of that size, to leading order.
    """

    def challenger(self, s: Rivals, leader: int) -> int:
        for _ in range(REDRAWS):
            other = self.largest(s)
            if other != leader:
                return other
        if leader != s.leader:
            return s.leader
        total = 0.0
        for arm in range(len(s.pulls)):
            s.room[arm] = 0.0 if arm == leader else exp(s.least - s.costs[arm])
            total += s.room[arm]
        luck, arm = s.dice.random() * total, -1
        while luck >= 0.0 and arm + 1 < len(s.pulls):
            arm += 1
            luck -= s.room[arm]
        return arm


class Pair(Verdict):
    second: Count  # the arm to pull after the leader, plus 1; 0 if the leader is next


class LUCB(Confident):
    """The leader and the arm of the highest upper bound, in turns.

    Kalyanakrishnan, Tewari, Auer & Stone 2012. The bound is mean + sqrt(nats/(2N)), nats the
    threshold of the stop rule, which is reached no later than the bounds of both arms part.
    """

    State = Pair

    def choose(self, s: Pair) -> int:
        if s.unpulled() < len(s.pulls):
            return s.fresh
        if s.second == 0 and len(s.pulls) > 1:
            s.second = 1 + self.challenger(s, s.leader)
            return s.leader
        arm = max(s.second - 1, 0)
        s.second = 0
        return arm

    def challenger(self, s: Pair, leader: int) -> int:
        nats = self.threshold(s)
        for arm in range(len(s.pulls)):
            s.room[arm] = s.mean(arm) + sqrt(nats / (2.0 * s.pulls[arm]))
        s.room[leader] = -inf
        return self.pick(s, s.room)


class KLLUCB(LUCB):
    """LUCB with the bounds of KL-UCB: the largest q with N kl(mean, q) <= nats.

    Kaufmann & Kalyanakrishnan 2013.
    """

    def challenger(self, s: Pair, leader: int) -> int:
        nats, best, level, yes, no = self.threshold(s), -1, -1.0, 0.0, 0.0
        for arm in range(len(s.pulls)):
            if arm == leader:
                continue
            # Only a bound that reaches the highest one so far is worth the inversion.
            if best < 0 or s.shortfall(arm, level, yes, no) <= nats:
                best, level = arm, kl_upper(s.mean(arm), nats / s.pulls[arm])
                yes, no = log(level), log1p(-level)
        for arm in range(len(s.pulls)):
            same = s.pulls[arm] == s.pulls[best] and s.sums[arm] == s.sums[best]
            s.room[arm] = 1.0 if same and arm != leader else 0.0
        return self.pick(s, s.room)
