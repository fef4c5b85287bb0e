"""Stakes: pull an arm while what may be missed outweighs the price of looking at it."""

from typing import Any

from spnb.bandits.agents.challenge import Challenge, Challenging
from spnb.bandits.described import param
from spnb.bandits.policies.belief import Belief, Believed
from spnb.base import params
from spnb.engine import Number, Setting, inf, log, log1p

AHEAD = 6.0  # times the rounds behind: further ahead than that nobody can see, early in a run
TELLING = 25.0  # rewards: so many tell a mean to a fifth of itself
RARE = 4.0  # looks for one reward of the leader: where it takes more, rewards are rare
PLANNED = 0.5  # of the rounds in sight: nobody plans for more looks than that


class AtStake(Challenging):
    policy: Believed
    last: Number  # the last round; infinite if nobody knows it


class Stakes(Challenge):
    """Pull while what may be missed outweighs the price of looking on.

    bar is the posterior mean of the (last) leader, theta the arm's mean under its posterior. An arm
    of N rewards is pulled if h E[theta; theta > bar] >= c (N + n) E[(bar - theta)+]: what would be
    missed over h rounds if the arm were the better one, against the price of looking at it so often
    that it could change what is held of the arm. That takes as many looks as before, and where
    rewards are rare, bar below 1/4, n more, since fewer tell nothing: n = 25 (1/bar - 4), but at
    most h/2. h is the number of the round; with a known ``horizon`` the rounds left and N more, but
    at most six times the number of the round; c = 0.8 is best, then. The rule follows the best one
    for a bar that is known for sure (``spnb.theory.bayes_limit`` solves that problem). A small
    ``c`` makes it unlikely that the best arm is ever lost.
    """

    policy: Belief = Belief()
    c: float = param(default=0.7, rule=params.positive)
    horizon: bool = False

    State = AtStake

    @property
    def needs(self) -> tuple[str, ...]:
        return ("horizon",) if self.horizon else ()

    def start(self, s: AtStake, setting: Setting) -> None:
        s.round, s.bar = 1.0, -1.0
        s.last = setting.horizon if self.horizon else inf

    def rival(self, s: AtStake) -> Any:
        bar, left = s.bar, max(s.last - s.round + 1.0, 0.0)
        return bar, log(bar), log1p(-bar), left, TELLING * max(1.0 / bar - RARE, 0.0)

    def challenges(self, s: AtStake, arm: int, rival: Any) -> bool:
        p, (bar, yes, no, left, more) = s.policy, rival
        mean, pulls = p.posterior_mean(arm), p.pulls[arm]
        rounds = min(AHEAD * s.round, left + pulls) if self.horizon else s.round
        price = self.c * (pulls + min(more, PLANNED * rounds))
        density = p.density(arm, yes, no)
        edge = density * bar * (1.0 - bar) / (pulls + 2.0)
        if rounds * (mean * p.most_beyond(arm, bar, density) + edge) < price * (bar - mean):
            return False  # without an incomplete beta function: most arms are far behind
        beyond = p.beyond(arm, bar)
        gain = mean * beyond + edge  # E[theta; theta > bar], integrated by parts
        loss = bar - mean + gain - bar * beyond
        return bool(rounds * gain >= price * loss)
