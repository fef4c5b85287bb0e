"""Classical bandits: choose an arm, learn its reward. One family per module."""

from spnb.bandits.policies.base import IndexPolicy, Policy, Stats
from spnb.bandits.policies.baselines import EpsGreedy, Greedy, Uniform
from spnb.bandits.policies.bayes import bUCB
from spnb.bandits.policies.elimination import SH, SR, Elimination, UCBrev
from spnb.bandits.policies.kl import IMED, KLUCB, KLUCBPlus
from spnb.bandits.policies.thompson import TS
from spnb.bandits.policies.ucb import MOSS, UCB1
from spnb.bandits.policies.ucbe import UCBE

__all__ = [
    "IMED", "KLUCB", "MOSS", "SH", "SR", "TS", "UCB1", "UCBE", "Elimination", "EpsGreedy",
    "Greedy", "IndexPolicy", "KLUCBPlus", "Policy", "Stats", "UCBrev", "Uniform", "bUCB",
]  # fmt: skip
