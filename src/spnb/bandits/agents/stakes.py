"""Stakes: pull an arm while what may be missed outweighs the price of looking at it."""

from typing import Any

from spnb.bandits.agents.challenge import Challenge, Challenging
from spnb.bandits.described import param
from spnb.bandits.policies.belief import Belief, Believed
from spnb.base import params
from spnb.engine import Number, Setting, inf, log, log1p

AHEAD = 5.0  # times the rounds behind: further ahead than that nobody can see, early in a run


class AtStake(Challenging):
    policy: Believed
    last: Number  # the last round; infinite if nobody knows it


class Stakes(Challenge):
    """Pull while what may be missed outweighs the price of a look.

    bar is the posterior mean of the (last) leader, theta the arm's mean under its posterior. An arm
    of N rewards is pulled if h E[theta; theta > bar] >= c N E[(bar - theta)+]: what would be missed
    over h rounds if the arm were the better one, against the price of looking at it N more times.
    h is the number of the round; with a known ``horizon`` the rounds left and N more, but at most
    five times the number of the round. If bar were known for sure, that rule with c = 0.5 would be
    close to the best there is (``spnb.theory.bayes_limit`` solves that problem). A small ``c``
    makes it unlikely that the best arm is ever lost.
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
        return s.bar, log(s.bar), log1p(-s.bar), max(s.last - s.round + 1.0, 0.0)

    def challenges(self, s: AtStake, arm: int, rival: Any) -> bool:
        p, (bar, yes, no, left) = s.policy, rival
        mean, pulls = p.posterior_mean(arm), p.pulls[arm]
        rounds = min(AHEAD * s.round, left + pulls) if self.horizon else s.round
        price, density = self.c * pulls, p.density(arm, yes, no)
        edge = density * bar * (1.0 - bar) / (pulls + 2.0)
        if rounds * (mean * p.most_beyond(arm, bar, density) + edge) < price * (bar - mean):
            return False  # without an incomplete beta function: most arms are far behind
        beyond = p.beyond(arm, bar)
        gain = mean * beyond + edge  # E[theta; theta > bar], integrated by parts
        loss = bar - mean + gain - bar * beyond
        return bool(rounds * gain >= price * loss)
